"""What courses keep from being deleted or replaced: videos that they show, and accounts of those who teach them."""

from django.utils import timezone
from django.utils.formats import date_format

from apps.accounts.models import User
from apps.courses.errors import StillTeaching, VideoOfDeletedLesson
from apps.courses.models import Course, Lesson
from apps.courses.models.outline_change import UNDO_PERIOD
from apps.files.errors import VideoInUse, VideoWatched
from apps.files.models import VideoAsset
from studyplatform.kit.policies import Verdict
from studyplatform.kit.text.lists import list_names

Status = Course.Status


def delete_video(video: VideoAsset) -> Verdict:
    """A video can't be deleted while a course that was published uses it, or a deleted lesson may return with it."""
    drafts = {Status.DRAFT}
    in_use = Lesson.objects.filter(video=video).exclude(course__status__in=drafts, course__published_at=None).exists()
    if in_use:
        return VideoInUse()
    removed = Lesson.with_removed.filter(video=video, removed_at__gt=timezone.now() - UNDO_PERIOD)
    last = removed.order_by("-removed_at").values_list("title", "removed_at").first()
    if last is None or last[1] is None:
        return None
    until = timezone.localdate(last[1] + UNDO_PERIOD)
    return VideoOfDeletedLesson(lesson=last[0], until=date_format(until, "j F Y"))


def replace_video(video: VideoAsset) -> Verdict:
    """A video that learners can watch gets no new contents in place: their progress belongs to what they watched."""
    watched = Lesson.objects.filter(video=video).exclude(course__published_at=None)
    return VideoWatched() if video.is_playable and watched.exists() else None


def leave(user: User) -> Verdict:
    """An instructor with published courses or courses under review cannot delete the account."""
    live = Course.objects.filter(instructor=user, status__in=[Status.PUBLISHED, Status.REVIEW])
    titles = list(live.order_by("title").values_list("title", flat=True)[:3])
    return StillTeaching(courses=list_names(titles)) if titles else None
