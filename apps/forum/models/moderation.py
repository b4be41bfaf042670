"""Reports of posts, what moderators decided, and bans."""

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum.models.boards import Board
from apps.forum.models.posts import Post
from apps.forum.models.topics import Topic
from studyplatform.kit.db.prepared_queries import Param


class Report(models.Model):
    """A reader reported a post to the moderators of its board."""

    class Reason(models.TextChoices):
        SPAM = "spam", _("Advertising or spam")
        RUDE = "rude", _("Rude or hurtful")
        OFF_TOPIC = "off_topic", _("Off topic")
        INCORRECT = "incorrect", _("Incorrect or misleading")
        CHEATING = "cheating", _("Cheating or quiz answers")
        OTHER = "other", _("Something else")

    class State(models.TextChoices):
        OPEN = "open", _("Waiting")
        UPHELD = "upheld", _("Upheld")
        DISMISSED = "dismissed", _("Dismissed")

    post = models.ForeignKey(Post, models.CASCADE, related_name="reports")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="post_reports")
    reason = models.CharField(max_length=10, choices=Reason.choices)
    comment = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post", "user"], name="one_report_per_post")]
        indexes = [models.Index(fields=["post", "created_at"], condition=Q(state="open"), name="report_open")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.reason} {self.state}"


class BanQuerySet(models.QuerySet["Ban"]):
    def active(self, now: datetime | Param) -> Self:
        """The bans that are neither over nor lifted."""
        return self.filter(Q(until=None) | Q(until__gt=now), lifted_at=None)


class Ban(models.Model):
    """A user may read, but not write: on one board, or everywhere. It ends by itself."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="forum_bans")
    board = models.ForeignKey(Board, models.CASCADE, null=True, related_name="bans", help_text="Null: everywhere.")
    until = models.DateTimeField(null=True, help_text="Null: until it is lifted.")
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True)

    objects = BanQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user"], condition=Q(lifted_at=None), name="ban_of_user"),
            models.Index(fields=["-created_at"], condition=Q(lifted_at=None), name="ban_newest"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.user_id} until {self.until}"


class ModerationAction(models.Model):
    """One line of the log of moderation. Rows are only added: who takes a decision back adds another one."""

    class Kind(models.TextChoices):
        APPROVED = "approved", _("Approved")
        REJECTED = "rejected", _("Rejected")
        HIDDEN = "hidden", _("Hidden")
        HIDDEN_BY_REPORTS = "auto_hidden", _("Hidden after reports")
        KEPT = "kept", _("Kept")
        REMOVED = "removed", _("Removed")
        RESTORED = "restored", _("Restored")
        EDITED = "edited", _("Edited")
        BANNED = "banned", _("Banned")
        BAN_LIFTED = "ban_lifted", _("Ban lifted")
        PINNED = "pinned", _("Pinned")
        UNPINNED = "unpinned", _("Unpinned")
        CLOSED = "closed", _("Closed")
        REOPENED = "reopened", _("Reopened")
        MOVED = "moved", _("Moved")
        MERGED = "merged", _("Merged")
        SPLIT = "split", _("Split")
        RENAMED = "renamed", _("Renamed")
        RETAGGED = "retagged", _("Tags changed")
        UNDONE = "undone", _("Undone")

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text="Null: it happened by itself."
    )
    kind = models.CharField(max_length=12, choices=Kind.choices)
    post = models.ForeignKey(Post, models.SET_NULL, null=True, related_name="decisions")
    topic = models.ForeignKey(Topic, models.SET_NULL, null=True, related_name="decisions")
    board = models.ForeignKey(Board, models.SET_NULL, null=True, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="forum_decisions",
        help_text="Whose post it was, or who was banned.",
    )
    reason = models.CharField(max_length=500, blank=True)
    details = models.JSONField(default=dict, blank=True, help_text="What is needed to undo it.")
    at = models.DateTimeField()
    undoes = models.OneToOneField("self", models.PROTECT, null=True, related_name="undone_by")

    class Meta:
        indexes = [
            models.Index(F("at").desc(), F("id").desc(), name="decision_newest"),
            models.Index("board", F("at").desc(), name="decision_of_board"),
            models.Index("user", F("at").desc(), name="decision_about_user"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.kind}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the line.

        :raises TypeError: it is in the log already.
        """
        if not self._state.adding:
            raise TypeError("The log of moderation only grows")
        super().save(*args, **kwargs)


def active_ban(user: User, board: Board | None, now: datetime) -> Ban | None:
    """The ban that keeps a user from writing on a board (None: on any), the longest of several. One query."""
    everywhere = Q(board=None)
    return _longest_first(everywhere if board is None else everywhere | Q(board=board), user, now).first()


def bans_in(user: User, course: Course, now: datetime) -> QuerySet[Ban]:
    """The bans that keep a user from writing in a course, the longest first."""
    return _longest_first(Q(board=None) | Q(board__course=course), user, now)


def _longest_first(where: Q, user: User, now: datetime) -> QuerySet[Ban]:
    return Ban.objects.active(now).filter(where, user=user).order_by(F("until").desc(nulls_first=True))
