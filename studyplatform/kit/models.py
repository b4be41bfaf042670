"""The tables of jobs, rate limits, cache versions and announcements."""

import uuid

from django.db import models
from django.db.models import Q


class Job(models.Model):
    """A piece of background work. A worker claims it by a lease; once the lease expires another worker may claim it."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=64)
    queue = models.CharField(max_length=16, default="default")
    key = models.CharField(max_length=128, blank=True, help_text="At most one open job per kind and key.")
    payload = models.JSONField(default=dict)
    priority = models.SmallIntegerField(default=0, help_text="Higher runs first.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    run_at = models.DateTimeField()
    lease_token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(state__in=["queued", "running"]) & ~Q(key=""),
                name="one_open_job_per_key",
            ),
        ]
        indexes = [
            models.Index(fields=["queue", "-priority", "run_at"], condition=Q(state="queued"), name="job_next"),
            models.Index(fields=["lease_until"], condition=Q(state="running"), name="job_lease"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk} {self.state}"


class Tally(models.Model):
    """How often something was done in the period until ``ends_at`` (kit/web/rate_limits.py). The key is a hash."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key[:8]} {self.count}"


class Version(models.Model):
    """The current version of some tables, written only by triggers (kit/caching/table_versions.py)."""

    name = models.CharField(max_length=32, primary_key=True)
    value = models.CharField(max_length=36)

    def __str__(self) -> str:
        return f"{self.name} {self.value}"


class Announcement(models.Model):
    """A sentence at the top of every page for a period, e.g. about scheduled maintenance."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    text = models.CharField(
        max_length=300,
        help_text="For example: Scheduled maintenance on Saturday, 28 November, 2 to 4 AM EST.",
    )
    shown_from = models.DateTimeField()
    shown_until = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(shown_until__gt=models.F("shown_from")),
                name="announcement_ends_after_it_begins",
                violation_error_message="An announcement must end after it begins.",
            ),
        ]
        indexes = [models.Index(fields=["shown_until"], name="announcement_end")]

    def __str__(self) -> str:
        return self.text
