"""What pages of lessons that are open hear: of a version that was published meanwhile, and of exceptions."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from apps.accounts.models import User
from apps.courses.errors import LectureUnavailable
from apps.courses.models import CourseVersion, Lesson
from apps.learning.models import Enrollment


@dataclass(frozen=True)
class WatchedLesson:
    """What the socket of a lesson's page follows, by primary keys."""

    lesson_id: int
    course_id: int
    enrollment_id: int
    is_quiz: bool


def watched_lesson(user: User, lesson: UUID) -> WatchedLesson:
    """Return what an enrolled learner follows on the page of a lesson, also of a removed one. One query.

    :raises LectureUnavailable: there is none, or the user isn't enrolled.
    """
    mine = Enrollment.objects.active().of(user.pk).filter(course__lessons__uid=lesson)
    found = mine.values_list("course__lessons__pk", "course_id", "pk", "course__lessons__kind").first()
    if found is None:
        raise LectureUnavailable
    lesson_id, course_id, enrollment_id, kind = found
    return WatchedLesson(lesson_id, course_id, enrollment_id, kind == Lesson.Kind.QUIZ)


def newest_exceptions(enrollments: Collection[int]) -> dict[int, datetime]:
    """Return when an exception was granted to these learners or ended last, if ever. One query."""
    rows = Enrollment.objects.filter(pk__in=enrollments, exceptions_at__isnull=False)
    return {pk: moment for pk, moment in rows.values_list("pk", "exceptions_at") if moment}


def newest_versions(courses: Collection[int]) -> dict[int, datetime]:
    """Return when the newest version of each course was published, corrections left out. One query."""
    versions = CourseVersion.objects.filter(course__in=courses, correction=0).order_by()
    return dict(versions.values_list("course").annotate(Max("published_at")))


def describe_versions(courses: Collection[int], lessons: Collection[int]) -> tuple[dict[int, str], set[int]]:
    """Return what the authors say of the newest version of each course, and which lessons are removed. Two queries."""
    versions = CourseVersion.objects.filter(course__in=courses, correction=0).order_by("published_at")
    removed = Lesson.with_removed.filter(pk__in=lessons, removed_at__isnull=False)
    return dict(versions.values_list("course", "note")), set(removed.values_list("pk", flat=True))
