"""Help articles, a page for each error code, and the legal texts."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.billing.queries.seat_terms import seat_terms
from studyplatform.kit.caching.page_cache import cache_for_visitors
from studyplatform.kit.errors import REGISTRY

ARTICLES = {
    "supported-formats": (
        _("Supported formats"),
        _("Which videos and files you can upload, and how large they can be."),
    ),
    "video-compression": (
        _("Preparing a video"),
        _("How to record and export a lesson that looks sharp and uploads quickly."),
    ),
    "teaching": (_("How teaching works"), _("From an idea to a published course: writing, uploading and review.")),
    "seats-for-teams": (
        _("Seats for teams"),
        _("What seats cost, what they open, who sees what, and how money comes back."),
    ),
    "learning": (_("How learning works"), _("Enrolling, progress, quizzes and certificates.")),
}
TEXTS = {
    "accessibility": _("Accessibility"),
    "terms": _("Terms of service"),
    "privacy": _("Privacy"),
}


def lock_minutes() -> int:
    """Return for how long an account is locked after failed attempts."""
    return int(settings.LOGIN_LOCK.total_seconds() // 60)


def article_figures() -> dict[str, Any]:
    """Return the figures that the articles name, for their pages and for the tutor, which reads them."""
    return {"lock_minutes": lock_minutes(), "seat_terms": seat_terms()}


@open_to_everyone
@require_safe
@cache_for_visitors()
def help_index(request: HttpRequest) -> HttpResponse:
    return render(request, "site/help/index.html", {"articles": ARTICLES, "texts": TEXTS})


@open_to_everyone
@require_safe
@cache_for_visitors()
def help_article(request: HttpRequest, article: str) -> HttpResponse:
    if article not in ARTICLES:
        raise Http404
    title, summary = ARTICLES[article]
    context = {"title": title, "summary": summary, **article_figures()}
    return render(request, f"site/help/{article}.html", context)


@open_to_everyone
@require_safe
@cache_for_visitors()
def help_error(request: HttpRequest, code: str) -> HttpResponse:
    """The page to which the ``type`` of a problem detail (RFC 9457) links."""
    error = REGISTRY.get(code)
    if error is None:
        raise Http404
    return render(request, "site/help/error.html", {"error": error})


@open_to_everyone
@require_safe
@cache_for_visitors()
def text(request: HttpRequest, name: str) -> HttpResponse:
    return render(request, f"site/help/{name}.html", {"title": TEXTS[name]})
