"""Read quizzes and attempts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, Q, UUIDField

from apps.accounts.policies import AnyUser
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Question, Quiz
from apps.courses.queries.draws import Draw, draws_of
from apps.learning import policies
from apps.learning.models import Attempt
from apps.learning.outline import Placed, Standing, place_all
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.exceptions import exceptions_at
from apps.learning.queries.lessons import OpenLesson, cached
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.removed_lessons import entry_after
from apps.learning.quizzes.attempts import QuizAttempts
from apps.learning.quizzes.drawing import restored
from apps.learning.quizzes.presentation import attempt_out, quiz_out
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

_QUIZ = Param("quiz", BigIntegerField())
_QUESTIONS = PreparedQuery(
    lambda: (
        Question.objects.filter(quiz=_QUIZ, is_withdrawn=False).order_by("position").select_related("rewatch_lesson")
    )
)
_TRIES = PreparedQuery(
    lambda: Attempt.objects.filter(enrollment=Param("enrollment", BigIntegerField()), quiz=_QUIZ).order_by("number")
)
_ATTEMPT = PreparedQuery(
    lambda: (
        Attempt.objects.select_related("enrollment__user", "quiz__lesson__course")
        .defer("quiz__lesson__body", "quiz__lesson__course__description", "quiz__lesson__course__outcomes")
        .filter(uid=Param("uid", UUIDField()))
    )
)


def questions_of(quiz: Quiz) -> list[Question]:
    """Return the questions that the quiz may ask, in order, with the lessons to rewatch."""
    return _QUESTIONS(quiz=quiz.pk)


def bank_draws_of(quiz: Quiz) -> list[Draw]:
    """Return what an attempt gets from the question bank. No query for a quiz that draws nothing from it."""
    return draws_of(quiz) if quiz.bank_count else []


def questions_in(attempt: Attempt) -> list[Question]:
    """Return the questions of an open attempt as they were drawn. No query, or one if nothing was drawn."""
    return restored(attempt.asked) or questions_of(attempt.quiz)


def get_attempt(user: AnyUser, uid: UUID) -> Attempt:
    """Return an attempt that the user may see, also at a quiz that was removed meanwhile.

    :raises NotFound: there is none, or ``policies.see_attempt`` refuses it.
    """
    attempt = _ATTEMPT.first(uid=uid)
    if attempt is None:
        raise NotFound
    enforce(policies.see_attempt(user, attempt))
    return attempt


def attempts_at(quiz: Quiz, standing: Standing, now: datetime) -> QuizAttempts:
    """Return the learner's attempts at a quiz as they are now, oldest first, with the exceptions in force for them.

    One query, and one more if exceptions were granted to the learner; none without an enrollment.
    """
    if standing.enrollment is None:
        return QuizAttempts(quiz, (), now)
    attempts = tuple(_TRIES(enrollment=standing.enrollment.pk, quiz=quiz.pk))
    return QuizAttempts(quiz, attempts, now, exceptions_at(quiz, standing.enrollment))


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
    pool = Count("questions", filter=Q(questions__is_withdrawn=False, questions__removed_at=None))
    quiz = Quiz.objects.filter(lesson=lesson_pk).annotate(pool=pool).first()
    return (quiz.asks(quiz.pool) + quiz.bank_count, quiz.pass_percent) if quiz else (0, 0)


def quiz_page_out(opened: OpenLesson, *, now: datetime) -> dict[str, Any]:
    """Return the shape ``QuizOut`` of a quiz lesson. Two queries, and four if it draws from the question bank.

    :raises LectureUnavailable: the lesson is not a quiz.
    """
    quiz = getattr(opened.lesson, "quiz", None)
    if quiz is None:
        raise LectureUnavailable
    return quiz_out(
        opened.lesson,
        attempts_at(quiz, opened.standing, now),
        questions_of(quiz),
        draws=bank_draws_of(quiz),
        may_attempt=opened.may_save,
        following=opened.around()[1],
        may_open=open_slugs(opened.placed),
        now=now,
    )


def open_slugs(placed: Iterable[Placed]) -> frozenset[str]:
    """Return the slugs of the lessons that the learner may open."""
    return frozenset(one.entry.slug for one in placed if one.is_open)


def _may_open(attempt: Attempt) -> frozenset[str]:
    """Return the slugs of the open lessons, if the attempt's result names a lesson to rewatch. One query then."""
    if not any(stored["rewatch"] for stored in attempt.results):
        return frozenset()
    course = attempt.quiz.lesson.course
    return open_slugs(place_all(course, outline_of(course), standing_of(attempt.enrollment.user, course)))


def attempt_page_out(attempt: Attempt, *, now: datetime) -> dict[str, Any]:
    """Return the shape ``AttemptOut`` of an attempt."""
    quiz, lesson = attempt.quiz, attempt.quiz.lesson
    return attempt_out(
        attempt,
        lesson,
        attempts_at(quiz, Standing(attempt.enrollment), now),
        [] if attempt.submitted_at or attempt.asked else questions_of(quiz),
        following=entry_after(lesson, outline_of(lesson.course)),
        may_open=_may_open(attempt),
        now=now,
    )
