"""What courses do when files report something about videos."""

from django.utils import timezone

from apps.accounts.models import User
from apps.courses import services
from apps.files.errors import VideoInUse
from apps.files.events import VideoAnalyzed, VideoAnnounced, VideoCompleted
from apps.files.models import VideoAsset
from apps.files.services import keep_while
from studyplatform.kit.events import subscribe
from studyplatform.kit.policies import Verdict


@subscribe(VideoAnnounced)
def show_it_in_its_lesson(event: VideoAnnounced) -> None:
    services.attach_announced(
        video=VideoAsset.objects.get(pk=event.video_id),
        by=User.objects.get(pk=event.owner_id),
        target=event.target,
        now=timezone.now(),
    )


@subscribe(VideoAnalyzed)
def give_lessons_its_length(event: VideoAnalyzed) -> None:
    services.take_video_length(video=VideoAsset.objects.get(pk=event.video_id), now=timezone.now())


@subscribe(VideoCompleted)
def give_lessons_its_new_length(event: VideoCompleted) -> None:
    services.take_video_length(video=VideoAsset.objects.get(pk=event.video_id), now=timezone.now())


@keep_while
def learners_watch_it(video: VideoAsset) -> Verdict:
    return VideoInUse() if services.is_shown_to_learners(video) else None
