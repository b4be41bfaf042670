from django.urls import path

from apps.forum.api import composing, similar

urlpatterns = [
    path("forum/preview/", composing.Preview.as_view()),
    path("forum/people/", composing.People.as_view()),
    path("forum/similar/", similar.SimilarTopics.as_view()),
    path("forum/topics/", composing.Topics.as_view()),
    path("forum/drafts/<slug:key>/", composing.DraftOfUser.as_view()),
]
