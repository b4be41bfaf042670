"""The settings: a page per section, /settings/<slug>, with an index of all sections (one module per section).

A section registers itself; its POST addresses end either with :func:`saved` or, for a form with errors, with
:func:`page` and the bound form, so that the page shows what was typed.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.errors import PasswordNotChanged, SettingsNotSaved
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from studyplatform.kit.extensions import SettingsSection, settings_sections

P = ParamSpec("P")


def register(section: SettingsSection) -> None:
    """Add a section to the settings."""
    settings_sections.register(section.slug, section, order=section.order)


def sections_for(user: User) -> list[SettingsSection]:
    """The sections of this user's settings, in order."""
    return [section for section in settings_sections.ordered() if section.is_for(user)]


def section_path(slug: str, save: Callable[[HttpRequest], HttpResponseBase] | None = None) -> URLPattern:
    """The address of a section. GET shows it; POST goes to ``save``, the page with its form's own guard."""

    @signed_in
    @never_cache
    @require_http_methods(["GET", "HEAD", "POST"] if save else ["GET", "HEAD"])
    def section(request: HttpRequest) -> HttpResponseBase:
        if save is not None and request.method == "POST":
            return save(request)
        return page(request, slug)

    return path(slug, section, name=f"settings-{slug}")


def posts_from(
    slug: str,
) -> Callable[
    [Callable[Concatenate[HttpRequest, P], HttpResponse]], Callable[Concatenate[HttpRequest, P], HttpResponse]
]:
    """For the address of a further form of a section: only POST sends it. A GET, as when the page of a form with
    errors is opened again by its address, is redirected to the section.
    """

    def decorate(
        send: Callable[Concatenate[HttpRequest, P], HttpResponse],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
        @wraps(send)
        @require_http_methods(["GET", "HEAD", "POST"])
        def view(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method != "POST":
                return redirect(f"accounts:settings-{slug}")
            return send(request, *args, **kwargs)

        return view

    return decorate


@signed_in
@never_cache
@require_safe
def settings_page(request: HttpRequest) -> HttpResponse:
    """The first section. Links from when all sections were one page lead to their section; those with the section
    in the fragment only do so in a script (assets/site/settings.ts), as no fragment is sent.
    """
    sections = sections_for(signed_in_user(request))
    linked = request.GET.get("saved") or request.GET.get("at")
    if linked in [section.slug for section in sections]:
        return redirect(f"accounts:settings-{linked}")
    return page(request, sections[0].slug)


def page(request: HttpRequest, slug: str, **changed: Any) -> HttpResponse:
    """The page of a section; ``changed`` replaces values of its context (a bound form, say)."""
    section = settings_sections[slug]
    if not section.is_for(signed_in_user(request)):
        return redirect("accounts:settings")
    return render(
        request,
        "accounts/settings/page.html",
        {
            "section": section,
            "context": section.context(request) | changed,
            "saved_at": timezone.now() if "saved" in request.GET else None,
            "not_saved": PasswordNotChanged() if slug == "password" else SettingsNotSaved(),
        },
        status=422 if changed else 200,
    )


def saved(slug: str) -> HttpResponseRedirect:
    """Redirect to the section, which says that it was saved."""
    return HttpResponseRedirect(reverse(f"accounts:settings-{slug}") + "?saved=1")
