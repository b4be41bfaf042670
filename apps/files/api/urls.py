from django.urls import path
from rest_framework.routers import SimpleRouter

from apps.files.api import automatic_captions, library, tus, views

router = SimpleRouter(use_regex_path=False)
router.register("videos", views.Videos, basename="video")

urlpatterns = [
    path("files/", library.Listing.as_view(), name="library"),
    path("files/folders/", library.Folders.as_view(), name="library-folders"),
    path("files/folders/<uuid:uid>/", library.OneFolder.as_view(), name="library-folder"),
    path("files/actions/", library.Actions.as_view(), name="library-actions"),
    path("files/bin/empty/", library.EmptyBin.as_view(), name="library-empty-bin"),
    path("files/<uuid:uid>/", library.OneFile.as_view(), name="library-file"),
    path(
        "files/<uuid:uid>/versions/<int:number>/restore/",
        library.RestoreVersion.as_view(),
        name="library-restore-version",
    ),
    path("uploads/", tus.Uploads.as_view(), name="uploads"),
    path("uploads/<uuid:uid>/", tus.OneUpload.as_view(), name="upload"),
    path("captions/<uuid:uid>/", views.Captions.as_view(), name="captions"),
    path("videos/<uuid:uid>/transcription/", automatic_captions.Transcription.as_view(), name="transcription"),
    path("videos/<uuid:uid>/translation/", automatic_captions.Translation.as_view(), name="translation"),
    path(
        "videos/<uuid:uid>/automatic-captions/",
        automatic_captions.OfVideo.as_view(),
        name="video-automatic-captions",
    ),
    path("automatic-captions/<uuid:uid>/", automatic_captions.OneRequest.as_view(), name="automatic-captions"),
    path("storage/", views.Storage.as_view(), name="storage"),
    *router.urls,
]
