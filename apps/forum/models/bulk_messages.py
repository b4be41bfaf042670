"""One text that is sent to many learners, each in their own conversation. A job delivers it."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.forum.models.messages import Message
from apps.learning.models import Enrollment


class BulkMessage(models.Model):
    """What somebody wrote to several learners at once. ``source`` has places for names, `placeholders`."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.UUIDField(unique=True, help_text="Made by the form: the same form sent twice is one bulk message.")
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bulk_messages")
    source = models.TextField(help_text="Markdown, before anything is filled in.")
    language = models.CharField(
        max_length=12, blank=True, default="", help_text="Of the sender's pages, for words that are filled in. BCP 47."
    )
    created_at = models.DateTimeField()
    expected = models.PositiveIntegerField(help_text="Number of recipients.")
    sent_count = models.PositiveIntegerField(default=0)
    refused_count = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["sender", "-created_at"], name="bulk_message_newest")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.sent_count}/{self.expected}"

    @property
    def handled_count(self) -> int:
        """How many recipients have their message, or can't get it."""
        return self.sent_count + self.refused_count


class BulkRecipient(models.Model):
    """One learner of a bulk message: the message, or the code of the reason for which there is none, or neither yet."""

    bulk_message = models.ForeignKey(BulkMessage, models.CASCADE, related_name="recipients")
    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="+")
    message = models.OneToOneField(Message, models.SET_NULL, null=True, related_name="+")
    refusal = models.CharField(max_length=60, blank=True)
    handled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bulk_message", "enrollment"], name="one_bulk_message_per_learner")
        ]
        indexes = [
            models.Index(fields=["bulk_message", "id"], condition=Q(handled_at=None), name="bulk_recipients_waiting")
        ]

    def __str__(self) -> str:
        return f"{self.bulk_message_id} to {self.enrollment_id}"
