"""What visitors enter on the sample pages. Deleted every night."""

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

MOST_PER_BROWSER = 20  # entries of each kind
MOST_CHARACTERS = 100


class SampleEntry(models.Model):
    """An entry on a sample page. It belongs to a browser, not to a user: nobody else sees it.

    ``slot`` numbers the entries of a browser from 0, so the database itself limits how many there can be.
    """

    class Kind(models.TextChoices):
        TODO = "todo"
        GUEST = "guest"
        MCP = "mcp"  # to-dos that an MCP client shares

    uid = models.UUIDField(default=uuid.uuid4, editable=False, help_text="Unique within a browser.")
    browser = models.UUIDField(editable=False)
    kind = models.CharField(max_length=5, choices=Kind.choices)
    slot = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=MOST_CHARACTERS)
    is_done = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "sample entries"
        constraints = [
            models.UniqueConstraint(fields=["browser", "uid"], name="sample_entry_uid"),
            models.UniqueConstraint(fields=["browser", "kind", "slot"], name="sample_entry_slot"),
            models.UniqueConstraint(
                "browser", Lower("text"), condition=Q(kind="guest"), name="sample_guest_listed_once"
            ),
            models.CheckConstraint(condition=Q(slot__lt=MOST_PER_BROWSER), name="sample_entries_per_browser"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.text}"
