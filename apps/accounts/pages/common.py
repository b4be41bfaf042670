"""What the auth pages share."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from apps.accounts import known_browsers, sessions
from apps.accounts.models import Role, User
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.pages import safe_next

HOMES = {
    Role.STUDENT: "/me/enrollments",
    Role.INSTRUCTOR: "/dashboard/instructor/",
    Role.ADMIN: "/dashboard/admin/",
}


def home_of(user: User) -> str:
    """Where a role's day begins."""
    return HOMES[Role(user.role)]


def enter(request: HttpRequest, user: User, *, remember: bool = True, onward: str = "") -> HttpResponseRedirect:
    """Sign the browser in and lead on to ``onward``, else to where they were going.

    Every way in ends here: password, mailed code, provider, hand-over.
    """
    onward = safe_next(request, onward, "") or back(request, user)
    sessions.sign_in(request, user, now=timezone.now(), remember=remember)
    response = HttpResponseRedirect(onward)
    known_browsers.remember(request, response, user.email)
    return response


def back(request: HttpRequest, user: User) -> str:
    """Where they were going (``next``), else where their role's day begins."""
    return safe_next(request, request.POST.get("next") or request.GET.get("next"), home_of(user))


def form_page(request: HttpRequest, template: str, form: Any, **context: Any) -> HttpResponse:
    """The form with what was typed and what is wrong with it; ``refusal`` is what stood against it as a whole."""
    onward = safe_next(request, request.POST.get("next") or request.GET.get("next"), "")
    response = render(request, template, {"form": form, "next": onward, **context})
    refusal = context.get("refusal")
    if isinstance(refusal, RateLimitExceeded):
        response.status_code = refusal.status
        response["Retry-After"] = str(refusal.wait)
    return response


def private(response: HttpResponse) -> HttpResponse:
    """The address is a secret: it must not travel on in a Referer."""
    response["Referrer-Policy"] = "same-origin"
    return response
