"""The filters of the catalog page: read them from the URL, and prepare those that the template shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.models import Course
from apps.courses.queries.facets import AVAILABILITIES, LENGTHS, OPEN, SORTS, Criteria, Facets
from apps.learning.queries.course_marks import CourseMarks

SUBJECTS_SHOWN = 8
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
    """One checkbox of a filter group. ``count``: how many courses it leads to."""

    value: str
    label: Label
    count: int
    is_on: bool


@dataclass(frozen=True)
class FilterGroup:
    """A group of checkboxes: its parameter in the URL, its title, its choices."""

    name: str
    title: Label
    choices: list[Choice]
    folded: int = 0
    """How many of the last choices are hidden behind "Show more"."""


@dataclass(frozen=True)
class Link:
    """An active filter or a tab."""

    label: Label
    href: str
    count: int | None = None
    is_current: bool = False


def criteria_of(query: QueryDict) -> Criteria:
    """The search criteria in the URL. Unknown values are ignored."""

    def among(name: str, known: Iterable[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(known)

    sort = query.get("sort", "")
    return Criteria(
        text=" ".join(query.get("q", "").replace("\x00", "").split())[:200],
        # Any category or language may exist in the data; one that no course has finds nothing.
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


def catalogue_url(query: QueryDict, **changes: str | None) -> str:
    """The URL of this page with other parameters; None removes one. Leads to page 1 unless ``page`` is given."""
    changed = query.copy()
    if "page" not in changes:
        changed.pop("page", None)
    for name, value in changes.items():
        changed.pop(name, None)
        if value:
            changed[name] = value
    text = changed.urlencode()
    return f"/courses/?{text}" if text else "/courses/"


def _url_without(query: QueryDict, name: str, value: str) -> str:
    changed = query.copy()
    changed.pop("page", None)
    changed.setlist(name, [other for other in query.getlist(name) if other != value])
    text = changed.urlencode()
    return f"/courses/?{text}" if text else "/courses/"


def filter_groups(facets: Facets, criteria: Criteria) -> list[FilterGroup]:
    """The groups of filters beside the results, with the number of courses for each choice.

    Omits choices without courses, unless they are selected, and groups with fewer than two choices.
    """
    chosen = criteria.choices

    def choices_of(name: str, labels: dict[str, Any]) -> list[Choice]:
        choices = [Choice(v, label, facets.of(name, v), v in chosen[name]) for v, label in labels.items()]
        return [choice for choice in choices if choice.count or choice.is_on]

    subjects = choices_of("category", facets.subjects)
    # Selected categories come first, so that none is hidden behind "Show more".
    subjects.sort(key=lambda choice: not choice.is_on)
    languages = {code: LANGUAGES.get(code, code) for code in sorted(facets.counts["language"])}
    columns = [
        FilterGroup("category", _("Category"), subjects, max(0, len(subjects) - SUBJECTS_SHOWN)),
        FilterGroup("difficulty", _("Difficulty"), choices_of("difficulty", dict(Course.Difficulty.choices))),
        FilterGroup("price", _("Price"), choices_of("price", PRICES)),
        FilterGroup("length", _("Length"), choices_of("length", {k: v[0] for k, v in LENGTHS.items()})),
        FilterGroup(
            "availability",
            _("Availability"),
            choices_of("availability", {k: v[0] for k, v in AVAILABILITIES.items()}),
        ),
    ]
    columns.insert(4, FilterGroup("language", _("Language"), choices_of("language", languages)))
    return [
        column
        for column in columns
        if is_filtered(criteria, column.name) or sum(1 for choice in column.choices if choice.count) > 1
    ]


def is_filtered(criteria: Criteria, facet: str) -> bool:
    """Whether the visitor selected something in this group. Open courses are the default, not a selection."""
    chosen = criteria.choices[facet]
    return bool(chosen) and not (facet == "availability" and chosen == OPEN)


def active_filters(query: QueryDict, columns: list[FilterGroup], criteria: Criteria, teacher: str) -> list[Link]:
    """The active filters, each with a link that removes it."""
    chips = [
        Link(choice.label, _url_without(query, column.name, choice.value))
        for column in columns
        if is_filtered(criteria, column.name)
        for choice in column.choices
        if choice.is_on
    ]
    if criteria.teacher:
        chips.append(Link(teacher or criteria.teacher, catalogue_url(query, instructor=None)))
    return chips


def personal_tabs(query: QueryDict, course_marks: CourseMarks, current: str, everything: int) -> list[Link]:
    """The tabs of a signed-in user: all courses (``everything`` of them), and those the user has."""
    counts = {name: len(course_marks.of(name)) for name in TABS if name != "all"} | {"all": everything}
    return [
        Link(label, catalogue_url(query, filter=None if name == "all" else name), counts[name], name == current)
        for name, label in TABS.items()
    ]
