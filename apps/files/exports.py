"""What files holds of a person, for their archive: the list; the files themselves can be fetched one by one."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.files.models import Upload, VideoAsset


@register_export("files")
def of_files(user: User) -> Iterator[Part]:
    videos = VideoAsset.objects.filter(owner=user).values("filename", "stage", "duration", "source_bytes", "created_at")
    yield Part("files/videos.json", videos.iterator())
    uploads = Upload.objects.filter(owner=user).values("filename", "length", "offset", "created_at", "completed_at")
    yield Part("files/uploads.json", uploads.iterator())
