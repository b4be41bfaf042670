"""Files of a course that its lessons offer for download."""

from datetime import datetime

from django.core.files import File
from django.db import transaction

from apps.accounts.models import User
from apps.courses.errors import OutlineFull
from apps.courses.models import Course, CourseFile, Lesson, LessonDownload
from apps.courses.services.course_files import record_uses, upload_course_file
from apps.courses.services.outline_rows import arrange, lock_course, moved, refresh_outline
from studyplatform.kit.errors import NotFound
from studyplatform.kit.names import tidy_name

MAX_DOWNLOADS = 20  # of a lesson
MAX_NAME_LENGTH = 255  # code points


def add_download(*, lesson: Lesson, by: User, file: CourseFile, name: str = "", now: datetime) -> LessonDownload:
    """Offer a file of the course in a lesson, behind the others. Idempotent; a new name replaces the old one.

    :raises OutlineFull: the lesson has the maximum number of downloads.
    :raises NotFound: the file is of another course, or the lesson was deleted.
    :raises CourseUnderReview: the course is under review.
    """
    with transaction.atomic():
        course = _lock(lesson, by)
        if file.course_id != course.pk:
            raise NotFound
        name = tidy_name(name)[:MAX_NAME_LENGTH]
        known = lesson.downloads.filter(file=file).first()
        if known is not None:
            known.name = name or known.name
            known.save(update_fields=["name"])
            return known
        count = lesson.downloads.count()
        if count >= MAX_DOWNLOADS:
            raise OutlineFull(limit=MAX_DOWNLOADS)
        added = LessonDownload.objects.create(lesson=lesson, file=file, name=name or file.name, position=count + 1)
        _finish(lesson, course, by, now)
    return added


def upload_download(*, lesson: Lesson, by: User, file: File[bytes], name: str = "", now: datetime) -> LessonDownload:
    """Store a file posted by a form in the course, and offer it in a lesson.

    :raises AppError: as ``add_download`` and ``upload_course_file``.
    """
    filename = getattr(file, "name", "") or ""
    if lesson.downloads.count() >= MAX_DOWNLOADS:
        raise OutlineFull(limit=MAX_DOWNLOADS)
    # Not in one transaction: taking it back would lose the row of the file, and leave its bytes in storage.
    added = upload_course_file(course=lesson.course, by=by, file=file, name=filename, now=now)
    return add_download(lesson=lesson, by=by, file=added, name=name, now=now)


def move_download(*, download: LessonDownload, by: User, position: int) -> None:
    """Put a download at this position of its lesson (1 is first)."""
    with transaction.atomic():
        _lock(download.lesson, by)
        rows = download.lesson.downloads.all()
        arrange(rows, moved(list(rows.order_by("position").values_list("pk", flat=True)), download.pk, position))


def remove_download(*, download: LessonDownload, by: User, now: datetime) -> None:
    """Take a file out of a lesson's downloads. It stays among the files of the course while something uses it."""
    with transaction.atomic():
        lesson = download.lesson
        course = _lock(lesson, by)
        lesson.downloads.filter(pk=download.pk).delete()
        rows = lesson.downloads.all()
        arrange(rows, list(rows.order_by("position").values_list("pk", flat=True)))
        _finish(lesson, course, by, now)


def _lock(lesson: Lesson, by: User) -> Course:
    """
    :raises NotFound: the lesson was deleted.
    """
    course = lock_course(lesson.course, by)
    if not course.lessons.filter(pk=lesson.pk).exists():
        raise NotFound
    return course


def _finish(lesson: Lesson, course: Course, by: User, now: datetime) -> None:
    record_uses(course=course, by=by, lesson=lesson, now=now)
    refresh_outline(course, now=now)
