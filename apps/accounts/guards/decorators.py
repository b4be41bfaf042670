"""The guards of pages."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from apps.accounts import policies, sessions
from apps.accounts.guards.request_user import signed_in_user
from apps.accounts.guards.sign_in_redirect import return_query
from apps.accounts.models import User
from studyplatform.kit.policies import Verdict, enforce

P = ParamSpec("P")


Page = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def _guarded_by(name: str, policy: Callable[[User | AnonymousUser], Verdict]) -> Callable[[Page[P]], Page[P]]:
    def decorate(page: Page[P]) -> Page[P]:
        @wraps(page)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            enforce(policy(request.user))
            return page(request, *args, **kwargs)

        guarded.guard = name  # type: ignore[attr-defined]
        return guarded

    return decorate


def open_to_everyone(page: Page[P]) -> Page[P]:
    """Open the page to visitors too. A test lists these pages, each with its reason."""

    @wraps(page)
    def opened(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return page(request, *args, **kwargs)

    opened.guard = "everyone"  # type: ignore[attr-defined]
    return login_not_required(opened)


def signed_in(page: Page[P]) -> Page[P]:
    """Users only; visitors are redirected to the sign-in page."""
    return _guarded_by("signed_in", policies.be_signed_in)(page)


def teaches(page: Page[P]) -> Page[P]:
    """Instructors and admins only. The page itself must check whose course it is."""
    return _guarded_by("teaches", policies.teach)(page)


def administers(page: Page[P]) -> Page[P]:
    """Admins only."""
    return _guarded_by("administers", policies.administer)(page)


def recently_authenticated(page: Page[P]) -> Page[P]:
    """Only users who have proved their identity within ten minutes, so that a browser left open, or a stolen
    session, cannot change how to sign in to the account. Other users are asked to prove it and come back to this
    address.
    """
    return _proved("recently_authenticated", lambda user: False)(page)


def recently_authenticated_from(onward: str) -> Callable[[Page[P]], Page[P]]:
    """The same, but users come back to ``onward``: for an address that answers with a file instead of a page."""
    return _proved("recently_authenticated", lambda user: False, onward)


def confirms_identity(page: Page[P]) -> Page[P]:
    """For a page whose form asks for the password. A user without a password must have proved their identity
    recently.
    """
    return _proved("confirms_identity", User.has_usable_password)(page)


def _proved(name: str, is_asked: Callable[[User], bool], onward: str = "") -> Callable[[Page[P]], Page[P]]:
    def decorate(page: Page[P]) -> Page[P]:
        @wraps(page)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            enforce(policies.be_signed_in(request.user))
            if is_asked(signed_in_user(request)) or sessions.is_recently_authenticated(request, now=timezone.now()):
                return page(request, *args, **kwargs)
            back = urlencode({"next": onward}, safe="/") if onward else return_query(request)
            return HttpResponseRedirect(f"{reverse('accounts:prove')}?{back}")

        guarded.guard = name  # type: ignore[attr-defined]
        return guarded

    return decorate
