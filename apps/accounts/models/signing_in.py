"""Where users are signed in, and what protects signing in."""

import uuid
from datetime import datetime, timedelta
from typing import Self

from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models
from django.db.models import Q

from apps.accounts.models.users import User


class BrowserSessionQuerySet(models.QuerySet["BrowserSession"]):
    def of(self, user: User) -> Self:
        return self.filter(user=user)

    def live(self, now: datetime) -> Self:
        return self.filter(expire_date__gt=now)


class BrowserSession(AbstractBaseSession):
    """Django's session of one browser, with the user who is signed in there.

    The islands' tokens name it by ``uid``: deleting the row signs the browser out and refuses its tokens. Visitors
    have a row only if something is stored for them.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="browser_sessions")
    user_agent = models.CharField(max_length=256, blank=True)
    address = models.GenericIPAddressField(null=True)
    signed_in_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(help_text="Kept to the hour.")

    objects = BaseSessionManager.from_queryset(BrowserSessionQuerySet)()  # type: ignore[misc]

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    def __str__(self) -> str:
        return f"{self.user_id} since {self.signed_in_at:%Y-%m-%d}" if self.signed_in_at else "visitor"


class LoginLock(models.Model):
    """Failed attempts in a row under one key: an account, or an account in a browser known to it.

    The rule is "the 5th failure locks". To hold it under parallel attempts, an attempt takes one of the places that
    are left before its password is checked, and returns it as a failure or a success.
    """

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveSmallIntegerField(default=0)
    checking = models.PositiveSmallIntegerField(default=0, help_text="Attempts whose password is being checked.")
    last_attempt_at = models.DateTimeField()
    locked_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["last_attempt_at"], name="login_lock_age")]

    def __str__(self) -> str:
        return f"{self.key[:8]} {self.failures}"

    def is_locked(self, now: datetime) -> bool:
        return self.locked_until is not None and self.locked_until > now

    def has_place(self, limit: int) -> bool:
        """Whether one more password may be checked before the account must be locked."""
        return self.failures + self.checking < limit

    def catch_up(self, now: datetime, *, limit: int, lock: timedelta, crashed: timedelta) -> None:
        """Apply what time has changed: attempts that died while being checked are failures; after a lock, or after
        its duration without an attempt, the count starts from zero.
        """
        if self.checking and self.last_attempt_at < now - crashed:
            self.failures, self.checking = self.failures + self.checking, 0
            if self.failures >= limit:
                self.locked_until = self.last_attempt_at + lock
        is_over = self.locked_until is not None and self.locked_until <= now
        if is_over or self.last_attempt_at < now - lock:
            self.failures, self.locked_until = 0, None


class EmailVerification(models.Model):
    """The newest link and code sent to verify that an email belongs to its user."""

    user = models.OneToOneField(User, models.CASCADE, related_name="email_verification")
    email = models.EmailField()
    code_hash = models.CharField(max_length=64)
    tries = models.PositiveSmallIntegerField(default=0, help_text="Wrong codes so far.")
    sent_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(tries__lte=10), name="email_proof_few_tries")]

    def __str__(self) -> str:
        return f"{self.email} {self.sent_at:%Y-%m-%d %H:%M}"


class SignInToken(models.Model):
    """A token that signs a user in on the next page by its address: once, within a minute.

    Only the token's hash is stored; using it deletes the row.
    """

    token_hash = models.CharField(max_length=64, primary_key=True)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.user_id} until {self.expires_at:%H:%M:%S}"
