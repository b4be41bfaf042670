"""What comparing the books, with the provider and with themselves, has found."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class BooksCheck(models.Model):
    """One comparison. ``findings``: a list of {kind, name, text, outcome}; outcome: differs, repaired, or an error."""

    class Kind(models.TextChoices):
        PROVIDER = "provider", _("Payment provider")
        LEDGER = "ledger", _("Ledger")

    class State(models.TextChoices):
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    KEPT = 500  # findings of one check

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    repairs = models.BooleanField(default=False, help_text="Whether it repaired what it found.")
    state = models.CharField(max_length=8, choices=State.choices)
    days = models.PositiveSmallIntegerField(null=True, help_text="How far back it compared with the provider.")
    examined = models.PositiveIntegerField(default=0, help_text="Payments, disputes or entries.")
    found = models.PositiveIntegerField(default=0)
    repaired = models.PositiveIntegerField(default=0)
    findings = models.JSONField(default=list, help_text="The first of them.")
    error = models.CharField(max_length=300, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind"], condition=Q(state="running"), name="one_running_check"),
        ]
        indexes = [models.Index(fields=["kind", "-started_at"], name="books_check_latest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.started_at:%Y-%m-%d %H:%M}"
