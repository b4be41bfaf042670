"""What people change about their own account."""

from datetime import datetime

from django.db import transaction

from apps.accounts.errors import InvalidCredentials
from apps.accounts.models import User
from apps.accounts.services.notices import notify
from apps.accounts.services.people import end_sessions
from apps.accounts.services.proving import prove_password


class WrongPassword(Exception):
    """The current password is not right."""


def change_password(*, user: User, current: str, password: str, browser: str, now: datetime) -> None:
    """Set a new password and sign every browser out; the caller signs its own in again.

    Guessing the current one counts towards the lock, as at the sign-in: a stolen session must not be a way around it.

    :raises WrongPassword: the current password is not right.
    :raises AccountLocked: five failures in a row.
    """
    try:
        prove_password(email=user.email, password=current, browser=browser, now=now)
    except InvalidCredentials:
        raise WrongPassword from None
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        end_sessions(user=user)
        notify("account.password_changed", user, "/settings/#password", now=now)


def choose_look(*, user: User, theme: str, style: str, player_shortcuts: bool) -> None:
    """Keep how the site looks to this person, on every device."""
    user.theme, user.style, user.player_shortcuts = theme, style, player_shortcuts
    user.save(update_fields=["theme", "style", "player_shortcuts"])
