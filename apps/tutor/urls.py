"""Pages of the tutor."""

from django.urls import path

from apps.tutor.pages import export

app_name = "tutor"
urlpatterns = [
    path("chat/<uuid:uid>/export", export.export, name="export"),
]
