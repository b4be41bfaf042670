"""Who sits before a page that a guard has let through."""

from typing import cast

from django.http import HttpRequest

from apps.accounts.models import User


def person(request: HttpRequest) -> User:
    """The signed-in person: the page's guard has seen to it."""
    return cast(User, request.user)
