"""URLs of the specification that this version does not serve yet: the only list of them.

Each answers 404 with an entry of the error catalog and links to pages that work today. It already has the guard of the
future page. Delete its line here when you build the page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.accounts.guards import teaches
from studyplatform.kit.errors import FeatureComingSoon

Guard = Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]
Link = tuple[str, str | Promise]

TEACHING: Link = ("/dashboard/instructor/courses/", _("Your courses"))


@dataclass(frozen=True)
class Pending:
    """A route with its future name and guard, and links to pages that work today."""

    route: str
    name: str | Promise
    guard: Guard
    instead: tuple[Link, ...]


_teaching = (teaches, (TEACHING,))

PENDING = [
]


def _page(one: Pending) -> Callable[..., HttpResponseBase]:
    def pending_page(request: HttpRequest, **captured: Any) -> HttpResponse:
        context = {"error": FeatureComingSoon(), "pending": one}
        return render(request, "site/pending.html", context, status=FeatureComingSoon.status)

    return require_safe(one.guard(pending_page))


def name_of(one: Pending) -> str:
    """The name of the route in the URL configuration."""
    return "pending-" + "-".join(part for part in one.route.split("/") if part and "<" not in part)


urlpatterns: list[URLPattern] = [path(one.route, _page(one), name=name_of(one)) for one in PENDING]
