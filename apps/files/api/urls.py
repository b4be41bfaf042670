from django.urls import path
from rest_framework.routers import SimpleRouter

from apps.files.api import tus, views

router = SimpleRouter(use_regex_path=False)
router.register("videos", views.Videos, basename="video")

urlpatterns = [
    path("uploads/", tus.Uploads.as_view(), name="uploads"),
    path("uploads/<uuid:uid>/", tus.OneUpload.as_view(), name="upload"),
    path("captions/<uuid:uid>/", views.Captions.as_view(), name="captions"),
    path("storage/", views.Storage.as_view(), name="storage"),
    *router.urls,
]
