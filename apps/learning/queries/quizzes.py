"""Read quizzes and attempts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, UUIDField

from apps.accounts.policies import AnyUser
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Question, Quiz
from apps.learning import policies
from apps.learning.models import Attempt
from apps.learning.outline import Placed, Standing
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import OpenLesson, cached
from apps.learning.queries.outline import outline_of
from apps.learning.quizzes.attempts import QuizAttempts
from apps.learning.quizzes.presentation import attempt_out, quiz_out
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

_QUIZ = Param("quiz", BigIntegerField())
_QUESTIONS = PreparedQuery(
    lambda: Question.objects.filter(quiz=_QUIZ).order_by("position").select_related("rewatch_lesson")
)
_TRIES = PreparedQuery(
    lambda: Attempt.objects.filter(enrollment=Param("enrollment", BigIntegerField()), quiz=_QUIZ).order_by("number")
)
_ATTEMPT = PreparedQuery(
    lambda: (
        Attempt.objects.select_related("enrollment", "quiz__lesson__course")
        .defer("quiz__lesson__body", "quiz__lesson__course__description", "quiz__lesson__course__outcomes")
        .filter(uid=Param("uid", UUIDField()))
    )
)


def questions_of(quiz: Quiz) -> list[Question]:
    """Return the quiz's questions in order, with the lessons to rewatch."""
    return _QUESTIONS(quiz=quiz.pk)


def get_attempt(user: AnyUser, uid: UUID) -> Attempt:
    """Return an attempt that the user may see.

    :raises NotFound: there is none, or ``policies.see_attempt`` refuses it.
    """
    attempt = _ATTEMPT.first(uid=uid)
    if attempt is None:
        raise NotFound
    enforce(policies.see_attempt(user, attempt))
    return attempt


def attempts_at(quiz: Quiz, standing: Standing) -> QuizAttempts:
    """Return the learner's attempts at a quiz, oldest first. One query; none without an enrollment."""
    if standing.enrollment is None:
        return QuizAttempts(quiz, ())
    return QuizAttempts(quiz, tuple(_TRIES(enrollment=standing.enrollment.pk, quiz=quiz.pk)))


@dataclass(frozen=True)
class QuizAhead:
    """The next quiz after a lesson, for the card beside that lesson."""

    placed: Placed
    url: str
    question_count: int
    pass_percent: int
    best: int | None
    """The percent of the best submitted attempt; None without one."""

    @property
    def is_passed(self) -> bool:
        return self.placed.state == "completed"


def quiz_ahead(opened: OpenLesson) -> QuizAhead | None:
    """Return the next quiz of the course after this lesson. One query; none if it is cached or there is no quiz."""
    passed_here = False
    for placed in opened.placed:
        if passed_here and placed.entry.kind == Lesson.Kind.QUIZ:
            break
        passed_here = passed_here or placed.entry.pk == opened.lesson.pk
    else:
        return None
    asked, pass_percent = cached(("quiz", placed.entry.pk), lambda: _rules_of(placed.entry.pk))
    if not asked:
        return None
    best = opened.standing.best.get(placed.entry.pk)
    return QuizAhead(placed, lesson_url(opened.course.slug, placed.entry.slug), asked, pass_percent, best)


def _rules_of(lesson_pk: int) -> tuple[int, int]:
    """Return how many questions a quiz has, and its pass mark in percent."""
    quizzes = Quiz.objects.filter(lesson=lesson_pk).annotate(asked=Count("questions"))
    return quizzes.values_list("asked", "pass_percent").first() or (0, 0)


def quiz_page_out(opened: OpenLesson, *, now: datetime) -> dict[str, Any]:
    """Return the shape ``QuizOut`` of a quiz lesson. Two queries.

    :raises LectureUnavailable: the lesson is not a quiz.
    """
    quiz = getattr(opened.lesson, "quiz", None)
    if quiz is None:
        raise LectureUnavailable
    return quiz_out(
        opened.lesson,
        attempts_at(quiz, opened.standing),
        questions_of(quiz),
        may_attempt=opened.may_save,
        following=opened.around()[1],
        now=now,
    )


def attempt_page_out(attempt: Attempt, *, now: datetime) -> dict[str, Any]:
    """Return the shape ``AttemptOut`` of an attempt."""
    quiz, lesson = attempt.quiz, attempt.quiz.lesson
    return attempt_out(
        attempt,
        lesson,
        attempts_at(quiz, Standing(attempt.enrollment)),
        [] if attempt.submitted_at else questions_of(quiz),
        following=outline_of(lesson.course).around(lesson.pk)[1],
        now=now,
    )
