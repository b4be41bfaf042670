from django.urls import path

from apps.files.pages import library, library_actions, media

app_name = "files"
urlpatterns = [
    path("files/", library.library, name="library"),
    path("files/bin", library.bin_page, name="bin"),
    path("files/bin/empty", library_actions.empty_bin, name="empty-bin"),
    path("files/upload", library_actions.upload, name="upload"),
    path("files/act", library_actions.act, name="act"),
    path("files/zip", library_actions.download_zip, name="zip"),
    path("files/folder/<uuid:uid>/zip", library.folder_zip, name="folder-zip"),
    path("files/folders", library_actions.new_folder, name="new-folder"),
    path("files/folders/<uuid:uid>/rename", library_actions.rename_folder, name="rename-folder"),
    path("files/<uuid:uid>", library.file_page, name="library-file"),
    path("files/<uuid:uid>/rename", library_actions.rename_file, name="rename-file"),
    path("files/<uuid:uid>/download", library.download, name="download"),
    path("files/<uuid:uid>/view", library.view, name="view"),
    path("files/<uuid:uid>/thumbnail", library.thumbnail, name="thumbnail"),
    path("files/<uuid:uid>/versions/<int:number>/restore", library_actions.restore_version, name="restore-version"),
    path("files/<uuid:uid>/versions/<int:number>/download", library.download_version, name="download-version"),
    path("media/f/<str:token>", media.file, name="file"),
    path("media/v/<str:token>/<path:name>", media.media, name="media"),
]
