"""Close attempts, submitted or run out, with what follows: results, essays, practice cards, the completed lesson."""

import logging
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from fractions import Fraction

from django.db import transaction
from django.db.models import BigIntegerField, DateTimeField, ExpressionWrapper, F, IntegerField
from django.db.models.functions import Coalesce

from apps.courses.models import Question, Quiz
from apps.learning.activity.learned_days import local_moment
from apps.learning.events import QuizSubmitted
from apps.learning.models import Achievement, Attempt, EssayAnswer
from apps.learning.queries.exceptions import exceptions_at
from apps.learning.queries.quizzes import questions_in
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import GRACE, QuizAttempts, is_over, pass_mark, set_score
from apps.learning.quizzes.correcting import take_better_keys
from apps.learning.quizzes.results import stored_result
from apps.learning.services.completion import finish
from apps.learning.services.continuing import carry_marks, save_essays
from apps.learning.services.learned_days import award
from apps.learning.services.practice import add_missed
from apps.learning.services.progress import open_lesson
from studyplatform.kit.db.prepared_queries import Param, PreparedUpdate
from studyplatform.kit.events import publish

logger = logging.getLogger(__name__)

CLOSING_INTERVAL = timedelta(minutes=5)
MAX_CLOSED_AT_ONCE = 2_000  # by one run of the job; the next one goes on
_RESULT = (
    "submitted_at", "answers", "results", "score", "points", "percent", "is_passed", "waiting", "pass_percent",
)  # fmt: skip
_PK = Param("pk", BigIntegerField())
_CLOSE = PreparedUpdate(lambda: Attempt.objects.filter(pk=_PK), *_RESULT)


def close_attempt(
    attempt: Attempt,
    quiz: Quiz,
    questions: list[Question],
    answers: dict[str, marking.Answer],
    now: datetime,
    *,
    submitted_at: datetime | None = None,
) -> None:
    """Mark the answers and write the result into the attempt, which the caller has locked. Essays wait for a person.

    It was submitted now, unless a device says that it was before.
    """
    if take_better_keys(attempt.asked, answers):
        questions = questions_in(attempt)
        Attempt.objects.filter(pk=attempt.pk).update(asked=attempt.asked)
    essays, earned = mark_answers(attempt, quiz, questions, answers, submitted_at or now)
    _CLOSE(pk=attempt.pk, **{name: getattr(attempt, name) for name in _RESULT})
    for essay in essays:
        essay.attempt = attempt
    save_essays(essays)
    practice_missed(attempt, quiz, now)
    publish(
        QuizSubmitted(
            attempt_id=attempt.pk,
            user_id=attempt.enrollment.user_id,
            lesson_id=quiz.lesson.pk,
            is_passed=attempt.is_passed,
            is_perfect=attempt.points > 0 and earned == attempt.points,
            waiting=attempt.waiting,
        )
    )


def mark_answers(
    attempt: Attempt, quiz: Quiz, questions: list[Question], answers: dict[str, marking.Answer], now: datetime
) -> tuple[list[EssayAnswer], Fraction]:
    """Write the result of answers into an attempt. Return its essays and the points it earned. Nothing is saved."""
    earned, points, results, essays = Fraction(0), 0, [], []
    for place, question in enumerate(questions, start=1):
        answer = answers.get(str(question.uid))
        mark = marking.mark(question, answer)
        part = mark.share * question.points
        earned += part
        points += question.points
        results.append(stored_result(question, answer, mark, part))
        if mark.is_waiting:
            essay = EssayAnswer(question_uid=question.uid, place=place, points=question.points, submitted_at=now)
            essays.append(essay)
    earned += carry_marks(attempt, essays, answers, results)
    attempt.pass_percent = pass_mark(attempt, quiz)
    attempt.submitted_at = now
    attempt.answers = answers
    attempt.results = results
    attempt.points = points
    attempt.waiting = sum(essay.earned is None for essay in essays)
    set_score(attempt, earned)
    return essays, earned


def practice_missed(attempt: Attempt, quiz: Quiz, now: datetime) -> None:
    """Make practice cards of what was missed, in this attempt and in those whose answers it has revealed."""
    if quiz.reveal == Quiz.Reveal.NEVER:
        return
    before = (
        Attempt.objects.filter(enrollment=attempt.enrollment_id, quiz=quiz)
        .exclude(pk=attempt.pk)
        .defer("asked", "answers")
    )
    attempts = tuple(sorted((*before, attempt), key=lambda one: one.number))
    exceptions = exceptions_at(quiz, attempt.enrollment)
    add_missed(QuizAttempts(quiz, attempts, now, exceptions), user_id=attempt.enrollment.user_id, now=now)


def complete_attempt(attempt: Attempt, now: datetime) -> None:
    """Do what submitting does for an attempt without essays. It counts on the day on which it was submitted."""
    _complete_lesson(attempt, now)
    practice_missed(attempt, attempt.quiz, now)


def _complete_lesson(attempt: Attempt, now: datetime) -> None:
    """Complete the lesson with an attempt that is passed, and award a perfect score."""
    enrollment, submitted_at = attempt.enrollment, attempt.submitted_at or now
    zone = enrollment.user.day_zone(now)
    if attempt.is_passed:
        progress = open_lesson(enrollment=enrollment, lesson=attempt.quiz.lesson, now=now)
        finish(progress, zone=zone, now=now, at=submitted_at, by_learner=False)
    award_perfect_score(attempt, zone, now)


def award_perfect_score(attempt: Attempt, zone: str, now: datetime) -> None:
    """Award a perfect score to the learner of a submitted attempt that has one. Idempotent."""
    if attempt.percent < 100 or attempt.waiting:
        return
    award(
        user_id=attempt.enrollment.user_id,
        kind=Achievement.Kind.PERFECT_SCORE,
        day=local_moment(attempt.submitted_at or now, zone, now=now).date(),
        now=now,
        lesson_id=attempt.quiz.lesson_id,
    )


def close_if_over(attempt: Attempt, now: datetime) -> bool:
    """Close an open attempt whose time is over, with the answers it has; return whether it was.

    All follows from it that follows when an attempt is submitted, but no time of learning is counted: nobody knows it.
    The caller has locked it, and nothing that is locked after attempts, such as enrollments.
    """
    if not is_over(attempt, attempt.quiz, now):
        return False
    close_attempt(attempt, attempt.quiz, questions_in(attempt), attempt.answers, now)
    if not attempt.waiting:
        _complete_lesson(attempt, now)
    return True


def close_overdue_attempts(
    *,
    enrollments: Collection[int] | None = None,
    quiz: Quiz | None = None,
    now: datetime,
    keep_alive: Callable[[], None] = lambda: None,
) -> int:
    """Close the open attempts whose time is over, of these enrollments or of everyone; return how many. Idempotent.

    Until then the pages of their learners take them as closed, and extra time opens them again.
    """
    limit = Coalesce("time_limit", "quiz__time_limit", output_field=IntegerField())
    end = ExpressionWrapper(F("started_at") + F("limit") * timedelta(seconds=1), output_field=DateTimeField())
    rows = Attempt.objects.filter(submitted_at=None, enrollment__revoked_at=None).annotate(limit=limit)
    rows = rows.filter(limit__gt=0).annotate(end=end).filter(end__lt=now - GRACE)
    if enrollments is not None:
        rows = rows.filter(enrollment__in=enrollments)
    if quiz is not None:
        rows = rows.filter(quiz=quiz)
    closed = 0
    for pk in list(rows.order_by("pk").values_list("pk", flat=True)[:MAX_CLOSED_AT_ONCE]):
        keep_alive()
        try:
            closed += _close_overdue(pk, now)
        except Exception:
            logger.exception("Closing attempt %s failed", pk)  # those behind it don't wait for it
    return closed


def _close_overdue(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        locked = Attempt.objects.select_for_update(of=("self",)).filter(pk=pk, submitted_at=None)
        attempt = locked.select_related("enrollment__user", "quiz__lesson__course").first()
        return attempt is not None and close_if_over(attempt, now)
