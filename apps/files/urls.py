from django.urls import path

from apps.files import pages

app_name = "files"
urlpatterns = [
    path("media/f/<str:token>", pages.file, name="file"),
    path("media/v/<str:token>/<path:name>", pages.media, name="media"),
]
