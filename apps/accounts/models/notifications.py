"""Notifications, and how users want to receive them."""

import uuid
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models.users import User

MAX_KEY_LENGTH = 64  # characters


class NotificationQuerySet(models.QuerySet["Notification"]):
    def of(self, user: User) -> Self:
        return self.filter(user=user)

    def shown(self) -> Self:
        """Those that the user wants to see on the site."""
        return self.filter(in_app=True)

    def unread(self) -> Self:
        return self.filter(read_at=None)


class Notification(models.Model):
    """A message to a user. Its text is created from kind and params when it is shown."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=40)
    params = models.JSONField(default=dict)
    link = models.CharField(max_length=300, blank=True, help_text="An address of this site.")
    key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="At most one per person, kind and key.")
    in_app = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    digest_due_at = models.DateTimeField(null=True, help_text="Waits for the digest mail.")

    objects = NotificationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind", "key"], condition=~Q(key=""), name="one_notification_per_fact"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"], condition=Q(in_app=True), name="notification_newest"),
            models.Index(fields=["user"], condition=Q(in_app=True, read_at=None), name="notification_unread"),
            models.Index(fields=["digest_due_at"], condition=~Q(digest_due_at=None), name="notification_digest"),
            models.Index(fields=["key"], condition=~Q(key=""), name="notification_of_fact"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user_id}"


class NotificationChoice(models.Model):
    """How one user wants to receive one kind; without a row, the kind's default applies."""

    class Mail(models.TextChoices):
        NOW = "now", _("Immediately")
        DIGEST = "digest", _("In the digest")
        OFF = "off", _("Never")

    user = models.ForeignKey(User, models.CASCADE, related_name="notification_choices")
    kind = models.CharField(max_length=40)
    in_app = models.BooleanField(default=True)
    mail = models.CharField(max_length=6, choices=Mail.choices, default=Mail.NOW)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="one_choice_per_kind")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}: {self.mail}"
