"""The settings page: one column of sections, each with its own forms (one module per section).

A section registers itself; its POST addresses end either with :func:`saved` or, for a form with errors, with
:func:`page` and the bound form, so that the page shows what was typed.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.errors import PasswordNotChanged, SettingsNotSaved
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from studyplatform.kit.extensions import SettingsSection, settings_sections


def register(section: SettingsSection) -> None:
    """Add a section to the page."""
    settings_sections.register(section.slug, section, order=section.order)


def sections_for(user: User) -> list[SettingsSection]:
    """The sections of this user's page, in order."""
    return [section for section in settings_sections.ordered() if section.is_for(user)]


@signed_in
@never_cache
@require_safe
def settings_page(request: HttpRequest) -> HttpResponse:
    return page(request)


def page(request: HttpRequest, slug: str = "", **changed: Any) -> HttpResponse:
    """The whole page. In the section ``slug``, ``changed`` replaces values of its context (a bound form, say)."""
    user = signed_in_user(request)
    sections = sections_for(user)
    shown = [(one, one.context(request) | (changed if one.slug == slug else {})) for one in sections]
    current = slug or request.GET.get("saved") or request.GET.get("at", "")
    return render(
        request,
        "accounts/settings/page.html",
        {
            "sections": shown,
            "current": current,
            "saved_at": timezone.now() if "saved" in request.GET else None,
            "not_saved": PasswordNotChanged() if slug == "password" else SettingsNotSaved(),
        },
        status=422 if slug else 200,
    )


def saved(slug: str) -> HttpResponseRedirect:
    """Redirect to the section, which says that it was saved."""
    return HttpResponseRedirect(f"/settings/?saved={slug}#{slug}")
