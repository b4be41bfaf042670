"""Personal tokens: created, looked up when they are used, revoked."""

import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac

from apps.accounts.errors import (
    PersonalTokenExpired,
    PersonalTokenInvalid,
    PersonalTokenLimitReached,
    PersonalTokenRevoked,
)
from apps.accounts.models import PersonalToken, Scope, User
from apps.accounts.services.notifications import notify

MOST = 20  # of a user that work at the same time
KEPT = timedelta(days=90)  # after the end of a token
_USED_EVERY = timedelta(minutes=1)
_PREFIX = "study_"
_TOKEN = re.compile(rf"{_PREFIX}[A-Za-z0-9_-]{{43}}")


def create_personal_token(
    *, user: User, name: str, scopes: Collection[Scope], lifetime: timedelta | None, now: datetime
) -> tuple[PersonalToken, str]:
    """Create a token and tell its user. Returns the row and the token, which cannot be read again.

    :param lifetime: None: it never expires.
    :raises PersonalTokenLimitReached: the user has as many as allowed.
    """
    token = _PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if PersonalToken.objects.of(user).live(now).count() >= MOST:
            raise PersonalTokenLimitReached(limit=MOST)
        row = PersonalToken.objects.create(
            user=user,
            name=name,
            token_hash=_hash(token),
            scopes=[scope.value for scope in Scope if scope in scopes],
            created_at=now,
            expires_at=now + lifetime if lifetime else None,
        )
        notify("account.token_created", user, "/settings/tokens", key=row.uid.hex, now=now, name=name)
    return row, token


def is_personal_token(text: str) -> bool:
    """Whether the text looks like a personal token."""
    return _TOKEN.fullmatch(text) is not None


def use_personal_token(*, token: str, now: datetime) -> PersonalToken:
    """The row of a token that works, with its user; notes that it was used. One query, two once a minute.

    :raises PersonalTokenInvalid: there is no such token.
    :raises PersonalTokenExpired: it has expired.
    :raises PersonalTokenRevoked: it was revoked, or its user is blocked.
    """
    row = PersonalToken.objects.select_related("user").filter(token_hash=_hash(token)).first()
    if row is None:
        raise PersonalTokenInvalid
    if row.revoked_at is not None or not row.user.is_active:
        raise PersonalTokenRevoked
    if row.has_expired(now):
        raise PersonalTokenExpired
    if row.last_used_at is None or row.last_used_at <= now - _USED_EVERY:
        row.last_used_at = now
        PersonalToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row


def revoke_personal_token(*, user: User, uid: UUID, now: datetime) -> PersonalToken | None:
    """Revoke a token of the user; it is refused from now on. None if there is none, or it was revoked before."""
    row = PersonalToken.objects.of(user).filter(uid=uid).first()
    if row is None or not PersonalToken.objects.of(user).filter(pk=row.pk).update(revoked_at=now):
        return None
    return row


def revoke_personal_tokens(*, user: User, now: datetime) -> None:
    """Revoke all tokens of the user."""
    PersonalToken.objects.of(user).update(revoked_at=now)


def delete_ended_personal_tokens(*, now: datetime) -> None:
    """Delete the rows of tokens that ended long ago."""
    PersonalToken.objects.filter(Q(revoked_at__lte=now - KEPT) | Q(expires_at__lte=now - KEPT)).delete()


def _hash(token: str) -> str:
    """Keyed with the site's secret: a row of the table alone doesn't help to guess anything."""
    return salted_hmac("accounts.personal_token", token, algorithm="sha256").hexdigest()
