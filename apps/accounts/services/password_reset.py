"""Resetting a forgotten password by an emailed link that works once and for an hour."""

import hashlib
from contextlib import suppress
from datetime import datetime, timedelta
from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User, UserManager
from apps.accounts.services.notifications import notify
from apps.accounts.services.password_check import clear_lock
from apps.accounts.services.people import end_all_access
from studyplatform.kit import jobs, mail
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.passwords import hash_password
from studyplatform.kit.web import rate_limits

VALID_FOR = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def request_password_reset(*, email: str) -> None:
    """Enqueue the email. The job finds out whether the account exists, so the response does not reveal it."""
    email = UserManager.normalize_email(email)
    jobs.enqueue("accounts.send_password_reset", key=hashlib.sha256(email.encode()).hexdigest(), email=email)


def send_password_reset(*, email: str) -> None:
    """Send the link if there is an account with this email; at most one a minute."""
    user = User.objects.with_email(email)
    if user is None or not user.is_active:
        return
    link = f"/auth/reset-password/{user.uid}/{quote(default_token_generator.make_token(user))}"
    # Counted together with the email: a failed attempt must not delay the next one.
    with suppress(RateLimitExceeded), transaction.atomic():
        rate_limits.consume("reset-to-one", str(user.uid), now=timezone.now())
        mail.send("reset-password", to=user.email, valid_for=VALID_FOR, user=user, link=link)


def user_of_reset(uid: UUID, token: str) -> User | None:
    """The user of this reset link; None if it no longer works."""
    user = User.objects.filter(uid=uid, is_active=True).first()
    return user if user is not None and default_token_generator.check_token(user, token) else None


def reset_password(*, uid: UUID, token: str, password: str, now: datetime) -> User | None:
    """Set the new password if the link still works: it works once.

    Clears the lock, ends every session and token, and verifies the email that the link was sent to.
    """
    hashed = hash_password(password)  # slow, so outside the transaction: SQLite has one writer
    with transaction.atomic():
        # Locked before the token is checked: of two uses at once, one sees the other's password.
        user = User.objects.select_for_update().filter(uid=uid, is_active=True).first()
        if user is None or not default_token_generator.check_token(user, token):
            return None
        user.password = hashed
        user.email_verified_at = user.email_verified_at or now
        user.save(update_fields=["password", "email_verified_at"])
        clear_lock(email=user.email)
        end_all_access(user=user)
        notify("account.password_changed", user, "/settings/password", now=now)
    return user
