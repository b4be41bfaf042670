"""What files does when an event is published."""

from apps.accounts import services as people
from apps.accounts.events import AccountDeleted
from apps.files import services
from apps.files.events import ReplacementFailed, VideoCompleted, VideoFailed
from apps.files.models import VideoAsset
from studyplatform.kit.events import subscribe


@subscribe(AccountDeleted)
def delete_uploads(event: AccountDeleted) -> None:
    """Delete the library with its shares, the uploads, and the notes of what a deleted user opened.

    The apps that show videos decide about those.
    """
    services.delete_library_of(user_id=event.user_id)
    services.forget_openings_of(user_id=event.user_id)
    services.delete_uploads_of(user_id=event.user_id)
    services.delete_account_of(user_id=event.user_id)


@subscribe(VideoCompleted)
def notify_video_ready(event: VideoCompleted) -> None:
    _notify_owner("files.video_ready", event.video_id)


@subscribe(VideoFailed)
def notify_video_failed(event: VideoFailed) -> None:
    _notify_owner("files.video_failed", event.video_id)


@subscribe(ReplacementFailed)
def notify_replacement_failed(event: ReplacementFailed) -> None:
    video = VideoAsset.objects.select_related("owner").filter(pk=event.video_id).first()
    if video is not None:
        key = f"{video.uid.hex[:30]} {event.version}"
        people.notify(
            "files.replacement_failed", video.owner, "/dashboard/instructor/upload/", key, file=event.filename
        )


def _notify_owner(kind: str, video_id: int) -> None:
    video = VideoAsset.objects.select_related("owner").filter(pk=video_id).first()
    if video is not None:
        # One notification per version: a replacement of the video is a new one.
        key = f"{video.uid.hex[:30]} {video.version.hex if video.version else ''}"
        people.notify(kind, video.owner, "/dashboard/instructor/upload/", key, file=video.filename)
