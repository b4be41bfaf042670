"""Who is asking, and who arrives with a hand-over."""

from functools import partial

from django.contrib import auth
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from apps.accounts import services
from apps.accounts.models import User
from apps.accounts.pages.redirects import SIGN_IN_TOKEN_PAGES, sign_in_and_redirect
from apps.accounts.sessions import known_browsers
from studyplatform.kit.web.middleware import Answer


class UserMiddleware(AuthenticationMiddleware):
    """``request.user``, from the row that the session was loaded with: one query for both."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_person, request))  # type: ignore[assignment]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        known_browsers.set_cookie(request, response)
        return response


def _person(request: HttpRequest) -> User | AnonymousUser:
    session = request.session
    pk = session.get(auth.SESSION_KEY)
    if pk is None:
        return AnonymousUser()
    user: User | None = session.person(int(pk))  # type: ignore[attr-defined]
    if user is None or not user.is_active:
        return AnonymousUser()
    # The hash changes with the password: whoever changed it elsewhere has signed this browser out.
    if constant_time_compare(session.get(auth.HASH_SESSION_KEY, ""), user.get_session_auth_hash()):
        return user
    return auth.get_user(request)  # a rotated SECRET_KEY, or an old password: Django knows what to do


class SignInTokenMiddleware:
    """``?token=&user=`` on the pages that take it: signs in and cleans the address.

    Anything but a hand-over that works is treated as absent, so the page's guard decides as always. It stands
    before the guards, and looks at nothing but these two addresses.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        page = request.path_info.removesuffix("/")
        if page in SIGN_IN_TOKEN_PAGES and request.method == "GET" and _its_names(request.GET):
            person = _hand_over_of(request)
            _drop(request)
            if person is not None:
                return sign_in_and_redirect(request, person, onward=request.get_full_path())
        return self.get_response(request)


def _hand_over_of(request: HttpRequest) -> User | None:
    tokens, names = request.GET.getlist("token"), request.GET.getlist("user")
    # A link on another site must not sign anybody in as somebody else, nor swap who is signed in here.
    is_ours = request.headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}
    if not is_ours or len(tokens) != 1 or len(names) != 1:
        return None
    if request.user.is_authenticated and str(request.user.uid) != names[0]:
        return None
    return services.redeem_sign_in_token(token=tokens[0], user_uid=names[0], now=timezone.now())


def _its_names(query: QueryDict) -> list[str]:
    """``token`` and ``user``, and the spellings that elsewhere mean a list or an object of that name."""
    return [name for name in query if name.partition("[")[0] in {"token", "user"}]


def _drop(request: HttpRequest) -> None:
    """From here on nobody sees the two parameters: not the page, not the address one is led back to."""
    query = request.GET.copy()
    for name in _its_names(query):
        del query[name]
    request.META["QUERY_STRING"] = query.urlencode()
    request.GET = QueryDict(request.META["QUERY_STRING"])
