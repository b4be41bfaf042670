"""The catalogue: what one may ask of it, how much answers each choice, and the rows of a page."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple, TypeVar

from django.db.models import Case, Count, F, Q, QuerySet, Sum, Value, When
from django.utils.translation import gettext_lazy as _

from apps.courses.models import EVEN_RATING, Availability, Course, availability_of
from apps.courses.search import search
from apps.courses.spelling import corrections
from studyplatform.kit.caching.versioned import Memo

T = TypeVar("T")

HOUR = 3600
PAGE_SIZE = 24
MOST_TAKEN = 3

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
"""What is shown until somebody asks for courses that are no longer available."""

SORTS: dict[str, tuple[Any, list[Any]]] = {
    "relevance": (_("Most relevant"), ["-learner_count", "pk"]),
    "rating": (_("Highest rated"), [EVEN_RATING.desc(), "pk"]),
    "newest": (_("Newest"), ["-published_at", "pk"]),
    "shortest": (_("Shortest"), ["duration", "pk"]),
}


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What somebody asks of the catalogue. Empty sets mean: any."""

    text: str = ""
    subjects: frozenset[str] = frozenset()
    difficulties: frozenset[str] = frozenset()
    prices: frozenset[str] = frozenset()
    lengths: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    availabilities: frozenset[str] = OPEN
    teacher: str = ""
    """The username of the instructor whose courses are asked for; "" for all."""
    sort: str = "relevance"
    page: int = 1

    @property
    def choices(self) -> dict[str, frozenset[str]]:
        """The sets by the name of their facet."""
        return {
            "category": self.subjects,
            "difficulty": self.difficulties,
            "price": self.prices,
            "length": self.lengths,
            "language": self.languages,
            "availability": self.availabilities,
        }


class Group(NamedTuple):
    """How many courses share these six values."""

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
    """For each choice of each facet, how many courses it would show beside the other facets' choices."""

    counts: dict[str, Counter[str]]
    total: int
    subjects: dict[str, str] = field(default_factory=dict)
    """The names of all subjects with courses, by slug, in their order."""

    def of(self, facet: str, choice: str) -> int:
        return self.counts[facet][choice]


class Card(NamedTuple):
    """A course as a list shows it."""

    pk: int
    slug: str
    title: str
    subject: str
    subject_name: str
    instructor: str
    status: str
    difficulty: str
    pricing: str
    price: int
    currency: str
    lesson_count: int
    duration: int
    rating_count: int
    rating_sum: int
    plate: str

    @property
    def rating(self) -> float:
        return self.rating_sum / self.rating_count if self.rating_count else 0.0

    def availability_for(self, *, is_enrolled: bool) -> Availability:
        """What a learner with or without a seat is told of its status."""
        return availability_of(self.status, is_enrolled=is_enrolled)


_CARD_FIELDS = (
    "pk",
    "slug",
    "title",
    "subject__slug",
    "subject__name",
    "instructor__first_name",
    "instructor__last_name",
    "instructor__username",
    "status",
    "difficulty",
    "pricing",
    "price",
    "currency",
    "lesson_count",
    "duration",
    "rating_count",
    "rating_sum",
    "plate",
)


def _card(
    pk: int, slug: str, title: str, subject: str, name: str, first: str, last: str, user: str, *rest: Any
) -> Card:
    return Card(pk, slug, title, subject, name, name_of(first, last, user), *rest)


def name_of(first: str, last: str, user: str) -> str:
    """A person's full name, else the username."""
    return f"{first} {last}".strip() or user


def cards(courses: QuerySet[Course]) -> list[Card]:
    """These courses as cards, in their order. One query."""
    return [_card(*row) for row in courses.values_list(*_CARD_FIELDS)]


def _named(choices: dict[str, tuple[Any, Q]], default: str) -> Case:
    return Case(
        *(When(condition, then=Value(name)) for name, (_label, condition) in choices.items()), default=Value(default)
    )


def groups(courses: QuerySet[Course]) -> tuple[list[Group], dict[str, str]]:
    """The courses counted by all facets at once, and the names of their subjects. One query."""
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


def count_choices(found: Iterable[Group], subjects: dict[str, str], wish: Wish) -> Facets:
    """Each choice counted beside the choices of the other facets."""
    counts: dict[str, Counter[str]] = {facet: Counter() for facet in Group._fields[:6]}
    chosen = [wish.choices[facet] for facet in Group._fields[:6]]
    total = 0
    for group in found:
        refused = [facet for facet in range(6) if chosen[facet] and group[facet] not in chosen[facet]]
        if len(refused) > 1:
            continue
        # A group that one facet alone refuses is what that facet's other choices would add.
        for facet in refused or range(6):
            counts[Group._fields[facet]][str(group[facet])] += group.courses
        if not refused:
            total += group.courses
    return Facets(counts, total, subjects)


_public: Memo[Any] = Memo("catalogue")
"""What everybody sees of the catalogue."""


def listed_groups() -> tuple[list[Group], dict[str, str]]:
    """The whole public catalogue, counted. One query, none while it is remembered."""
    found: tuple[list[Group], dict[str, str]] = _public.get("groups", lambda: groups(Course.objects.listed()))
    return found


@dataclass(frozen=True)
class Offer:
    """The public catalogue in numbers, as it is shown until somebody chooses: what is open and what is announced.

    ``usual_lesson`` in seconds, 0 without lessons.
    """

    courses: int
    free: int
    usual_lesson: float
    by_subject: dict[str, int]
    """Courses by the slug of their subject, for subjects with courses, in the subjects' order."""


def offer() -> Offer:
    """Every number of courses that a page names comes from here or from ``Facets``, which count the same groups.

    One query, none while the groups are remembered.
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
        usual_lesson=sum(group.seconds for group in shown) / lessons if lessons else 0,
        by_subject={slug: count for slug, count in by_subject.items() if count},
    )


def remembered(key: Hashable, make: Callable[[], T]) -> T:
    """Something public about courses, remembered for a minute or until a course comes, goes or changes."""
    value: T = _public.get(key, make)
    return value


def most_taken() -> list[Card]:
    """The few courses that most people take now. One query, none while they are remembered."""
    published = Course.objects.published().order_by("-learner_count", "pk")
    return remembered("most taken", lambda: cards(published[:MOST_TAKEN]))


def narrowed(courses: QuerySet[Course], wish: Wish) -> QuerySet[Course]:
    """Those of the courses that the wish asks for, in its order."""
    if wish.text:
        courses = search(courses, wish.text)
    for name, values in (
        ("subject__slug", wish.subjects),
        ("difficulty", wish.difficulties),
        ("pricing", wish.prices),
        ("language", wish.languages),
    ):
        if values:
            courses = courses.filter(**{f"{name}__in": values})
    for choices, names in ((LENGTHS, wish.lengths), (AVAILABILITIES, wish.availabilities)):
        if names and len(names) < len(choices):
            courses = courses.filter(_any(choices[name][1] for name in names))
    if wish.sort == "relevance" and wish.text:
        return courses.order_by(F("rank").desc(), "-learner_count", "pk")
    return courses.order_by(*SORTS[wish.sort][1])


def _any(conditions: Iterable[Q]) -> Q:
    either = Q()
    for condition in conditions:
        either |= condition
    return either


@dataclass(frozen=True)
class Page:
    """One page of the catalogue."""

    cards: list[Card]
    facets: Facets
    number: int
    pages: int
    instead: str = ""
    """What was searched, where nothing was found for the text as it was typed."""
    teacher: str = ""
    """The name of the instructor whose courses were asked for."""
    stamp: int = field(default_factory=count().__next__)
    """What is rendered from this page is kept under its stamp, which no other page has."""

    @property
    def total(self) -> int:
        return self.facets.total

    @property
    def has_choices(self) -> bool:
        """Whether other filters would show anything."""
        return any(map(len, self.facets.counts.values()))


def _counted(courses: QuerySet[Course], text: str) -> tuple[list[Group], dict[str, str], str]:
    """The groups of what is found for the text, the names of their subjects, and the text that was searched instead.

    One query where something is found. Nothing found: one more for each word, and one for each of a few corrections.
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


def _find(wish: Wish, among: Collection[int] | None) -> Page:
    courses = Course.objects.listed() if among is None else Course.objects.filter(pk__in=among)
    teacher = ""
    if wish.teacher:
        courses = courses.filter(instructor__username=wish.teacher)
        names = courses.values_list("instructor__first_name", "instructor__last_name", "instructor__username")
        teacher = next((name_of(*one) for one in names[:1]), "")
    if among is None and not wish.text and not wish.teacher:
        found, subjects = listed_groups()
        instead = ""
    else:
        found, own, instead = _counted(courses, wish.text)
        # A chosen subject keeps its name where nothing is found in it.
        subjects = {**listed_groups()[1], **own}
    facets = count_choices(found, subjects, wish)
    pages = max(1, -(-facets.total // PAGE_SIZE))
    number = min(wish.page, pages)
    start = (number - 1) * PAGE_SIZE
    searched = replace(wish, text=instead) if instead else wish
    shown = cards(narrowed(courses, searched)[start : start + PAGE_SIZE]) if facets.total else []
    return Page(shown, facets, number, pages, instead, teacher)


def page_of(wish: Wish, *, among: Collection[int] | None = None) -> Page:
    """The page that the wish asks for: at most three queries, none while it is remembered.

    ``among`` are the courses of a person's own list, which are shown whatever their status.
    """
    return remembered(wish, lambda: _find(wish, None)) if among is None else _find(wish, among)
