"""Tokens that carry a sign-in from one page to the next in the address: once, within a minute, for one user."""

import re
import secrets
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils.crypto import salted_hmac

from apps.accounts.models import SignInToken, User

VALID_FOR = timedelta(seconds=60)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def create_sign_in_token(*, user: User, now: datetime) -> str:
    """A token that :func:`redeem_sign_in_token` turns into this user, once and within a minute."""
    token = secrets.token_urlsafe(32)
    SignInToken.objects.create(token_hash=_hash(token, user.uid), user=user, expires_at=now + VALID_FOR)
    return token


def redeem_sign_in_token(*, token: object, user_uid: object, now: datetime) -> User | None:
    """The user of this token, which no longer works afterwards. Both must be strings, as an address has them."""
    if not isinstance(token, str) or not isinstance(user_uid, str) or not _TOKEN.fullmatch(token):
        return None
    try:
        uid = UUID(user_uid)
    except ValueError:
        return None
    with transaction.atomic():
        row = SignInToken.objects.filter(token_hash=_hash(token, uid)).select_related("user").first()
        # Of two requests with the same token, only one deletes the row.
        if row is None or not SignInToken.objects.filter(pk=row.pk).delete()[0]:
            return None
    return row.user if row.expires_at > now and row.user.uid == uid and row.user.is_active else None


def delete_expired_sign_in_tokens(*, now: datetime) -> None:
    """Delete the tokens that nobody used in time."""
    SignInToken.objects.filter(expires_at__lte=now).delete()


def _hash(token: str, uid: UUID) -> str:
    """Keyed with the site's secret and the user: a row of the table alone signs nobody in, nor does another user's
    id.
    """
    return salted_hmac("accounts.hand_over", f"{uid}:{token}", algorithm="sha256").hexdigest()
