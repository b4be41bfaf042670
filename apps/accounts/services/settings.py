"""What users change about their own account."""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from apps.accounts.errors import InvalidCredentials
from apps.accounts.models import PROFILE_FIELDS, User
from apps.accounts.services.notifications import notify
from apps.accounts.services.password_check import verify_password
from apps.accounts.services.people import end_all_access
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.passwords import hash_password
from studyplatform.kit.text.zones import zone_named


class WrongPassword(Exception):
    """The current password is wrong."""


class UsernameTaken(Exception):
    """Another user has this username."""


def confirm_password(*, user: User, password: str, browser: str, now: datetime) -> None:
    """Require the signed-in user's password; the page's guard has checked users without one.

    Failures count towards the lock, as at sign-in, so a stolen session cannot be used to guess the password.

    :raises WrongPassword: it is wrong.
    :raises AccountLocked: five failures in a row.
    """
    if not user.has_usable_password():
        return
    try:
        verify_password(email=user.email, password=password, browser=browser, now=now)
    except InvalidCredentials:
        raise WrongPassword from None


def change_password(*, user: User, current: str = "", password: str, browser: str, now: datetime) -> None:
    """Set a new password, or the first one, and sign out every browser; the caller signs its own in again.

    :raises WrongPassword: the current password is wrong.
    :raises AccountLocked: five failures in a row.
    """
    confirm_password(user=user, password=current, browser=browser, now=now)
    hashed = hash_password(password)  # slow, so outside the transaction: SQLite has one writer
    with transaction.atomic():
        user.password = hashed
        user.save(update_fields=["password"])
        end_all_access(user=user)
        notify("account.password_changed", user, "/settings/password", now=now)


def save_appearance(*, user: User, theme: str, style: str) -> None:
    """Save the theme and style of this user, for every device."""
    user.theme, user.style = theme, style
    user.save(update_fields=["theme", "style"])


def save_profile(*, user: User, changes: Mapping[str, Any], now: datetime) -> None:
    """Save what others see of a user. The caller has validated the fields; a constraint decides about the username.

    A new time zone is shown at once and counts days from the next one: otherwise changing it would make days.

    :raises UsernameTaken: another user has it.
    :raises NotAuthenticated: the account was deleted meanwhile.
    """
    if not changes.keys() <= set(PROFILE_FIELDS):
        raise ValueError(f"not in PROFILE_FIELDS: {', '.join(sorted(changes.keys() - set(PROFILE_FIELDS)))}")
    if changes.get("time_zone", user.time_zone) != user.time_zone:
        changes = {**changes, **_former_zone(user, now)}
    username = changes.get("username", user.username)
    if User.objects.exclude(pk=user.pk).filter(username__iexact=username).exists():
        raise UsernameTaken
    try:
        with transaction.atomic():
            # Not of an account that was deleted meanwhile: its tombstone has no name.
            if not User.objects.filter(pk=user.pk, deleted_at=None).update(**changes):
                raise NotAuthenticated
    except IntegrityError:  # two users at the same moment
        raise UsernameTaken from None
    for name, value in changes.items():
        setattr(user, name, value)


def _former_zone(user: User, now: datetime) -> dict[str, Any]:
    """The zone that counts the user's days, and when its present day ends."""
    name = user.day_zone(now)
    zone = zone_named(name)
    tomorrow = now.astimezone(zone).date() + timedelta(days=1)
    return {"former_zone": name, "former_zone_until": datetime.combine(tomorrow, time(), zone).astimezone(UTC)}


def set_goals(*, user: User, daily_minutes: int, weekly_lessons: int) -> None:
    """Save how much the user plans to learn in a day and in a week."""
    user.daily_minutes, user.weekly_lessons = daily_minutes, weekly_lessons
    user.save(update_fields=["daily_minutes", "weekly_lessons"])


def set_email_sharing(*, user: User, shares_email: bool) -> None:
    """Save whether those who teach the user's courses see the email. Off until the user turns it on."""
    user.shares_email = shares_email
    user.save(update_fields=["shares_email"])
