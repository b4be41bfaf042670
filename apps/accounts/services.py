"""What changes accounts: signing up, proving a password, counting failures."""

import hashlib
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction

from apps.accounts import tokens
from apps.accounts.errors import AccountLocked, InvalidCredentials
from apps.accounts.events import PersonSignedUp
from apps.accounts.models import BrowserSession, LoginLock, User
from studyplatform.kit.events import publish


class EmailTaken(Exception):
    """Somebody has an account with this email."""


def sign_up(*, email: str, password: str, first_name: str, last_name: str, now: datetime) -> User:
    """A new account. The caller has validated the fields; the constraint judges the email.

    :raises EmailTaken: an account with this email exists.
    """
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                email, password, first_name=first_name, last_name=last_name, terms_accepted_at=now
            )
    except IntegrityError:
        raise EmailTaken from None
    publish(PersonSignedUp(user_id=user.pk))
    return user


def prove_password(*, email: str, password: str, browser: str = "", now: datetime) -> User:
    """The account's user if the password is right. The attempt is counted before the password is checked,
    so that parallel guesses cannot outrun the count.

    ``browser`` names a browser that has signed in to this account before; it is counted by itself.

    :raises AccountLocked: five failures in a row; says nothing about the password.
    :raises InvalidCredentials: unknown email, wrong password or blocked account, in the same time and words.
    """
    key = _lock_key(email, browser)
    _count_attempt(key, now)
    user = User.objects.filter(email__iexact=email.strip()).first()
    if user is None:
        make_password(password)  # the same work as a real check: the answer's time tells nothing
        raise InvalidCredentials
    if not user.check_password(password) or not user.is_active:
        raise InvalidCredentials
    LoginLock.objects.filter(key=key).delete()
    return user


def lift_lock(*, email: str) -> None:
    """Forget all failures of the account itself, e.g. after a password reset."""
    LoginLock.objects.filter(key=_lock_key(email, "")).delete()


def open_session(
    *, user: User, session_key: str, user_agent: str, address: str | None, now: datetime
) -> BrowserSession:
    """The row of a signed-in browser, made once per session key."""
    row, _ = BrowserSession.objects.select_related("user").get_or_create(
        session_key=session_key,
        defaults={
            "user": user,
            "user_agent": user_agent,
            "address": address,
            "created_at": now,
            "last_seen_at": now,
        },
    )
    return row


def end_session(*, session_key: str) -> None:
    """Refuse the tokens of this browser session from now on."""
    BrowserSession.objects.filter(session_key=session_key).delete()


def session_of_token(raw: str) -> BrowserSession | None:
    """The live session a token was made from."""
    sid = tokens.session_id(raw)
    return BrowserSession.objects.select_related("user").filter(uid=sid).first() if sid else None


def end_session_of_token(raw: str) -> None:
    """Sign out the browser that holds this token: its session and all its tokens."""
    session = session_of_token(raw)
    if session is not None:
        Session.objects.filter(session_key=session.session_key).delete()
        session.delete()


def _lock_key(email: str, browser: str) -> str:
    return hashlib.sha256(f"{email.strip().casefold()}|{browser}".encode()).hexdigest()


def _count_attempt(key: str, now: datetime) -> None:
    lock: timedelta = settings.LOGIN_LOCK
    with transaction.atomic():
        LoginLock.objects.get_or_create(key=key, defaults={"last_failure_at": now})
        row = LoginLock.objects.select_for_update().get(key=key)
        if row.is_locked(now):
            raise AccountLocked
        if row.locked_until or row.last_failure_at < now - lock:
            row.failures = 0
        row.failures += 1
        row.last_failure_at = now
        row.locked_until = now + lock if row.failures >= settings.LOGIN_FAILURES else None
        row.save(update_fields=["failures", "last_failure_at", "locked_until"])
