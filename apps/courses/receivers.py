"""What courses do when files report something about a video, and what the catalogue's version follows."""

import logging

from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.models import User
from apps.courses import policies, services
from apps.courses.models import Course, SearchDocument, Subject
from apps.files import services as files
from apps.files.events import VideoAnalyzed, VideoAnnounced, VideoCompleted, VideoPlayable
from studyplatform.kit import versions
from studyplatform.kit.errors import AppError
from studyplatform.kit.events import subscribe

logger = logging.getLogger(__name__)

# A video that a public course shows is not deleted under its learners' eyes.
files.keep_while(policies.delete_video)
accounts.register_hindrance(policies.leave)


# What everybody sees of courses and their teachers. Seats are taken all day; their count may be a minute old.
versions.watch("catalogue", Course, ignoring={"learner_count"})
versions.watch("catalogue", Subject)
versions.watch("catalogue", SearchDocument)
versions.watch("catalogue", User, only={"username", "first_name", "last_name", "avatar", "headline", "bio"})


@subscribe(VideoAnnounced)
def show_it_in_its_lesson(event: VideoAnnounced) -> None:
    _show(event.video_id, only_playable=False)


@subscribe(VideoPlayable)
def show_it_in_place_of_the_old_one(event: VideoPlayable) -> None:
    _show(event.video_id, only_playable=True)


@subscribe(VideoCompleted)
def show_it_if_it_was_never_half_done(event: VideoCompleted) -> None:
    """A short film is complete at once: nobody said before that it can be watched."""
    _show(event.video_id, only_playable=True)


@subscribe(VideoAnalyzed)
def take_its_length(event: VideoAnalyzed) -> None:
    services.take_video_length(video_id=event.video_id, now=timezone.now())


@subscribe(VideoCompleted)
def take_its_final_length(event: VideoCompleted) -> None:
    services.take_video_length(video_id=event.video_id, now=timezone.now())


def _show(video_id: int, *, only_playable: bool) -> None:
    try:
        services.show_uploaded_video(video_id=video_id, only_playable=only_playable, now=timezone.now())
    except AppError as refusal:
        logger.info("Video %s is not shown in its lesson: %s", video_id, refusal)
