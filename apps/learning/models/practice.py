"""Practice: cards that return when they are about to be forgotten, and the reviews that move them."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.courses.models import Question, Quiz


class PracticeCard(models.Model):
    """A question that a learner missed, or a flash card that the learner made.

    The schedule (``due`` to ``lapses``) follows from the card's reviews alone, see ``learning.practice.schedule``.
    """

    class State(models.IntegerChoices):
        LEARNING = 1
        REVIEW = 2
        RELEARNING = 3

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="practice_cards")
    created_at = models.DateTimeField()
    question = models.ForeignKey(Question, models.CASCADE, null=True, related_name="+")
    quiz = models.ForeignKey(
        Quiz,
        models.CASCADE,
        null=True,
        related_name="+",
        help_text="In which a question of the question bank was missed; null: the question's own.",
    )
    missed = models.PositiveSmallIntegerField(default=0, help_text="In how many submitted attempts.")
    missed_at = models.DateTimeField(null=True)
    front = models.TextField(blank=True, help_text="Markdown; of a flash card.")
    back = models.TextField(blank=True, help_text="Markdown; of a flash card.")
    deleted_at = models.DateTimeField(null=True, help_text="Of a flash card: it can be brought back for a while.")

    due = models.DateTimeField()
    state = models.PositiveSmallIntegerField(choices=State.choices, default=State.LEARNING)
    step = models.PositiveSmallIntegerField(null=True, default=0)
    stability = models.FloatField(null=True, help_text="Days until the card is remembered with 90% probability.")
    difficulty = models.FloatField(null=True, help_text="From 1 to 10.")
    last_review = models.DateTimeField(null=True)
    turn = models.PositiveIntegerField(default=0, help_text="How often the card was reviewed.")
    lapses = models.PositiveIntegerField(default=0, help_text="How often it was forgotten after it had been learned.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "question"], name="one_card_per_question"),
            models.CheckConstraint(
                condition=Q(question__isnull=False, front="", back="") | (Q(question__isnull=True) & ~Q(front="")),
                name="card_of_question_or_own",
            ),
        ]
        indexes = [models.Index(fields=["user", "due"], name="practice_due")]

    def __str__(self) -> str:
        return self.front[:60] or f"Card of question {self.question_id}"

    @property
    def of_quiz(self) -> Quiz | None:
        """The quiz that the card is from; None for a flash card."""
        return self.quiz or (self.question.quiz if self.question is not None else None)


class PracticeReview(models.Model):
    """One time that a learner answered a card and rated it. Never changed."""

    class Rating(models.IntegerChoices):
        AGAIN = 1
        HARD = 2
        GOOD = 3
        EASY = 4

    card = models.ForeignKey(PracticeCard, models.CASCADE, related_name="reviews")
    key = models.UUIDField(help_text="Made by the browser: a repeated message is the same review.")
    turn = models.PositiveIntegerField(help_text="Which review of the card the learner saw it as, from 0.")
    rating = models.PositiveSmallIntegerField(choices=Rating.choices)
    verdict = models.CharField(max_length=6, blank=True, help_text="Of the answer: right, partly, wrong or open.")
    reviewed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["card", "key"], name="one_review_per_key"),
            models.CheckConstraint(condition=Q(rating__gte=1, rating__lte=4), name="review_rating_range"),
        ]
        indexes = [models.Index(fields=["card", "turn", "reviewed_at"], name="practice_review_order")]

    def __str__(self) -> str:
        return f"#{self.card_id} {self.rating}"
