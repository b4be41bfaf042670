"""What is known of addresses in texts of courses, and which findings their authors ignore."""

from django.conf import settings
from django.db import models

from apps.courses.models.course import Course


class LinkCheck(models.Model):
    """The last check of an address of another site that a course links or plays."""

    class State(models.TextChoices):
        NEW = "new", "Not checked yet"
        ALIVE = "alive", "Answers"
        DEAD = "dead", "Dead"
        UNSURE = "unsure", "Can't be checked"

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the address, which may be long.")
    address = models.TextField()
    state = models.CharField(max_length=6, choices=State.choices, default=State.NEW)
    status = models.PositiveSmallIntegerField(null=True, help_text="HTTP status of the last answer.")
    detail = models.CharField(max_length=120, blank=True, help_text="What is wrong, for its author.")
    failures = models.PositiveSmallIntegerField(default=0, help_text="In a row; an address is dead after several.")
    checked_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(help_text="When it is checked next.")

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="link_checks_by_due")]

    def __str__(self) -> str:
        return f"{self.state} {self.address}"


class IgnoredFinding(models.Model):
    """A finding that an author ignores, until what it is about changes: then its key is another.

    ``course`` is the published one for a working copy too: findings have the same keys in both.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="ignored_findings")
    key = models.CharField(max_length=20)
    reason = models.CharField(max_length=300)
    ignored_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    ignored_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["course", "key"], name="one_ignored_finding_per_key")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.key}"
