"""Who is asking."""

from functools import partial

from django.contrib import auth
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from apps.accounts.models import User


class PersonMiddleware(AuthenticationMiddleware):
    """``request.user``, from the row that the session was loaded with: one query for both."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_person, request))  # type: ignore[assignment]


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
