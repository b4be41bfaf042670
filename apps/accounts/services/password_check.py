"""Verifying a password, and the lock against guessing it (specification 9: 5 failures, 15 minutes).

The count is exact under parallel attempts and in any number of processes: an attempt first takes one of the places
left under its key, in a row-locked transaction, and only then is the password checked. If no place is left but none of
the running attempts is decided yet, it waits for them, so that a user's own parallel sign-ins never lock the account.
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
from studyplatform.kit.passwords import spellings_of

CRASHED = timedelta(seconds=60)  # no password check takes longer
PATIENCE = 15.0  # seconds that an attempt waits for earlier ones
PAUSE = 0.05


def verify_password(
    *, email: str, password: str, browser: str = "", is_signing_in: bool = False, now: datetime
) -> User:
    """The active user with this email and password.

    ``browser`` is the id of a browser that has signed in to this account before; it is counted separately.
    ``is_signing_in`` renews the hash of a password that was not normalized, which ends the sessions begun with it.

    :raises AccountLocked: this was the fifth failure in a row, or the account was locked before, and nothing was
        checked. An email without an account locks in the same way.
    :raises InvalidCredentials: unknown email, wrong password or blocked account; message and time are the same.
    :raises RateLimitExceeded: too many attempts on this account are being checked at this moment.
    """
    with count_attempt(lock_key(email, browser), now=now) as attempt:
        user = User.objects.with_email(email)
        if user is None:
            for spelling in spellings_of(password):  # the same work as a real check, so the time reveals nothing
                make_password(spelling)
        elif user.check_password(password) and user.is_active:
            attempt.proved = True
            if is_signing_in and user.has_old_spelling(password):
                user.set_password(password)
                user.save(update_fields=["password"])
    if user is None or not attempt.proved:
        raise AccountLocked if attempt.locked else InvalidCredentials
    return user


def clear_lock(*, email: str) -> None:
    """Delete the failures of an account in unknown browsers, e.g. after a password reset."""
    LoginLock.objects.filter(key=lock_key(email, "")).delete()


@dataclass
class Attempt:
    """One running attempt. It counts as a failure unless ``proved`` is set. ``locked``: it was the one that locked."""

    proved: bool = False
    locked: bool = False


@contextmanager
def count_attempt(key: str, *, now: datetime, refusal: type[AppError] = AccountLocked) -> Iterator[Attempt]:
    """Count an attempt under ``key``: takes a place before, returns it as a failure or a success after.

    An attempt that the server was too busy to check counts as neither: many users at once must not be locked out.

    :raises RateLimitExceeded: too many attempts are being checked at this moment.
    :raises AppError: ``refusal``, if the key is locked.
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
    """The key of a count: an account, or an account in a browser known to it."""
    return hashlib.sha256(f"{UserManager.normalize_email(email)}|{browser}".encode()).hexdigest()


def _take_place(key: str, now: datetime, refusal: type[AppError]) -> None:
    began, waited = time.monotonic(), 0.0
    while True:
        with transaction.atomic():
            LoginLock.objects.get_or_create(key=key, defaults={"last_attempt_at": now})
            row = LoginLock.objects.select_for_update().filter(key=key).first()
            if row is None:  # deleted in between
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
        if row is None:  # a password reset has deleted it meanwhile
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
