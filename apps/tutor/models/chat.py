"""Chats of learners with the tutor."""

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course, Lesson
from studyplatform.kit.names import NameField

MOST_TITLE = 120
MOST_QUESTION = 4_000


class ChatQuerySet(models.QuerySet["Chat"]):
    def of(self, user_id: int) -> Self:
        """The user's chats, without deleted ones."""
        return self.filter(user_id=user_id, deleted_at=None)


class Chat(models.Model):
    """What a learner and the tutor say to each other. Services change it while they hold the lock of its row.

    Its scope is the lesson, otherwise the course, otherwise all courses that the learner may open.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="chats")
    title = NameField(max_length=MOST_TITLE)
    course = models.ForeignKey(Course, models.SET_NULL, null=True, related_name="+")
    lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    objects = ChatQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user", "-changed_at", "-id"], name="chats_of_user", condition=Q(deleted_at=None)),
        ]

    def __str__(self) -> str:
        return str(self.uid)  # not the title: what learners ask is not shown to admins


class Mode(models.TextChoices):
    ASK = "ask", _("Ask")
    EXPLAIN = "explain", _("Explain this part")
    HINT = "hint", _("Hint")
    QUIZ = "quiz", _("Quiz me")
    SUMMARY = "summary", _("Summary")
    CARDS = "cards", _("Flash cards")
    PLAN = "plan", _("Study plan")


class Exchange(models.Model):
    """A question and the tutor's answers to it: asking for another answer adds one."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    chat = models.ForeignKey(Chat, models.CASCADE, related_name="exchanges")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", help_text="Of the chat.")
    key = models.UUIDField(help_text="From the browser: a repeated request is the same question.")
    position = models.PositiveIntegerField(help_text="From 1.")
    question = models.CharField(max_length=MOST_QUESTION)
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.ASK)
    lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="+")
    second = models.PositiveIntegerField(null=True, help_text="Of the lesson's video: the moment to explain.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["chat", "position"], name="one_exchange_per_position"),
            models.UniqueConstraint(fields=["user", "key"], name="one_exchange_per_key"),
        ]

    def __str__(self) -> str:
        return str(self.uid)

    @property
    def asked_about(self) -> Course | None:
        """The course of the lesson, otherwise that of the chat; None: all courses."""
        return self.lesson.course if self.lesson else self.chat.course


class Answer(models.Model):
    """What the tutor answers, from the moment it was asked for. The newest of an exchange is shown first."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        STREAMING = "streaming", _("Streaming")
        FINISHED = "finished", _("Finished")
        STOPPED = "stopped", _("Stopped")
        INTERRUPTED = "interrupted", _("Interrupted")
        FAILED = "failed", _("Failed")

    class Kind(models.TextChoices):
        COURSE = "", _("From the course")
        DECLINED = "declined", _("Declined")
        FILTERED = "filtered", _("Filtered")
        OUTSIDE = "outside", _("Not from the course")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    exchange = models.ForeignKey(Exchange, models.CASCADE, related_name="answers")
    number = models.PositiveIntegerField(help_text="From 1.")
    state = models.CharField(max_length=11, choices=State.choices, default=State.WAITING)
    kind = models.CharField(max_length=8, choices=Kind.choices, blank=True)
    text = models.TextField(blank=True, help_text="Markdown; [1] cites the first citation.")
    error_code = models.CharField(max_length=40, blank=True, help_text="Why it failed, from the error catalog.")
    provider = models.CharField(max_length=120, blank=True, help_text='"search", or the name of the model.')
    is_search = models.BooleanField(default=True, help_text="Passages are quoted; no model answers.")
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost_micros = models.PositiveBigIntegerField(default=0, help_text="Millionths of the currency of the prices.")
    claims = models.PositiveIntegerField(default=0, help_text="How often a process began to generate it.")
    explains = models.JSONField(
        default=list,
        blank=True,
        help_text="Lessons of the quizzes whose explanations the provider was told: the text may contain them.",
    )
    lease_until = models.DateTimeField(null=True, help_text="Until then the process that generates it is alive.")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    rating = models.SmallIntegerField(null=True, choices=[(1, _("Helpful")), (-1, _("Not helpful"))])
    rating_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["exchange", "number"], name="one_answer_per_number"),
            models.CheckConstraint(condition=Q(rating__in=[1, -1]) | Q(rating=None), name="rating_of_answer"),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="answers_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.uid}: {self.state}"

    def state_at(self, now: datetime) -> str:
        """Return the state; a streaming answer whose process died is interrupted."""
        is_dead = self.state == self.State.STREAMING and (self.lease_until is None or self.lease_until <= now)
        return str(self.State.INTERRUPTED if is_dead else self.state)


class Citation(models.Model):
    """A passage that an answer cites, as it was then: the passage itself may change."""

    answer = models.ForeignKey(Answer, models.CASCADE, related_name="citations")
    number = models.PositiveIntegerField(help_text="As in the answer's text.")
    passage_uid = models.UUIDField(db_index=True)
    course = models.ForeignKey(Course, models.CASCADE, related_name="+")
    lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="+")
    heading = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    second = models.FloatField(null=True, help_text="Of the lesson's video.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "number"], name="one_citation_per_number")]

    def __str__(self) -> str:
        return f"[{self.number}] {self.passage_uid}"
