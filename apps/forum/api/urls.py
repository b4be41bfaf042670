from django.urls import path

from apps.forum.api import composing, moderation, posts, similar, tools, topics

urlpatterns = [
    path("forum/preview/", composing.Preview.as_view()),
    path("forum/people/", composing.People.as_view()),
    path("forum/similar/", similar.SimilarTopics.as_view()),
    path("forum/drafts/<slug:key>/", composing.DraftOfUser.as_view()),
    path("forum/boards/", topics.Boards.as_view()),
    path("forum/boards/<slug:slug>/follow/", topics.BoardFollow.as_view()),
    path("forum/read/", topics.AllRead.as_view()),
    path("forum/lists/<str:tab>/", topics.TopicList.as_view()),
    path("forum/topics/", composing.Topics.as_view()),
    path("forum/topics/<int:topic>/", topics.TopicDetail.as_view()),
    path("forum/topics/<int:topic>/posts/", posts.TopicPosts.as_view()),
    path("forum/topics/<int:topic>/follow/", topics.TopicFollow.as_view()),
    path("forum/topics/<int:topic>/read/", topics.TopicRead.as_view()),
    path("forum/topics/<int:topic>/merge/", tools.TopicMerge.as_view()),
    path("forum/topics/<int:topic>/split/", tools.TopicSplit.as_view()),
    path("forum/posts/<int:post>/", posts.PostDetail.as_view()),
    path("forum/posts/<int:post>/restore/", posts.PostRestore.as_view()),
    path("forum/posts/<int:post>/vote/", posts.PostVote.as_view()),
    path("forum/posts/<int:post>/reaction/", posts.PostReaction.as_view()),
    path("forum/posts/<int:post>/accepted/", posts.PostAcceptance.as_view()),
    path("forum/posts/<int:post>/report/", posts.PostReport.as_view()),
    path("forum/posts/<int:post>/decision/", moderation.Decision.as_view()),
    path("forum/queue/", moderation.Queue.as_view()),
]
