"""The catalog page and the suggestions under its search box."""

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.billing.models import Bundle
from apps.billing.queries.bundles import bundles_named, newest_bundles
from apps.courses.queries import catalogue
from apps.courses.queries.cards import Card
from apps.courses.queries.catalogue import Page
from apps.courses.queries.facets import AVAILABILITIES, SORTS, Criteria
from apps.courses.queries.suggestions import Suggestion, paths_named, suggest
from apps.learning.queries.course_marks import course_marks_of
from studyplatform.kit.caching.page_cache import cache_for_visitors
from studyplatform.kit.extensions import LessonHit, find_in_lessons
from studyplatform.site.public.catalogue_filters import (
    TABS,
    FilterGroup,
    Label,
    Link,
    active_filters,
    catalogue_url,
    criteria_of,
    filter_groups,
    personal_tabs,
)

CATEGORIES_WITHOUT_RESULTS = 3
"""How many categories the page offers if the search finds nothing."""


@dataclass(frozen=True)
class Shown:
    """What the page shows around the cards, computed only when the template renders it.

    It is the same for everyone with the same criteria, except for ``lessons``.
    """

    query: QueryDict
    criteria: Criteria
    page: Page
    tab: str
    user: AnyUser

    @cached_property
    def facets(self) -> list[FilterGroup]:
        return filter_groups(self.page.facets, self.criteria)

    @cached_property
    def chips(self) -> list[Link]:
        return active_filters(self.query, self.facets, self.criteria, self.page.teacher)

    @cached_property
    def subjects_instead(self) -> list[Link]:
        """The largest categories, for a page without results."""
        counts, names = catalogue.offer().by_subject, catalogue.listed_groups()[1]
        largest = sorted(counts, key=lambda slug: -counts[slug])[:CATEGORIES_WITHOUT_RESULTS]
        return [Link(names[slug], catalogue_url(QueryDict(), category=slug), counts[slug]) for slug in largest]

    @cached_property
    def cards_instead(self) -> list[Card]:
        """The most popular courses, for a page without results."""
        return catalogue.most_taken()

    @cached_property
    def paths(self) -> list[Suggestion]:
        """The learning paths that the search text names."""
        return paths_named(self.criteria.text) if self.criteria.text and self.page.number == 1 else []

    @cached_property
    def bundles(self) -> list[Bundle]:
        """The bundles that the search text names; without a search and filters the newest, on the first page."""
        if self.page.number != 1 or self.tab != "all" or (self.chips and not self.criteria.text):
            return []
        newest = catalogue.cached(("bundles",), newest_bundles)
        return bundles_named(self.criteria.text) if newest and self.criteria.text else newest

    @cached_property
    def lessons(self) -> list[LessonHit]:
        """The lessons that contain the search text; on the first page of all courses. Not the same for everyone."""
        is_search = self.criteria.text and self.tab == "all" and self.page.number == 1 and not self.chips
        return find_in_lessons(self.user, self.criteria.text) if is_search else []

    @property
    def clear(self) -> str:
        return catalogue_url(QueryDict(), q=self.criteria.text, filter=None if self.tab == "all" else self.tab)

    @property
    def without_text(self) -> str:
        return catalogue_url(self.query, q=None)

    @property
    def sorts(self) -> list[tuple[str, Label, bool]]:
        return [(name, label, name == self.criteria.sort) for name, (label, _order) in SORTS.items()]

    @property
    def subjects(self) -> int:
        """The number of categories among the results."""
        counts = self.page.facets.counts["category"]
        return sum(
            1 for slug, n in counts.items() if n and (not self.criteria.subjects or slug in self.criteria.subjects)
        )

    def page_address(self, number: int) -> str:
        return catalogue_url(self.query, page=str(number) if number > 1 else None)


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def catalogue_page(request: HttpRequest) -> HttpResponse:
    query = request.GET
    criteria = criteria_of(query)
    course_marks = course_marks_of(request.user) if isinstance(request.user, User) else None
    tab = query.get("filter", "all") if course_marks and query.get("filter") in TABS else "all"
    if course_marks and tab != "all":
        # The user's own courses include closed ones, unless the URL filters by availability.
        availabilities = frozenset(query.getlist("availability")) & frozenset(AVAILABILITIES)
        criteria = Criteria(**{**criteria.__dict__, "availabilities": availabilities})
        page = catalogue.page_of(criteria, among=course_marks.of(tab))
    else:
        page = catalogue.page_of(criteria)
    context = {
        "asked": request.META.get("QUERY_STRING", ""),
        "criteria": criteria,
        "page": page,
        "shown": Shown(query, criteria, page, tab, request.user),
        "tabs": personal_tabs(query, course_marks, tab, catalogue.offer().courses) if course_marks else [],
        "tab": tab,
        "course_marks": course_marks,
    }
    return render(request, "courses/catalogue.html", context)


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def suggestions(request: HttpRequest) -> HttpResponse:
    """The suggestions under a search box for the text typed so far."""
    return render(request, "courses/_suggestions.html", {"found": suggest(request.GET.get("q", ""))})
