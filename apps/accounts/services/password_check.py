"""Proving a password, and the lock against guessing it (specification 9: 5 failures, 15 minutes).

The count is exact however many guesses arrive at once and however many processes serve them: an attempt
first takes one of the places left under its key, in a row-locked transaction, and only then is the
password checked. Where no place is left but none of the attempts under way has been decided yet, it waits
for them, so that a person's own parallel sign-ins never lock them out.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction

from apps.accounts.errors import AccountLocked, InvalidCredentials
from apps.accounts.models import LoginLock, User, UserManager
from studyplatform.kit.errors import AppError, RateLimitExceeded

CRASHED = timedelta(seconds=60)  # no check of a password takes so long
PATIENCE = 15.0  # seconds an attempt waits for those before it
PAUSE = 0.05


def verify_password(*, email: str, password: str, browser: str = "", now: datetime) -> User:
    """The account's user if the password is right.

    ``browser`` names a browser that has signed in to this account before; it is counted by itself.

    :raises AccountLocked: this was the fifth failure in a row, or the account was locked before: then nothing was
        checked. An email without an account locks in the same way.
    :raises InvalidCredentials: unknown email, wrong password or blocked account, in the same time and words.
    :raises RateLimitExceeded: too many attempts on this account are being checked at this moment.
    """
    with count_attempt(lock_key(email, browser), now=now) as attempt:
        user = User.objects.with_email(email)
        if user is None:
            make_password(password)  # the same work as a real check: the answer's time tells nothing
        elif user.check_password(password) and user.is_active:
            attempt.proved = True
    if user is None or not attempt.proved:
        raise AccountLocked if attempt.locked else InvalidCredentials
    return user


def clear_lock(*, email: str) -> None:
    """Forget the failures of an account in unknown browsers, e.g. after a password reset."""
    LoginLock.objects.filter(key=lock_key(email, "")).delete()


@dataclass
class Attempt:
    """One guess under way; a failure unless its checker says ``proved``. ``locked``: it was the one that locked."""

    proved: bool = False
    locked: bool = False


@contextmanager
def count_attempt(key: str, *, now: datetime, refusal: type[AppError] = AccountLocked) -> Iterator[Attempt]:
    """A guess at what ``key`` names: takes a place before, gives it back as a failure or a success after.

    A guess that the server was too busy to check is neither: a rush must not lock out people who are right.

    :raises RateLimitExceeded: too many guesses are being checked at this moment; ``refusal``: it is locked.
    """
    attempt, is_checked = Attempt(), True
    _take_place(key, now, refusal)
    try:
        yield attempt
    except RateLimitExceeded:
        is_checked = False
        raise
    finally:
        attempt.locked = _give_back(key, proved=attempt.proved, is_checked=is_checked, now=now)


def lock_key(email: str, browser: str) -> str:
    """The name of a count: an account, or an account in a browser known to it."""
    return hashlib.sha256(f"{UserManager.normalize_email(email)}|{browser}".encode()).hexdigest()


def _take_place(key: str, now: datetime, refusal: type[AppError]) -> None:
    began, waited = time.monotonic(), 0.0
    while True:
        with transaction.atomic():
            LoginLock.objects.get_or_create(key=key, defaults={"last_attempt_at": now})
            row = LoginLock.objects.select_for_update().filter(key=key).first()
            if row is None:  # swept or forgiven in between
                continue
            present = now + timedelta(seconds=waited)
            row.catch_up(present, limit=settings.LOGIN_FAILURES, lock=settings.LOGIN_LOCK, crashed=CRASHED)
            if row.is_locked(present):
                raise refusal
            if row.has_place(settings.LOGIN_FAILURES):
                row.checking += 1
                row.last_attempt_at = present
                row.save()
                return
        if waited > PATIENCE:
            raise RateLimitExceeded(wait=int(PATIENCE))
        time.sleep(PAUSE)
        waited = time.monotonic() - began


def _give_back(key: str, *, proved: bool, is_checked: bool, now: datetime) -> bool:
    with transaction.atomic():
        row = LoginLock.objects.select_for_update().filter(key=key).first()
        if row is None:  # a password reset has forgiven everything meanwhile
            return False
        row.checking = max(0, row.checking - 1)
        if proved:
            row.failures, row.locked_until = 0, None
        elif is_checked:
            row.failures += 1
            if row.failures >= settings.LOGIN_FAILURES:
                row.locked_until = now + settings.LOGIN_LOCK
        row.save()
        return row.locked_until is not None
