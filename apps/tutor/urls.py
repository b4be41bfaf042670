"""Pages of the tutor."""

from django.urls import path

from apps.tutor.pages import chat, export, teaching

app_name = "tutor"
urlpatterns = [
    path("chat/", chat.chat, name="chat"),
    path("chat/<uuid:uid>/export", export.export, name="export"),
    path("dashboard/instructor/tutor/", teaching.courses, name="teaching"),
    path("dashboard/instructor/tutor/<slug:slug>", teaching.course, name="teaching-course"),
    path("dashboard/instructor/tutor/<slug:slug>/questions", teaching.settle, name="settle-question"),
    path("dashboard/instructor/tutor/<slug:slug>/switches", teaching.switches, name="switches"),
]
