"""A user's videos and uploads for the data archive: their lists; the files can be downloaded one by one."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.files.models import BinnedOriginal, File, Folder, Share, ShareOpening, StorageAccount, Upload, VideoAsset


@register_export("files")
def export_files(user: User) -> Iterator[Part]:
    videos = VideoAsset.objects.filter(owner=user).values("filename", "stage", "duration", "source_bytes", "created_at")
    yield Part("files/videos.json", videos.iterator())
    originals = BinnedOriginal.objects.filter(owner=user).values(
        "filename", "why", "video__filename", "size", "duration", "deleted_at"
    )
    yield Part("files/originals-in-bin.json", originals.iterator())
    files = File.objects.filter(owner=user).values("name", "folder__name", "kind", "size", "created_at", "deleted_at")
    yield Part("files/library.json", files.iterator())
    folders = Folder.objects.filter(owner=user).values("name", "parent__name", "created_at", "deleted_at")
    yield Part("files/folders.json", folders.iterator())
    accounts = StorageAccount.objects.filter(user=user).values("allowance", "warned")
    yield Part("files/storage.json", accounts.iterator())
    shares = Share.objects.filter(owner=user).values(
        "file__name", "folder__name", "kind", "expires_at", "max_downloads", "downloads", "created_at", "revoked_at"
    )
    yield Part("files/shares.json", shares.iterator())
    opened = ShareOpening.objects.filter(user=user).values(
        "share__file__name", "share__folder__name", "what", "opened_at"
    )
    yield Part("files/opened_shares.json", opened.iterator())
    uploads = Upload.objects.filter(owner=user).values("filename", "length", "offset", "created_at", "completed_at")
    yield Part("files/uploads.json", uploads.iterator())
