"""Completed lessons: a learner's counts, milestones and certificate in one course."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import (
    BigIntegerField,
    Count,
    F,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from apps.courses.models import Course, Lesson
from apps.learning.events import LessonCompleted, MilestoneReached
from apps.learning.models import Certificate, Enrollment, LessonProgress
from apps.learning.services import learned_days
from apps.learning.services.certificates import issue_certificate
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery, PreparedUpdate
from studyplatform.kit.events import publish

MILESTONES = (25, 50, 75, 100)
NEWEST = 2_000_000_000  # above every number of a version

_PK = Param("pk", BigIntegerField())
_COMPLETE = PreparedUpdate(
    lambda: LessonProgress.objects.filter(pk=_PK, completed_at=None),
    *("completed_at", "updated_at"),
    revision=F("revision") + 1,
)


_LOCKED = PreparedQuery(lambda: Enrollment.objects.select_for_update().filter(pk=_PK))


def _count(rows: QuerySet[Any]) -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values(one=Value(1)).annotate(n=Count("*")).values("n")), 0)


def _required_version() -> Coalesce:
    """The version whose lessons count for the enrollment: for most the newest, whatever its number."""
    return Coalesce(OuterRef("required_version"), Value(NEWEST))


_COUNTS = PreparedQuery(
    lambda: (
        Enrollment.objects.only("pk")
        .filter(pk=_PK)
        .annotate(
            total=_count(
                Lesson.objects.filter(
                    course=OuterRef("course"), is_optional=False, since_version__lte=_required_version()
                )
            ),
            done=_count(
                LessonProgress.objects.filter(
                    enrollment=OuterRef("pk"),
                    lesson__course=OuterRef("course"),
                    lesson__is_optional=False,
                    lesson__since_version__lte=_required_version(),
                    lesson__removed_at=None,
                    completed_at__isnull=False,
                )
            ),
        )
    )
)


_SAVE_COUNTS = PreparedUpdate(
    lambda: Enrollment.objects.filter(pk=_PK),
    *("completed_lessons", "own_required_count", "percent", "milestone", "completed_at", "last_lesson"),
    "last_activity_at",
)


@dataclass(frozen=True, kw_only=True)
class Saved:
    """The state after a save, with the certificate and the milestone (in percent) that this save produced."""

    progress: LessonProgress
    enrollment: Enrollment
    newly_completed: bool = False
    certificate: Certificate | None = None
    milestone: int | None = None


def finish(
    progress: LessonProgress,
    *,
    zone: str,
    now: datetime,
    at: datetime | None = None,
    seconds: int = 0,
    by_learner: bool = True,
    completed_at: datetime | None = None,
) -> Saved:
    """Complete the lesson and publish it. Idempotent: of two simultaneous requests only one publishes.

    The lesson, and the ``seconds`` spent on it, count on the day of ``at`` (by default now) in the learner's ``zone``.
    If it isn't ``by_learner``, who may be somewhere else, the course still resumes where they were. ``completed_at``:
    when it was completed, if that was before now.
    """
    enrollment = progress.enrollment
    before = enrollment.milestone
    if progress.completed_at is not None:
        return Saved(progress=progress, enrollment=enrollment)
    with transaction.atomic(savepoint=False):
        won = _COMPLETE(pk=progress.pk, completed_at=completed_at or now, updated_at=now)
        progress.completed_at = completed_at or now
        if not won:
            return Saved(progress=progress, enrollment=enrollment)
        learned_days.record(user_id=enrollment.user_id, zone=zone, now=now, at=at, seconds=seconds, lessons=1)
        publish(LessonCompleted(enrollment_id=enrollment.pk, user_id=enrollment.user_id, lesson_id=progress.lesson_id))
        last_lesson = progress.lesson_id if by_learner and not progress.lesson.is_removed else None
        enrollment, certificate = recount(enrollment_id=enrollment.pk, now=now, last_lesson_id=last_lesson)
    milestone = enrollment.milestone if enrollment.milestone > before else None
    return Saved(
        progress=progress, enrollment=enrollment, newly_completed=True, certificate=certificate, milestone=milestone
    )


def recount(
    *, enrollment_id: int, now: datetime, last_lesson_id: int | None = None
) -> tuple[Enrollment, Certificate | None]:
    """Recount an enrollment's completed lessons, publish milestones, and at 100 % issue the certificate.

    Optional lessons don't count, nor do removed ones, nor what came after the version that the learner completes.

    An issued certificate stays valid when lessons are added to the course later.
    """
    with transaction.atomic(savepoint=False):
        # Lock first, then count: of two lessons completed at the same moment the second request counts both.
        [enrollment] = _LOCKED(pk=enrollment_id)
        [counted] = _COUNTS(pk=enrollment_id)
        total, done = counted.total, counted.done  # type: ignore[attr-defined]  # annotated
        enrollment.completed_lessons = done
        enrollment.own_required_count = total if enrollment.required_version is not None else None
        enrollment.percent = done * 100 // total if total else 0
        passed = [mark for mark in MILESTONES if enrollment.milestone < mark <= enrollment.percent]
        if passed:
            enrollment.milestone = passed[-1]
        certificate = None
        if enrollment.percent == 100 and enrollment.completed_at is None:
            enrollment.completed_at = now
            certificate = issue_certificate(enrollment=enrollment, now=now)
        if last_lesson_id is not None:
            enrollment.last_lesson_id = last_lesson_id
            enrollment.last_activity_at = now
        _SAVE_COUNTS(
            pk=enrollment.pk,
            completed_lessons=enrollment.completed_lessons,
            own_required_count=enrollment.own_required_count,
            percent=enrollment.percent,
            milestone=enrollment.milestone,
            completed_at=enrollment.completed_at,
            last_lesson=enrollment.last_lesson_id,
            last_activity_at=enrollment.last_activity_at,
        )
        for percent in passed:
            publish(
                MilestoneReached(
                    enrollment_id=enrollment.pk,
                    user_id=enrollment.user_id,
                    course_id=enrollment.course_id,
                    percent=percent,
                )
            )
    return enrollment, certificate


def recount_course(*, course: Course, now: datetime, extend_lease: Callable[[], None] = lambda: None) -> int:
    """Recount all enrollments of a course after its outline has changed; return how many.

    ``extend_lease`` is called before each enrollment so that a job can extend its lease.
    """
    enrollments = list(Enrollment.objects.active().filter(course=course).values_list("pk", flat=True))
    for pk in enrollments:
        extend_lease()
        recount(enrollment_id=pk, now=now)
    return len(enrollments)
