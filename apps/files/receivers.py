"""What files does when something is reported, by another app or by itself."""

from apps.accounts import services as people
from apps.accounts.events import AccountDeleted
from apps.files import services
from apps.files.events import ReplacementFailed, VideoCompleted, VideoFailed
from apps.files.models import VideoAsset
from studyplatform.kit.events import subscribe


@subscribe(AccountDeleted)
def drop_their_uploads(event: AccountDeleted) -> None:
    """Nobody is left to finish them, or to hand them out. Videos are up to the apps that may show them."""
    services.delete_uploads_of(user_id=event.user_id)


@subscribe(VideoCompleted)
def tell_the_owner_it_is_ready(event: VideoCompleted) -> None:
    _tell("files.video_ready", event.video_id)


@subscribe(VideoFailed)
def tell_the_owner_it_failed(event: VideoFailed) -> None:
    _tell("files.video_failed", event.video_id)


@subscribe(ReplacementFailed)
def tell_the_owner_the_old_one_stays(event: ReplacementFailed) -> None:
    video = VideoAsset.objects.select_related("owner").filter(pk=event.video_id).first()
    if video is not None:
        key = f"{video.uid.hex[:30]} {event.version}"
        people.notify(
            "files.replacement_failed", video.owner, "/dashboard/instructor/upload/", key, file=event.filename
        )


def _tell(kind: str, video_id: int) -> None:
    video = VideoAsset.objects.select_related("owner").filter(pk=video_id).first()
    if video is not None:
        # A replacement is another fact: each version is told of once.
        key = f"{video.uid.hex[:30]} {video.version.hex if video.version else ''}"
        people.notify(kind, video.owner, "/dashboard/instructor/upload/", key, file=video.filename)
