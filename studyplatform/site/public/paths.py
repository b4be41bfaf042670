"""The learning paths: their list, and the page of one."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.courses import path_policies
from apps.courses.queries.paths import PathPage, path_list, path_page
from apps.learning.queries.course_marks import course_marks_of
from apps.learning.queries.path_progress import path_for, progress_in
from studyplatform.kit.caching.page_cache import cache_for_visitors
from studyplatform.kit.policies import enforce


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def paths(request: HttpRequest) -> HttpResponse:
    """All published paths, by title; for a learner with their progress."""
    shown = path_list(number_of(request))
    marks = course_marks_of(request.user) if isinstance(request.user, User) else None
    context = {
        "page": shown,
        "paths": [
            (one, progress_in([each.pk for each in one.courses], marks) if marks else None) for one in shown.cards
        ],
        "address": lambda number: f"/paths/?page={number}" if number > 1 else "/paths/",
    }
    return render(request, "courses/paths.html", context)


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def path(request: HttpRequest, slug: str) -> HttpResponse:
    """One path: its courses in order, for a learner with what is done, what waits, and what comes next."""
    page = path_page(slug)
    enforce(path_policies.see_path(request.user, page.path))
    manages = path_policies.manage_path(request.user, page.path) is None
    shown = path_for(request.user, page, shows_all=manages and not page.path.is_published)
    context = {
        "page": page,
        "path": page.path,
        "steps": shown.steps,
        "progress": shown.progress,
        "next": shown.next,
        "manages": manages,
        "structured": structured_data(page),
    }
    return render(request, "courses/path.html", context)


def number_of(request: HttpRequest) -> int:
    """Return the page number of the address; 1 if it is none."""
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 1


def structured_data(page: PathPage) -> dict[str, Any]:
    """Return the path as schema.org structured data: a list of courses."""
    courses = [
        {
            "@type": "ListItem",
            "position": number,
            "url": f"{settings.SITE_URL}/courses/{one.card.slug}",
            "name": one.card.title,
        }
        for number, one in enumerate(page.published, start=1)
    ]
    return {
        "@context": "https://schema.org",
        "@type": "ItemList",
        "name": page.path.title,
        "description": page.path.summary or page.path.title,
        "url": f"{settings.SITE_URL}/paths/{page.path.slug}",
        "numberOfItems": len(courses),
        "itemListElement": courses,
    }
