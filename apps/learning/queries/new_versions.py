"""What pages of lessons that are open hear of a version that was published meanwhile."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from apps.accounts.models import User
from apps.courses.errors import LectureUnavailable
from apps.courses.models import CourseVersion, Lesson
from apps.learning.models import Enrollment


def watched_lesson(user: User, lesson: UUID) -> tuple[int, int]:
    """Return the primary keys of a lesson, also a removed one, and of its course, for an enrolled learner. One query.

    :raises LectureUnavailable: there is none, or the user isn't enrolled.
    """
    mine = Enrollment.objects.active().of(user.pk).values("course")
    found = Lesson.with_removed.filter(uid=lesson, course__in=mine).values_list("pk", "course_id").first()
    if found is None:
        raise LectureUnavailable
    return found


def newest_versions(courses: Collection[int]) -> dict[int, datetime]:
    """Return when the newest version of each course was published, corrections left out. One query."""
    versions = CourseVersion.objects.filter(course__in=courses, correction=0).order_by()
    return dict(versions.values_list("course").annotate(Max("published_at")))


def describe_versions(courses: Collection[int], lessons: Collection[int]) -> tuple[dict[int, str], set[int]]:
    """Return what the authors say of the newest version of each course, and which lessons are removed. Two queries."""
    versions = CourseVersion.objects.filter(course__in=courses, correction=0).order_by("published_at")
    removed = Lesson.with_removed.filter(pk__in=lessons, removed_at__isnull=False)
    return dict(versions.values_list("course", "note")), set(removed.values_list("pk", flat=True))
