"""The catalogue page: reads the address, asks the queries, prepares what the template shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.queries import catalogue
from apps.courses.queries.cards import Card
from apps.courses.queries.catalogue import Page
from apps.courses.queries.facets import AVAILABILITIES, LENGTHS, OPEN, SORTS, Criteria, Facets
from apps.courses.queries.suggestions import suggest
from apps.learning.queries.course_marks import CourseMarks, course_marks_of
from studyplatform.kit.caching.page_cache import cache_for_visitors

SUBJECTS_SHOWN = 8
SUBJECTS_INSTEAD = 3
"""So many categories are offered where nothing is found."""
TABS = {
    "all": gettext_lazy("All"),
    "learning": gettext_lazy("My learning"),
    "in_progress": gettext_lazy("In progress"),
    "completed": gettext_lazy("Completed"),
    "bookmarked": gettext_lazy("Bookmarked"),
}
PRICES = {
    Course.Pricing.FREE.value: Course.Pricing.FREE.label,
    Course.Pricing.ONE_TIME.value: Course.Pricing.ONE_TIME.label,
    Course.Pricing.PREMIUM.value: Course.Pricing.PREMIUM.label,
}
LANGUAGES = {
    "en": gettext_lazy("English"),
    "es": gettext_lazy("Spanish"),
    "de": gettext_lazy("German"),
    "fr": gettext_lazy("French"),
}
Label = str | Promise


@dataclass(frozen=True)
class Choice:
    """One box of a facet."""

    value: str
    label: Label
    count: int
    is_on: bool


@dataclass(frozen=True)
class Facet:
    """A group of boxes: name in the address, title above."""

    name: str
    title: Label
    choices: list[Choice]
    folded: int = 0
    """How many of the last choices stand behind "Show more"."""


@dataclass(frozen=True)
class Link:
    """A chip or a tab."""

    label: Label
    href: str
    count: int | None = None
    is_current: bool = False


def wish_of(query: QueryDict) -> Criteria:
    """What the address asks for; values nobody knows are left out."""

    def among(name: str, known: Iterable[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(known)

    sort = query.get("sort", "")
    return Criteria(
        text=" ".join(query.get("q", "").replace("\x00", "").split())[:200],
        # Subjects and languages are data and not known here; what no course has shows nothing.
        subjects=frozenset(query.getlist("category")[:50]) - {""},
        difficulties=among("difficulty", Course.Difficulty.values),
        prices=among("price", PRICES),
        lengths=among("length", LENGTHS),
        languages=frozenset(query.getlist("language")[:20]) - {""},
        availabilities=among("availability", AVAILABILITIES) or OPEN,
        teacher=query.get("instructor", "").replace("\x00", "")[:150],
        sort=sort if sort in SORTS else "relevance",
        page=_page_number(query.get("page", "")),
    )


def _page_number(text: str) -> int:
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def address(query: QueryDict, **changes: str | None) -> str:
    """This page with other values; None removes one. Changing anything but the page leads to page 1."""
    changed = query.copy()
    if "page" not in changes:
        changed.pop("page", None)
    for name, value in changes.items():
        changed.pop(name, None)
        if value:
            changed[name] = value
    text = changed.urlencode()
    return f"/courses/?{text}" if text else "/courses/"


def _without(query: QueryDict, name: str, value: str) -> str:
    changed = query.copy()
    changed.pop("page", None)
    changed.setlist(name, [kept for kept in query.getlist(name) if kept != value])
    text = changed.urlencode()
    return f"/courses/?{text}" if text else "/courses/"


def facets_of(facets: Facets, criteria: Criteria) -> list[Facet]:
    """The filter column, from what is counted.

    A choice that leads nowhere is left out unless chosen, and so is a facet that leaves nothing to choose.
    """
    chosen = criteria.choices

    def boxes(name: str, labels: dict[str, Any]) -> list[Choice]:
        made = [Choice(v, label, facets.of(name, v), v in chosen[name]) for v, label in labels.items()]
        return [choice for choice in made if choice.count or choice.is_on]

    subjects = boxes("category", facets.subjects)
    # Chosen subjects come first, so that none hides behind "Show more".
    subjects.sort(key=lambda choice: not choice.is_on)
    languages = {code: LANGUAGES.get(code, code) for code in sorted(facets.counts["language"])}
    columns = [
        Facet("category", _("Category"), subjects, max(0, len(subjects) - SUBJECTS_SHOWN)),
        Facet("difficulty", _("Difficulty"), boxes("difficulty", dict(Course.Difficulty.choices))),
        Facet("price", _("Price"), boxes("price", PRICES)),
        Facet("length", _("Length"), boxes("length", {k: v[0] for k, v in LENGTHS.items()})),
        Facet(
            "availability",
            _("Availability"),
            boxes("availability", {k: v[0] for k, v in AVAILABILITIES.items()}),
        ),
    ]
    columns.insert(4, Facet("language", _("Language"), boxes("language", languages)))
    return [
        column
        for column in columns
        if is_asked(criteria, column.name) or sum(1 for choice in column.choices if choice.count) > 1
    ]


def is_asked(criteria: Criteria, facet: str) -> bool:
    """Whether somebody chose something in this facet. What is open is shown without being chosen."""
    chosen = criteria.choices[facet]
    return bool(chosen) and not (facet == "availability" and chosen == OPEN)


def chips_of(query: QueryDict, columns: list[Facet], criteria: Criteria, teacher: str) -> list[Link]:
    """The active filters, each a link that takes it away."""
    chips = [
        Link(choice.label, _without(query, column.name, choice.value))
        for column in columns
        if is_asked(criteria, column.name)
        for choice in column.choices
        if choice.is_on
    ]
    if criteria.teacher:
        chips.append(Link(teacher or criteria.teacher, address(query, instructor=None)))
    return chips


def tabs_of(query: QueryDict, course_marks: CourseMarks, current: str, everything: int) -> list[Link]:
    counts = {name: len(course_marks.of(name)) for name in TABS if name != "all"} | {"all": everything}
    return [
        Link(label, address(query, filter=None if name == "all" else name), counts[name], name == current)
        for name, label in TABS.items()
    ]


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def catalogue_page(request: HttpRequest) -> HttpResponse:
    query = request.GET
    criteria = wish_of(query)
    course_marks = course_marks_of(request.user) if isinstance(request.user, User) else None
    tab = query.get("filter", "all") if course_marks and query.get("filter") in TABS else "all"
    if course_marks and tab != "all":
        # One's own list holds what one has, closed courses too, unless one asks otherwise.
        asked = frozenset(query.getlist("availability")) & frozenset(AVAILABILITIES)
        criteria = Criteria(**{**criteria.__dict__, "availabilities": asked})
        page = catalogue.page_of(criteria, among=course_marks.of(tab))
    else:
        page = catalogue.page_of(criteria)
    context = {
        "asked": request.META.get("QUERY_STRING", ""),
        "criteria": criteria,
        "page": page,
        "shown": Shown(query, criteria, page, tab),
        "tabs": tabs_of(query, course_marks, tab, catalogue.offer().courses) if course_marks else [],
        "tab": tab,
        "course_marks": course_marks,
    }
    return render(request, "courses/catalogue.html", context)


@dataclass(frozen=True)
class Shown:
    """What stands around the cards, the same for everybody who asks the same: worked out only where it is rendered."""

    query: QueryDict
    criteria: Criteria
    page: Page
    tab: str

    @cached_property
    def facets(self) -> list[Facet]:
        return facets_of(self.page.facets, self.criteria)

    @cached_property
    def chips(self) -> list[Link]:
        return chips_of(self.query, self.facets, self.criteria, self.page.teacher)

    @cached_property
    def subjects_instead(self) -> list[Link]:
        """The largest categories, for a page on which nothing is found."""
        counts, names = catalogue.offer().by_subject, catalogue.listed_groups()[1]
        largest = sorted(counts, key=lambda slug: -counts[slug])[:SUBJECTS_INSTEAD]
        return [Link(names[slug], address(QueryDict(), category=slug), counts[slug]) for slug in largest]

    @cached_property
    def cards_instead(self) -> list[Card]:
        """The most taken courses, for the same page."""
        return catalogue.most_taken()

    @property
    def clear(self) -> str:
        return address(QueryDict(), q=self.criteria.text, filter=None if self.tab == "all" else self.tab)

    @property
    def without_text(self) -> str:
        return address(self.query, q=None)

    @property
    def sorts(self) -> list[tuple[str, Label, bool]]:
        return [(name, label, name == self.criteria.sort) for name, (label, _order) in SORTS.items()]

    @property
    def subjects(self) -> int:
        """Over how many subjects the results spread."""
        counts = self.page.facets.counts["category"]
        return sum(
            1 for slug, n in counts.items() if n and (not self.criteria.subjects or slug in self.criteria.subjects)
        )

    def page_address(self, number: int) -> str:
        return address(self.query, page=str(number) if number > 1 else None)


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def suggestions(request: HttpRequest) -> HttpResponse:
    """The options under a search box, for what is typed in it so far."""
    return render(request, "courses/_suggestions.html", {"found": suggest(request.GET.get("q", ""))})
