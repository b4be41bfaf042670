"""Tokens with which programs of a user act for them."""

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models.users import User
from studyplatform.kit.names import NameField


class Scope(models.TextChoices):
    """What a personal token opens. The value goes over the wire, the label is what its user reads."""

    READ_COURSES = "courses:read", _("Search courses and read lessons you can open")
    READ_PROGRESS = "progress:read", _("See your courses, progress and streak")
    WRITE_NOTES = "notes:write", _("Write notes for you")
    ASK = "tutor:ask", _("Ask the tutor")
    PRACTICE = "practice:write", _("Practice with your cards and answer them for you")

    @property
    def is_writing(self) -> bool:
        """Whether it changes anything."""
        return self.value.endswith(":write")


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    def of(self, user: User) -> Self:
        """Those of the user that were not revoked, expired ones included."""
        return self.filter(user=user, revoked_at=None)

    def live(self, now: datetime) -> Self:
        """Those that work."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


class PersonalToken(models.Model):
    """A token with which a program, such as an assistant, acts for a user within its scopes.

    Only its hash is stored: the token itself is shown once. A revoked row is kept for some time, so that a
    program that still uses it gets the reason why it is refused.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="personal_tokens")
    name = NameField(_("Name"), max_length=60)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list, help_text="Values of Scope.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, help_text="None: never.")
    last_used_at = models.DateTimeField(null=True, help_text="Kept to the minute.")
    revoked_at = models.DateTimeField(null=True)

    objects = PersonalTokenQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["user", "created_at"], name="personal_token_of_user")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user_id}"

    def has_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now
