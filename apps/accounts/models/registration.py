"""Requests for an account."""

import uuid

from django.db import models
from django.db.models import Q

from apps.accounts.models.users import User
from studyplatform.kit.names import NameField


class Registration(models.Model):
    """A request for an account, which is created when the email is verified.

    Every request creates a row, even if the email already has an account: only the email sent differs. Without a
    password it comes from a provider (``provider``, ``provider_uid``).
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    email = models.EmailField()
    first_name = NameField(max_length=150)
    last_name = NameField(max_length=150)
    password = models.CharField(max_length=128, blank=True, help_text="A hash.")
    provider = models.CharField(max_length=200, blank=True)
    provider_uid = models.CharField(max_length=191, blank=True)
    code_hash = models.CharField(max_length=64, blank=True, help_text="Empty until the mail is on its way.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Wrong codes so far.")
    asked_at = models.DateTimeField(help_text="When a mail was asked for last.", db_index=True)
    user = models.OneToOneField(User, models.CASCADE, null=True, related_name="+", help_text="Who it has become.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(tries__lte=10), name="joining_few_tries")]

    def __str__(self) -> str:
        return f"{self.email} {self.asked_at:%Y-%m-%d %H:%M}"
