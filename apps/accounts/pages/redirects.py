"""Where a browser is sent after signing in."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from apps.accounts import sessions
from apps.accounts.errors import SecondStepRequired
from apps.accounts.models import Role, User
from studyplatform.kit.web.requests import safe_next

HOMES = {
    Role.STUDENT: "/me/dashboard",
    Role.INSTRUCTOR: "/dashboard/instructor/",
    Role.ADMIN: "/dashboard/admin/",
}

# The pages that accept a sign-in token (specification 2.2 and 2.5), without their final slash.
SIGN_IN_TOKEN_PAGES = {"/me/dashboard", "/dashboard/instructor/analytics"}


def home_of(user: User) -> str:
    """The first page of the user's role."""
    return HOMES[Role(user.role)]


def next_or_home(request: HttpRequest, user: User) -> str:
    """The address in ``next`` if it is safe, else the first page of the user's role."""
    return safe_next(request, request.POST.get("next") or request.GET.get("next"), home_of(user))


def sign_in_and_redirect(
    request: HttpRequest, user: User, *, remember: bool = True, onward: str = "", second_step_done: bool = False
) -> HttpResponseRedirect:
    """Sign the browser in and redirect it to ``onward``, else to ``next``, else to the home of the user's role.

    A user with two-factor turned on is redirected to the second step first. See :func:`sessions.sign_in`.
    """
    onward = safe_next(request, onward, "") or next_or_home(request, user)
    try:
        sessions.sign_in(request, user, now=timezone.now(), remember=remember, second_step_done=second_step_done)
    except SecondStepRequired:
        query = urlencode({"next": onward}, safe="/")
        return HttpResponseRedirect(f"{reverse('accounts:second-step')}?{query}")
    return HttpResponseRedirect(onward)
