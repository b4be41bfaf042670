"""What a lesson shows: its video."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import VideoNotYours, WrongLessonKind
from apps.courses.models import Course, Lesson
from apps.courses.services.outline import refresh_outline
from apps.files.models import VideoAsset
from studyplatform.kit.policies import enforce


def attach_video(*, lesson: Lesson, by: User, video: VideoAsset | None, now: datetime) -> Lesson:
    """Let the lesson show this video, finished or not, or none. What it showed before stays with its owner.

    :raises WrongLessonKind: it is not a video lesson.
    :raises VideoNotYours: the video belongs to somebody else.
    """
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=lesson.course_id)
        enforce(policies.edit_course(by, course))
        if lesson.kind != Lesson.Kind.VIDEO:
            raise WrongLessonKind
        if video is not None and video.owner_id not in {course.instructor_id, by.pk}:
            raise VideoNotYours
        lesson.video = video
        lesson.duration = round(video.duration) if video is not None else 0
        lesson.save(update_fields=["video", "duration"])
        refresh_outline(course, now=now)
    return lesson


def take_video_length(*, video: VideoAsset, now: datetime) -> None:
    """Give the lessons that show this video its length, once it is known."""
    seconds = round(video.duration)
    with transaction.atomic():
        lessons = Lesson.objects.filter(video=video).exclude(duration=seconds)
        courses = list(
            Course.objects.filter(lessons__in=lessons).order_by("pk").distinct().values_list("pk", flat=True)
        )
        lessons.update(duration=seconds)
        for course in Course.objects.select_for_update().filter(pk__in=courses).order_by("pk"):
            refresh_outline(course, now=now)
