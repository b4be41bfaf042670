"""Ratings of courses, what instructors answer, and what readers say about them."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course
from apps.learning.models.enrollment import Enrollment

USER = settings.AUTH_USER_MODEL


class RatingQuerySet(models.QuerySet["Rating"]):
    def shown(self) -> Self:
        """Ratings that everyone sees, and that count: neither deleted nor hidden."""
        return self.filter(deleted_at=None, hidden_at=None)

    def written(self) -> Self:
        return self.exclude(text="")


class Rating(models.Model):
    """One learner's rating of a course, with an optional text and the instructor's reply.

    A deleted rating keeps its row for a while, so that the deletion can be undone; a hidden one was hidden by an admin.
    """

    enrollment = models.OneToOneField(Enrollment, models.CASCADE, related_name="rating")
    course = models.ForeignKey(Course, models.CASCADE, related_name="ratings")
    stars = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True, max_length=2000, help_text="Plain text.")
    helpful_count = models.PositiveIntegerField(default=0, help_text="How many users found it helpful.")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)
    hidden_at = models.DateTimeField(null=True)
    reply = models.TextField(blank=True, max_length=2000)
    replied_by = models.ForeignKey(USER, models.SET_NULL, null=True, related_name="+")
    replied_at = models.DateTimeField(null=True)
    reply_changed_at = models.DateTimeField(null=True)

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(stars__gte=1, stars__lte=5), name="rating_one_to_five")]
        indexes = [
            models.Index(fields=["course", "-created_at"], name="rating_newest"),
            models.Index("course", F("helpful_count").desc(), F("created_at").desc(), name="rating_most_helpful"),
        ]

    def __str__(self) -> str:
        return f"{self.stars} for {self.course_id}"

    @property
    def is_shown(self) -> bool:
        return self.deleted_at is None and self.hidden_at is None

    @property
    def is_edited(self) -> bool:
        return self.updated_at > self.created_at


class HelpfulVote(models.Model):
    """That a user found a rating helpful."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="votes")
    user = models.ForeignKey(USER, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rating", "user"], name="one_helpful_vote_per_user")]

    def __str__(self) -> str:
        return f"{self.user_id} for {self.rating_id}"


class RatingReport(models.Model):
    """A rating that a reader showed to the admins."""

    class Reason(models.TextChoices):
        SPAM = "spam", _("Spam or advertising")
        INSULT = "insult", _("Insulting or hateful")
        PRIVATE = "private", _("Names a person or shares private data")
        OFF_TOPIC = "off_topic", _("Isn't about the course")
        OTHER = "other", _("Something else")

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        UPHELD = "upheld", _("Upheld")
        DISMISSED = "dismissed", _("Dismissed")

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="reports")
    user = models.ForeignKey(USER, models.CASCADE, related_name="+")
    reason = models.CharField(max_length=10, choices=Reason.choices)
    comment = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rating", "user"], name="one_rating_report_per_user")]
        indexes = [models.Index(fields=["rating"], condition=Q(state="open"), name="rating_report_open")]

    def __str__(self) -> str:
        return f"{self.user_id} about {self.rating_id}"


class RatingDecision(models.Model):
    """What an admin decided about a rating: a line of the log."""

    class Kind(models.TextChoices):
        HIDE = "hide", _("Hidden")
        KEEP = "keep", _("Reports dismissed")
        SHOW = "show", _("Shown again")

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="decisions")
    admin = models.ForeignKey(USER, models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=4, choices=Kind.choices)
    reason = models.CharField(max_length=500, blank=True)
    decided_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.rating_id}"
