"""What a lesson shows or hands out: its video, its file."""

import uuid
from datetime import datetime
from pathlib import PurePosixPath

from django.conf import settings
from django.core.files import File
from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import VideoNotYours, WrongLessonKind
from apps.courses.models import Course, Lesson
from apps.courses.services.outline import refresh_outline
from apps.files.errors import FileTooLarge
from apps.files.models import VideoAsset
from studyplatform.kit.policies import enforce

Status = Course.Status


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


def attach_file(*, lesson: Lesson, by: User, file: File[bytes], name: str, now: datetime) -> Lesson:
    """Let a file lesson hand out this file under this name. The one before is removed.

    :raises WrongLessonKind: it is not a file lesson.
    :raises FileTooLarge: it is larger than a file may be.
    """
    size = file.size or 0
    if size > settings.UPLOAD_LIMITS["file"]:
        raise FileTooLarge
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=lesson.course_id)
        enforce(policies.edit_course(by, course))
        if lesson.kind != Lesson.Kind.FILE:
            raise WrongLessonKind
        old = lesson.attachment.name
        # A random name in storage: nothing of what somebody typed becomes a path.
        lesson.attachment.save(f"{uuid.uuid4().hex}{_ending(name)}", file, save=False)
        lesson.attachment_name = clean_name(name)
        lesson.attachment_bytes = size
        lesson.save(update_fields=["attachment", "attachment_name", "attachment_bytes"])
        if old:
            storage = lesson.attachment.storage
            transaction.on_commit(lambda: storage.delete(old))
        refresh_outline(course, now=now)
    return lesson


def clean_name(name: str) -> str:
    """The file's name without folders and control characters, at most 120 characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(sign for sign in last if sign.isprintable()).strip(" .")
    if len(plain) > 120:
        ending = _ending(plain)
        plain = plain[: 120 - len(ending)] + ending
    return plain or "file"


def _ending(name: str) -> str:
    """ ".pdf" of "Formulas.PDF"; nothing if it is not a plain ending."""
    ending = PurePosixPath(name).suffix.lower()
    return ending if ending[1:].isascii() and ending[1:].isalnum() and len(ending) <= 9 else ""


def attach_announced(*, video: VideoAsset, by: User, target: str, now: datetime) -> None:
    """Let a lesson show the video whose upload named it, if it is the uploader's to edit and shows nothing yet.

    A lesson that has a video keeps it: learners may be watching. Uploads that replace one say so themselves.
    """
    try:
        uid = uuid.UUID(target)
    except ValueError:
        return
    lesson = Lesson.objects.select_related("course").filter(uid=uid, kind=Lesson.Kind.VIDEO, video=None).first()
    if lesson is not None and policies.edit_course(by, lesson.course) is None:
        attach_video(lesson=lesson, by=by, video=video, now=now)


def is_shown_to_learners(video: VideoAsset) -> bool:
    """Whether a course that people are or were enrolled in shows the video."""
    return Lesson.objects.filter(video=video).exclude(course__status__in=[Status.DRAFT, Status.REVIEW]).exists()


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
