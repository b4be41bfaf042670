"""Ratings of the courses together, and a row of figures for each course."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q

from apps.billing.queries.earnings import Part
from apps.courses.models import Course
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.lists import learners_in
from apps.learning.models import Rating
from apps.learning.queries.ratings import with_people


@dataclass(frozen=True)
class RatingsTogether:
    """How many ratings of all courses gave each number of stars, and the newest one with a text."""

    counts: Mapping[int, int]
    newest: Rating | None


def ratings_together(scope: Scope) -> RatingsTogether:
    """Return the ratings that everyone sees. Two queries."""
    shown = Rating.objects.filter(course__in=scope.pks).shown()
    counted = shown.order_by().values_list("stars").annotate(Count("pk"))
    newest = with_people(shown.written()).order_by("-created_at", "-pk").first()
    return RatingsTogether(dict(counted), newest)


@dataclass(frozen=True, kw_only=True)
class CourseFigures:
    """A course with its present enrollments, and what the reader earned with it in each of some months."""

    course: Course
    learners: int = 0
    completed: int = 0
    earned: tuple[int, ...] = ()
    """Minor units, the oldest month first."""

    @property
    def completion_rate(self) -> float | None:
        """In percent."""
        return 100 * self.completed / self.learners if self.learners else None


def course_figures(
    scope: Scope, parts: Sequence[Part], months: Sequence[date], *, currency: str
) -> list[CourseFigures]:
    """Return the courses, those with most learners first. One query.

    :param parts: what `apps.billing.queries.earnings.earned_parts` found for the reader.
    """
    present = learners_in(scope.pks).order_by()
    counts = present.values_list("course").annotate(
        learners=Count("pk"), completed=Count("pk", filter=Q(completed_at__isnull=False))
    )
    counted = {course: (learners, completed) for course, learners, completed in counts}
    shares = earned_by_month(parts, currency=currency)
    found = [
        CourseFigures(
            course=course,
            learners=counted.get(course.pk, (0, 0))[0],
            completed=counted.get(course.pk, (0, 0))[1],
            earned=tuple(shares[course.pk, month] for month in months),
        )
        for course in scope.courses
    ]
    return sorted(found, key=lambda row: (-row.learners, row.course.title, row.course.pk))


def earned_by_month(parts: Sequence[Part], *, currency: str) -> Counter[tuple[int | None, date]]:
    """Return the reader's own part in minor units, by course (None: without one) and month."""
    shares: Counter[tuple[int | None, date]] = Counter()
    for part in parts:
        if part.currency == currency:
            shares[part.course, part.month] += part.earned.share
    return shares
