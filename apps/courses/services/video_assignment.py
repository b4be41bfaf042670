"""Which lesson an uploaded video is for, as its author chooses on the upload page."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import LessonVideoChanged, VideoNotYours, WrongLessonKind
from apps.courses.models import Course, Lesson
from apps.courses.queries.video_lessons import shows_something, token_of
from apps.courses.services.locking import lock_course_row
from apps.courses.services.media import attach_video, may_show
from apps.files import services as files
from apps.files.models import VideoAsset
from studyplatform.kit.policies import enforce


def assign_video(*, lesson: Lesson, by: User, video: VideoAsset, token: str, now: datetime) -> Lesson:
    """Let the lesson show the video, in place of what it shows to the author.

    A lesson keeps a video that can be watched until the new one is complete. What an other upload was to put there is
    for no lesson from now on; all videos stay with their owners.

    :param token: what the author has seen in the lesson (``queries.video_lessons.token_of``).
    :raises LessonVideoChanged: the lesson shows or awaits another video by now.
    :raises WrongLessonKind: it is not a video lesson.
    :raises VideoNotYours: the user doesn't own the video, and the course has never shown it.
    """
    with transaction.atomic():
        course, locked = _lock(lesson, by)
        if not may_show(course, by, video):
            raise VideoNotYours
        if locked.video_id == video.pk:
            return locked
        if token_of(locked) != token:
            raise LessonVideoChanged
        files.clear_upload_targets(target=str(locked.uid), except_video=video.pk)
        shown = locked.video
        is_kept = shows_something(locked) and (shown is None or shown.is_playable)
        # An older video than the shown one would not take its place by itself once it is complete.
        is_newer = shown is None or shown.created_at < video.created_at
        if video.is_complete or not is_kept or not is_newer or locked.external_video:
            return attach_video(lesson=locked, by=by, video=video, now=now)
        files.set_upload_target(video_id=video.pk, target=str(locked.uid))
        return locked


def withdraw_video(*, lesson: Lesson, by: User, video: VideoAsset, now: datetime) -> Lesson:
    """Let the video be for this lesson no longer, whether the lesson shows it or awaits it. Idempotent.

    :raises WrongLessonKind: it is not a video lesson.
    :raises VideoNotYours: the user doesn't own the video, and the course has never shown it.
    """
    with transaction.atomic():
        course, locked = _lock(lesson, by)
        if not may_show(course, by, video):
            raise VideoNotYours
        if locked.video_id == video.pk:
            return attach_video(lesson=locked, by=by, video=None, now=now)
        files.set_upload_target(video_id=video.pk, target="", was=str(locked.uid))
        return locked


def _lock(lesson: Lesson, by: User) -> tuple[Course, Lesson]:
    course = lock_course_row(lesson.course_id)
    enforce(policies.edit_course(by, course))
    locked = Lesson.with_removed.select_related("course", "section", "video").get(pk=lesson.pk)
    if locked.kind != Lesson.Kind.VIDEO:
        raise WrongLessonKind
    return course, locked
