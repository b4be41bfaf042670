"""The facets of the catalog: their choices, and how many courses each choice shows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Case, Count, Q, QuerySet, Sum, Value, When
from django.utils.translation import gettext_lazy as _

from apps.courses.models import EVEN_RATING, Availability, Course

HOUR = 3600


LENGTHS = {
    "short": (_("Under 3 hours"), Q(duration__lt=3 * HOUR)),
    "medium": (_("3 to 6 hours"), Q(duration__gte=3 * HOUR, duration__lte=6 * HOUR)),
    "long": (_("Over 6 hours"), Q(duration__gt=6 * HOUR)),
}


AVAILABILITIES = {
    "now": (Availability.NOW.label, Q(status=Course.Status.PUBLISHED)),
    "soon": (Availability.SOON.label, Q(status__in=[Course.Status.DRAFT, Course.Status.REVIEW], is_announced=True)),
    "past": (Availability.PAST.label, Q(status=Course.Status.ARCHIVED)),
}


OPEN = frozenset({"now", "soon"})
"""The availabilities that are shown by default."""


SORTS: dict[str, tuple[Any, list[Any]]] = {
    "relevance": (_("Most relevant"), ["-learner_count", "pk"]),
    "rating": (_("Highest rated"), [EVEN_RATING.desc(), "pk"]),
    "newest": (_("Newest"), ["-published_at", "pk"]),
    "shortest": (_("Shortest"), ["duration", "pk"]),
}


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """The criteria of a catalog page. An empty set means any value."""

    text: str = ""
    subjects: frozenset[str] = frozenset()
    difficulties: frozenset[str] = frozenset()
    prices: frozenset[str] = frozenset()
    lengths: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    availabilities: frozenset[str] = OPEN
    teacher: str = ""
    """The username of an instructor; "" for all."""
    sort: str = "relevance"
    page: int = 1

    @property
    def choices(self) -> dict[str, frozenset[str]]:
        """The chosen values by facet."""
        return {
            "category": self.subjects,
            "difficulty": self.difficulties,
            "price": self.prices,
            "length": self.lengths,
            "language": self.languages,
            "availability": self.availabilities,
        }


class Group(NamedTuple):
    """How many courses share these six facet values, with their total lessons and seconds."""

    category: str
    difficulty: str
    price: str
    length: str
    language: str
    availability: str
    courses: int
    lessons: int
    seconds: int


@dataclass(frozen=True)
class Facets:
    """For each choice of each facet, how many courses it shows together with the choices of the other facets."""

    counts: dict[str, Counter[str]]
    total: int
    subjects: dict[str, str] = field(default_factory=dict)
    """The names of all categories with courses, by slug, in their order."""

    def of(self, facet: str, choice: str) -> int:
        return self.counts[facet][choice]


def _named(choices: dict[str, tuple[Any, Q]], default: str) -> Case:
    return Case(
        *(When(condition, then=Value(name)) for name, (_label, condition) in choices.items()), default=Value(default)
    )


def groups(courses: QuerySet[Course]) -> tuple[list[Group], dict[str, str]]:
    """Return the courses counted by all facets at once, and the names of their categories. One query."""
    rows = (
        courses.order_by()
        .annotate(length=_named(LENGTHS, "long"), availability=_named(AVAILABILITIES, "hidden"))
        .values_list(
            "subject__position",
            "subject__name",
            "subject__slug",
            "difficulty",
            "pricing",
            "length",
            "language",
            "availability",
        )
        .annotate(courses=Count("pk"), lesson_total=Sum("lesson_count"), seconds=Sum("duration"))
    )
    found, subjects = [], set()
    for position, name, *values in rows:
        found.append(Group(*values))
        subjects.add((position, name, values[0]))
    return found, {slug: name for _position, name, slug in sorted(subjects)}


def count_choices(found: Iterable[Group], subjects: dict[str, str], criteria: Criteria) -> Facets:
    """Count the courses of each choice, together with the choices of the other facets."""
    counts: dict[str, Counter[str]] = {facet: Counter() for facet in Group._fields[:6]}
    chosen = [criteria.choices[facet] for facet in Group._fields[:6]]
    total = 0
    for group in found:
        excluded_by = [facet for facet in range(6) if chosen[facet] and group[facet] not in chosen[facet]]
        if len(excluded_by) > 1:
            continue
        # A group that only one facet excludes is what the other choices of that facet would add.
        for facet in excluded_by or range(6):
            counts[Group._fields[facet]][str(group[facet])] += group.courses
        if not excluded_by:
            total += group.courses
    return Facets(counts, total, subjects)
