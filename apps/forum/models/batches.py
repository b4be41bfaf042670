"""One text that is sent to many learners, each in their own conversation. A job delivers it."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.forum.models.messages import Message
from apps.learning.models import Enrollment


class MessageBatch(models.Model):
    """What somebody wrote to several learners at once. ``source`` has places for names, `placeholders`."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.UUIDField(unique=True, help_text="Made by the form: the same form sent twice is one batch.")
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="message_batches")
    source = models.TextField(help_text="Markdown, before anything is filled in.")
    created_at = models.DateTimeField()
    expected = models.PositiveIntegerField(help_text="Number of recipients.")
    sent_count = models.PositiveIntegerField(default=0)
    refused_count = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["sender", "-created_at"], name="message_batch_newest")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.sent_count}/{self.expected}"

    @property
    def handled_count(self) -> int:
        """How many recipients have their message, or can't get it."""
        return self.sent_count + self.refused_count


class BatchRecipient(models.Model):
    """One learner of a batch: the message, or the code of the reason for which there is none, or neither yet."""

    batch = models.ForeignKey(MessageBatch, models.CASCADE, related_name="recipients")
    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="+")
    message = models.OneToOneField(Message, models.SET_NULL, null=True, related_name="+")
    refusal = models.CharField(max_length=60, blank=True)
    handled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "enrollment"], name="one_message_of_batch_per_learner")]
        indexes = [models.Index(fields=["batch", "id"], condition=Q(handled_at=None), name="batch_recipients_waiting")]

    def __str__(self) -> str:
        return f"{self.batch_id} to {self.enrollment_id}"
