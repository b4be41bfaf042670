"""Sets ``request.user``, and signs in requests that bring a sign-in token."""

from functools import partial

from django.contrib import auth
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from apps.accounts import services
from apps.accounts.models import User
from apps.accounts.pages.redirects import SIGN_IN_TOKEN_PAGES, sign_in_and_redirect
from apps.accounts.sessions import known_browsers
from studyplatform.kit.web.middleware import GetResponse


class BrowserSessionMiddleware(SessionMiddleware):
    """Django's sessions, but only signing out deletes the cookie.

    Django deletes the cookie of every request whose session does not exist. After a new password, a request of another
    tab that still carries the old cookie can be answered after the new cookie has arrived; deleting the cookie then
    would sign the browser out.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        session = request.session
        if session.is_empty() and not session.is_signed_out:  # type: ignore[attr-defined]
            if session.accessed:
                patch_vary_headers(response, ("Cookie",))
            return response
        return super().process_response(request, response)


class UserMiddleware(AuthenticationMiddleware):
    """``request.user`` from the row that the session was loaded with: one query for both. Sets the known browsers'
    cookie.
    """

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_user, request))  # type: ignore[assignment]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        known_browsers.set_cookie(request, response)
        return response


def _user(request: HttpRequest) -> User | AnonymousUser:
    session = request.session
    pk = session.get(auth.SESSION_KEY)
    if pk is None:
        return AnonymousUser()
    user: User | None = session.user_by_pk(int(pk))  # type: ignore[attr-defined]
    if user is None or not user.is_active:
        return AnonymousUser()
    # The hash changes with the password: a new password signs other browsers out.
    if constant_time_compare(session.get(auth.HASH_SESSION_KEY, ""), user.get_session_auth_hash()):
        return user
    return auth.get_user(request)  # a rotated SECRET_KEY, or an old password: Django knows what to do


class SignInTokenMiddleware:
    """Signs in by ``?token=&user=`` on the pages that accept it, and removes both from the address.

    A token that does not work is ignored, so the page's guard decides as usual. It runs before the guards, and only at
    these two addresses.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        page = request.path_info.removesuffix("/")
        if page in SIGN_IN_TOKEN_PAGES and request.method == "GET" and _parameters(request.GET):
            user = _user_of_token(request)
            _remove_parameters(request)
            if user is not None:
                return sign_in_and_redirect(request, user, onward=request.get_full_path())
        return self.get_response(request)


def _user_of_token(request: HttpRequest) -> User | None:
    tokens, names = request.GET.getlist("token"), request.GET.getlist("user")
    # A link on another site must not sign a visitor in as someone else, nor replace the signed-in user.
    is_ours = request.headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}
    if not is_ours or len(tokens) != 1 or len(names) != 1:
        return None
    if request.user.is_authenticated and str(request.user.uid) != names[0]:
        return None
    return services.redeem_sign_in_token(token=tokens[0], user_uid=names[0], now=timezone.now())


def _parameters(query: QueryDict) -> list[str]:
    """``token`` and ``user``, and the spellings that other frameworks read as a list or an object of that name."""
    return [name for name in query if name.partition("[")[0] in {"token", "user"}]


def _remove_parameters(request: HttpRequest) -> None:
    """Remove the two parameters, so that neither the page nor the address it leads back to contains them."""
    query = request.GET.copy()
    for name in _parameters(query):
        del query[name]
    request.META["QUERY_STRING"] = query.urlencode()
    request.GET = QueryDict(request.META["QUERY_STRING"])
