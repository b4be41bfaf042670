"""Pages of the tutor."""

from django.urls import path

from apps.tutor.pages import chat, export

app_name = "tutor"
urlpatterns = [
    path("chat/", chat.chat, name="chat"),
    path("chat/<uuid:uid>/export", export.export, name="export"),
]
