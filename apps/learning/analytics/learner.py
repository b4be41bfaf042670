"""One learner in the courses that somebody reads: where they stand, their attempts and their weeks.

Nothing of other courses is ever read: everything begins with the learner's enrollments in the courses of the scope.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.lists import rollup_of
from apps.learning.models import Attempt, Enrollment, EnrollmentRollup, LessonProgress, StaffNote, WatchedDay
from apps.learning.outline import Entry
from apps.learning.queries.outline import outlines_of
from studyplatform.kit.errors import NotFound

LEFT_SHOWN_FOR = timedelta(days=30)
"""Since a learner left a course: so long its staff reads their page, to finish what is open."""
WEEKS_SHOWN = 12
MANY_ATTEMPTS = 3
"""Submitted attempts at one quiz from which the strip of lessons shows that it was hard."""
MAX_ATTEMPTS_READ = 500
_JSON_OF_ATTEMPTS = ("asked", "answers", "results")


@dataclass(frozen=True)
class LessonState:
    """A lesson of the present outline, as the learner stands in it."""

    entry: Entry
    is_begun: bool
    is_completed: bool
    is_here: bool
    """It is where they learned last."""
    attempts: int
    """Submitted ones, of a quiz."""

    @property
    def is_hard(self) -> bool:
        return self.attempts >= MANY_ATTEMPTS


@dataclass(frozen=True)
class CourseStanding:
    """How the learner stands in one course."""

    enrollment: Enrollment
    rollup: EnrollmentRollup | None
    lessons: tuple[LessonState, ...]

    @property
    def course(self) -> Course:
        return self.enrollment.course

    @property
    def left_at(self) -> datetime | None:
        return self.enrollment.revoked_at

    @property
    def shown_until(self) -> datetime | None:
        """When the page of somebody who left is gone."""
        return self.left_at + LEFT_SHOWN_FOR if self.left_at is not None else None


@dataclass(frozen=True)
class Week:
    """The time that a learner spent in the courses in a week of UTC days."""

    monday: date
    seconds: int


def find_enrollments(scope: Scope, uid: UUID, now: datetime) -> list[Enrollment]:
    """Return the learner's enrollments in the courses of the scope, by title, those that ended last. One query.

    :raises NotFound: the learner has none there, or the account is deleted.
    """
    rows = Enrollment.objects.filter(user__uid=uid, user__deleted_at=None, course__in=scope.pks)
    rows = rows.filter(Q(revoked_at=None) | Q(revoked_at__gte=now - LEFT_SHOWN_FOR))
    rows = rows.select_related("user", "course", "rollup__risk_lesson", "last_lesson")
    rows = rows.defer("course__description", "course__outcomes", "last_lesson__body", "rollup__risk_lesson__body")
    found: dict[int, Enrollment] = {}
    for row in rows.order_by(F("revoked_at").desc(nulls_first=True), "course__title", "pk"):
        found.setdefault(row.course_id, row)
    if not found:
        raise NotFound
    return list(found.values())


def standings_of(enrollments: Sequence[Enrollment], attempts: Collection[Attempt]) -> list[CourseStanding]:
    """Return how the learner stands in each of the courses. Three queries, one if the outlines are cached."""
    outlines = outlines_of(one.course for one in enrollments)
    progress = LessonProgress.objects.filter(enrollment__in=enrollments)
    begun = {
        (enrollment, lesson): completed_at is not None
        for enrollment, lesson, completed_at in progress.values_list("enrollment", "lesson", "completed_at")
    }
    tried = Counter((one.enrollment_id, one.quiz.lesson_id) for one in attempts if one.submitted_at is not None)
    found = []
    for one in enrollments:
        entries = [entry for part in outlines[one.course_id].parts for entry in part.entries]
        lessons = tuple(
            LessonState(
                entry=entry,
                is_begun=(one.pk, entry.pk) in begun,
                is_completed=begun.get((one.pk, entry.pk), False),
                is_here=entry.pk == one.last_lesson_id and one.completed_at is None,
                attempts=tried[one.pk, entry.pk],
            )
            for entry in entries
        )
        found.append(CourseStanding(one, rollup_of(one), lessons))
    return found


def attempts_of(enrollments: Collection[Enrollment]) -> list[Attempt]:
    """Return the learner's attempts, the latest first, without what they contain. One query."""
    rows = Attempt.objects.filter(enrollment__in=enrollments).select_related("quiz__lesson")
    rows = rows.defer(*_JSON_OF_ATTEMPTS, "quiz__intro", "quiz__lesson__body")
    return list(rows.order_by("-started_at", "-pk")[:MAX_ATTEMPTS_READ])


def find_attempt(enrollments: Collection[Enrollment], uid: UUID) -> Attempt:
    """Return a submitted attempt with its answers. One query.

    :raises NotFound: none of these enrollments has it, or it is still open.
    """
    rows = Attempt.objects.filter(enrollment__in=enrollments, uid=uid).exclude(submitted_at=None)
    found = rows.select_related("quiz__lesson__course", "enrollment__course").first()
    if found is None:
        raise NotFound
    return found


def weeks_of(learner: User, courses: Collection[int], today: date) -> list[Week]:
    """Return the learner's last `WEEKS_SHOWN` weeks in courses by primary key, the oldest first. One query.

    :param today: the day in UTC.
    """
    last = today - timedelta(days=today.weekday())
    mondays = [last - timedelta(weeks=back) for back in reversed(range(WEEKS_SHOWN))]
    seconds = dict.fromkeys(mondays, 0)
    for day, watched, other in _days_since(learner, courses, mondays[0]).values_list("day", "seconds", "other_seconds"):
        seconds[min(day - timedelta(days=day.weekday()), last)] += watched + other
    return [Week(monday, time) for monday, time in seconds.items()]


def staff_notes_about(learner: User, courses: Collection[int]) -> QuerySet[StaffNote]:
    """Return the notes about a learner in the courses that the reader teaches, by primary key, the latest first."""
    rows = StaffNote.objects.filter(learner=learner, course__in=courses).select_related("author", "course")
    return rows.defer("course__description", "course__outcomes").order_by("-created_at", "-pk")


def today_of(now: datetime) -> date:
    """Return the day in UTC, by which time is counted."""
    return now.astimezone(UTC).date()


def _days_since(learner: User, courses: Collection[int], first: date) -> QuerySet[WatchedDay]:
    return WatchedDay.objects.filter(user=learner, course__in=courses, day__gte=first)
