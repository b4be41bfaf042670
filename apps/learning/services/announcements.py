"""Announcements to the learners of a course."""

from collections.abc import Callable
from datetime import datetime, timedelta

from apps.accounts import services as people
from apps.accounts.models import User
from apps.courses.models import Course, CourseVersion, Lesson
from apps.learning.models import Enrollment
from apps.learning.services.opening_schedules import find_moment, observe_new_lesson

BATCH = 200
WRITING_TIME = timedelta(minutes=30)  # a lesson is created empty: learners are notified once it has content


def announce_lesson(
    *, lesson_id: int, added_at: datetime | None = None, now: datetime, extend_lease: Callable[[], None]
) -> None:
    """Notify everyone enrolled of a new lesson, unless it was deleted or the course isn't published.

    For whom it opens after it was added, they are notified then (``services.openings``). ``added_at`` is by default
    `WRITING_TIME` ago. ``extend_lease`` is called after each batch so that a job can extend its lease.
    """
    lesson = Lesson.objects.select_related("course").filter(pk=lesson_id).first()
    if lesson is None or lesson.course.status != Course.Status.PUBLISHED:
        return
    added_at = added_at or now - WRITING_TIME
    observed = observe_new_lesson(lesson, now=now)
    link = f"/learn/{lesson.course.slug}/{lesson.slug}"
    enrollments = Enrollment.objects.active().filter(course=lesson.course).order_by("pk")
    learners = [
        user
        for user, enrolled_at in enrollments.values_list("user_id", "enrolled_at")
        for opening in [find_moment(observed, enrolled_at)]
        if opening is None or opening <= added_at
    ]
    for start in range(0, len(learners), BATCH):
        users = User.objects.filter(pk__in=learners[start : start + BATCH], is_active=True)
        people.notify_all(
            "learning.new_lesson", users, link, lesson.uid.hex, course=lesson.course.title, lesson=lesson.title
        )
        extend_lease()


def announce_version(*, version_id: int, extend_lease: Callable[[], None]) -> None:
    """Notify everyone enrolled of a version, once, with what its author said of it. Idempotent."""
    version = CourseVersion.objects.select_related("course").defer("tree").filter(pk=version_id).first()
    if version is None or version.course.status != Course.Status.PUBLISHED:
        return
    course, last = version.course, 0
    enrolled = Enrollment.objects.active().filter(course=course).order_by("pk").values_list("pk", "user_id")
    while batch := list(enrolled.filter(pk__gt=last)[:BATCH]):
        last = batch[-1][0]
        users = User.objects.filter(pk__in=[user for _pk, user in batch], is_active=True)
        link = f"/courses/{course.slug}"
        people.notify_all("learning.new_version", users, link, version.uid.hex, course=course.title, note=version.note)
        extend_lease()
