"""A user's videos and uploads for the data archive: their lists; the files can be downloaded one by one."""

from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.files.models import BinnedOriginal, File, Folder, Share, ShareOpening, StorageAccount, Upload, VideoAsset
from apps.files.sharing_queries import names_still_open_to


def _opened(user: User) -> Iterator[dict[str, Any]]:
    """The visits to shares of others. Their files are named only if they may still be opened: a new name is not for
    everyone to whom the old one was shown."""
    names = names_still_open_to(user, now=timezone.now())
    for opening in ShareOpening.objects.filter(user=user).iterator():
        yield {"name": names.get(opening.share_id, ""), "what": opening.what, "opened_at": opening.opened_at}


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
    yield Part("files/opened_shares.json", _opened(user))
    uploads = Upload.objects.filter(owner=user).values("filename", "length", "offset", "created_at", "completed_at")
    yield Part("files/uploads.json", uploads.iterator())
