"""The catalog: filtered and sorted courses, as pages of cards."""

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.queries.cards import Card, cards, name_of
from apps.courses.queries.facets import (
    AVAILABILITIES,
    LENGTHS,
    OPEN,
    SORTS,
    Criteria,
    Facets,
    Group,
    count_choices,
    groups,
)
from apps.courses.queries.people import shown_co_instructors
from apps.courses.search import search
from apps.courses.spelling import corrections
from studyplatform.kit.caching.versioned import Stamped, VersionedCache

T = TypeVar("T")

PAGE_SIZE = 24
MOST_TAKEN = 3


_public: VersionedCache[Any] = VersionedCache("catalogue")
"""The cached values of the catalog that are the same for every user."""


def listed_groups() -> tuple[list[Group], dict[str, str]]:
    """Return the counts of the whole public catalog by facet values. One query, none if cached."""
    found: tuple[list[Group], dict[str, str]] = _public.get("groups", lambda: groups(Course.objects.listed()))
    return found


@dataclass(frozen=True)
class Offer:
    """Figures of the catalog as it is shown by default: open and announced courses; of Premium the open ones only.

    ``usual_lesson`` is the mean length of a lesson in seconds, 0 without lessons.
    """

    courses: int
    free: int
    premium: int
    usual_lesson: float
    by_subject: dict[str, int]
    """The number of courses by category slug, for categories with courses, in their order."""


def offer() -> Offer:
    """Return the figures of the catalog. Pages take every number of courses from here or from ``Facets``.

    Both count the same groups. One query, none if the groups are cached.
    """
    found, names = listed_groups()
    shown = [group for group in found if group.availability in OPEN]
    lessons = sum(group.lessons for group in shown)
    by_subject = dict.fromkeys(names, 0)
    for group in shown:
        by_subject[group.category] += group.courses
    return Offer(
        courses=sum(group.courses for group in shown),
        free=sum(group.courses for group in shown if group.price == Course.Pricing.FREE),
        premium=sum(
            group.courses for group in shown if group.price == Course.Pricing.PREMIUM and group.availability == "now"
        ),
        usual_lesson=sum(group.seconds for group in shown) / lessons if lessons else 0,
        by_subject={slug: count for slug, count in by_subject.items() if count},
    )


def cached(key: Hashable, make: Callable[[], T]) -> T:
    """Return a public value about courses, cached for a minute or until a course is added, removed or changed."""
    value: T = _public.get(key, make)
    return value


def most_taken() -> list[Card]:
    """Return the published courses with the most learners. One query, none if cached."""
    published = Course.objects.published().order_by("-learner_count", "pk")
    return cached("most taken", lambda: cards(published[:MOST_TAKEN]))


def narrowed(courses: QuerySet[Course], criteria: Criteria) -> QuerySet[Course]:
    """Return the courses that match the criteria, in the requested order."""
    if criteria.text:
        courses = search(courses, criteria.text)
    for name, values in (
        ("subject__slug", criteria.subjects),
        ("difficulty", criteria.difficulties),
        ("pricing", criteria.prices),
        ("language", criteria.languages),
    ):
        if values:
            courses = courses.filter(**{f"{name}__in": values})
    for choices, names in ((LENGTHS, criteria.lengths), (AVAILABILITIES, criteria.availabilities)):
        if names and len(names) < len(choices):
            courses = courses.filter(_any(choices[name][1] for name in names))
    if criteria.sort == "relevance" and criteria.text:
        return courses.order_by(F("rank").desc(), "-learner_count", "pk")
    return courses.order_by(*SORTS[criteria.sort][1])


def _any(conditions: Iterable[Q]) -> Q:
    either = Q()
    for condition in conditions:
        either |= condition
    return either


@dataclass(frozen=True)
class Page(Stamped):
    """One page of the catalog."""

    cards: list[Card]
    facets: Facets
    number: int
    pages: int
    instead: str = ""
    """The corrected text that was searched, if nothing was found for the typed one."""
    teacher: str = ""
    """The name of the instructor in the criteria."""

    @property
    def total(self) -> int:
        return self.facets.total

    @property
    def has_choices(self) -> bool:
        """Whether any filter would show courses."""
        return any(map(len, self.facets.counts.values()))


def _counted(courses: QuerySet[Course], text: str) -> tuple[list[Group], dict[str, str], str]:
    """Return the groups of the courses found, the names of their categories, and the corrected text if one was used.

    One query if something is found; otherwise one more for each word and each of a few corrections.
    """
    if not text:
        return *groups(courses), ""
    found, subjects = groups(search(courses, text))
    if found:
        return found, subjects, ""
    for meant in corrections(text, lambda word, is_prefix: search(courses, word, is_prefix=is_prefix).exists()):
        found, subjects = groups(search(courses, meant))
        if found:
            return found, subjects, meant
    return [], {}, ""


def _find(criteria: Criteria, among: Collection[int] | None) -> Page:
    courses = Course.objects.listed() if among is None else Course.objects.filter(pk__in=among)
    teacher = ""
    if criteria.teacher:
        joined = shown_co_instructors().filter(user__username=criteria.teacher).values("course")
        courses = courses.filter(Q(instructor__username=criteria.teacher) | Q(pk__in=joined))
        teaching = Exists(courses.filter(Q(instructor=OuterRef("pk")) | Q(co_instructors__user=OuterRef("pk"))))
        people = User.objects.filter(teaching, username=criteria.teacher)
        names = people.values_list("first_name", "last_name", "username")
        teacher = next((name_of(*one) for one in names[:1]), "")
    if among is None and not criteria.text and not criteria.teacher:
        found, subjects = listed_groups()
        instead = ""
    else:
        found, own, instead = _counted(courses, criteria.text)
        # A chosen category needs its name even if nothing is found in it.
        subjects = {**listed_groups()[1], **own}
    facets = count_choices(found, subjects, criteria)
    pages = max(1, -(-facets.total // PAGE_SIZE))
    number = min(criteria.page, pages)
    start = (number - 1) * PAGE_SIZE
    searched = replace(criteria, text=instead) if instead else criteria
    shown = cards(narrowed(courses, searched)[start : start + PAGE_SIZE]) if facets.total else []
    return Page(shown, facets, number, pages, instead, teacher)


def page_of(criteria: Criteria, *, among: Collection[int] | None = None) -> Page:
    """Return the page that matches the criteria. At most three queries, none if cached.

    ``among`` are the primary keys of a user's own courses, which are shown whatever their status.
    """
    return cached(criteria, lambda: _find(criteria, None)) if among is None else _find(criteria, among)
