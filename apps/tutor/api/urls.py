from django.urls import path

from apps.tutor.api import answer_views, views

urlpatterns = [
    path("tutor/status/", views.TutorStatus.as_view()),
    path("tutor/suggestions/", views.Suggestions.as_view()),
    path("tutor/chats/", views.Chats.as_view()),
    path("tutor/chats/<uuid:uid>/", views.OneChat.as_view()),
    path("tutor/chats/<uuid:uid>/restore/", views.ChatRestoring.as_view()),
    path("tutor/chats/<uuid:uid>/export/", views.ChatExport.as_view()),
    path("tutor/chats/<uuid:uid>/exchanges/", views.Exchanges.as_view()),
    path("tutor/exchanges/<uuid:uid>/", views.OneExchange.as_view()),
    path("tutor/exchanges/<uuid:uid>/answers/", answer_views.Answers.as_view()),
    path("tutor/answers/<uuid:uid>/", answer_views.OneAnswer.as_view()),
    path("tutor/answers/<uuid:uid>/continue/", answer_views.AnswerContinuing.as_view()),
    path("tutor/answers/<uuid:uid>/stop/", answer_views.AnswerStopping.as_view()),
    path("tutor/answers/<uuid:uid>/rating/", answer_views.AnswerRating.as_view()),
    path("tutor/answers/<uuid:uid>/cards/", answer_views.AnswerCards.as_view()),
]
