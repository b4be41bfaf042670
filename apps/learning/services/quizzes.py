"""Open and submit attempts at a quiz. The server marks each attempt once."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import BigIntegerField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.policies import AnyUser
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Question, Quiz
from apps.learning import policies
from apps.learning.errors import AnsweredTooFast, AttemptClosed, AttemptTooSoon, NoAttemptsLeft, QuizTimeOver
from apps.learning.events import AttemptOpened
from apps.learning.models import Attempt, Enrollment
from apps.learning.outline import blocker_of
from apps.learning.queries.exceptions import exceptions_at
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.quizzes import bank_draws_of, questions_in, questions_of
from apps.learning.queries.removed_lessons import explain_missing
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import QuizAttempts, is_over, ran_out
from apps.learning.quizzes.drawing import drawn, kept
from apps.learning.quizzes.exceptions import NO_EXCEPTIONS, QuizExceptions
from apps.learning.services import learned_days, learning_time
from apps.learning.services.closing import award_perfect_score, close_attempt, close_if_over
from apps.learning.services.completion import Saved, finish
from apps.learning.services.continuing import continue_attempt
from apps.learning.services.learned_days import day_zone_of
from apps.learning.services.progress import open_lesson
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

# Answers that arrive faster than one question a second cannot have been read; at most COUNTED questions count.
FASTEST_ANSWER = timedelta(seconds=1)
COUNTED = 10
MOST_PER_QUESTION = 120  # seconds that count as learned
_PK = Param("pk", BigIntegerField())
_LOCKED_OPEN = PreparedQuery(
    lambda: Attempt.objects.select_for_update().filter(
        enrollment=Param("enrollment", BigIntegerField()), quiz=Param("quiz", BigIntegerField()), submitted_at=None
    )
)
_LOCKED = PreparedQuery(lambda: Attempt.objects.select_for_update().filter(pk=_PK))


def open_attempt(*, user: AnyUser, lesson_uid: UUID, now: datetime) -> Attempt:
    """Return the user's open attempt at this lesson's quiz, continue one that was reopened, or start a new one.

    One whose time is over is closed first, and returned if it is passed.

    :raises NotEnrolled: the user isn't enrolled.
    :raises PrerequisiteNotMet: the lesson is locked.
    :raises NoAttemptsLeft: every attempt the quiz allows is used.
    :raises AttemptTooSoon: the wait since the last attempt is not over.
    :raises LectureUnavailable: there is no such quiz, or it has no questions yet.
    :raises LessonTakenOut: a version of the course has taken it out; an attempt that is open can be submitted.
    """
    lesson = Lesson.objects.select_related("course", "quiz").filter(uid=lesson_uid, kind=Lesson.Kind.QUIZ).first()
    if lesson is None:
        raise explain_missing(user, uid=lesson_uid)
    if not hasattr(lesson, "quiz"):
        raise LectureUnavailable
    standing = standing_of(user, lesson.course)
    enforce(
        policies.open_lesson(
            user, lesson, standing, blocker_of(lesson.course, outline_of(lesson.course), standing, lesson.pk)
        )
    )
    enforce(policies.save_progress(user, lesson.course, standing))
    enrollment = standing.enrollment
    own = Question.objects.filter(quiz=lesson.quiz, is_withdrawn=False)
    if enrollment is None or not (lesson.quiz.bank_count or own.exists()):
        raise LectureUnavailable
    attempt = _current_or_new(enrollment, lesson.quiz, now)
    open_lesson(enrollment=enrollment, lesson=lesson, now=now)
    return attempt


def _current_or_new(enrollment: Enrollment, quiz: Quiz, now: datetime) -> Attempt:
    with transaction.atomic():
        # Attempts are locked before their enrollment, as when they are submitted or get extra time.
        for attempt in _LOCKED_OPEN(enrollment=enrollment.pk, quiz=quiz.pk):
            attempt.quiz, attempt.enrollment = quiz, enrollment
            if close_if_over(attempt, now) and attempt.is_passed:
                return attempt  # its result is shown; nobody has asked for another one
        # With the enrollment locked, two tabs that start at the same moment get the same attempt.
        locked = Enrollment.objects.select_for_update().get(pk=enrollment.pk)
        exceptions = exceptions_at(quiz, locked)
        rows = list(Attempt.objects.filter(enrollment=enrollment, quiz=quiz).order_by("number"))
        attempts = QuizAttempts(quiz, tuple(rows), now, exceptions)
        current = next((attempt for attempt in rows if attempt.submitted_at is None), None)
        wait = attempts.seconds_to_wait if current is None and attempts.reopened is None else 0
        if current is None and attempts.reopened is not None:
            current = continue_attempt(attempts.reopened, rows[-1], quiz, exceptions=exceptions, now=now)
            current.enrollment = enrollment
            publish(AttemptOpened(user_id=enrollment.user_id, lesson_id=quiz.lesson.pk))
        elif current is None and not wait and attempts.attempts_left != 0:
            number = rows[-1].number + 1 if rows else 1
            current = draw_attempt(enrollment=enrollment, quiz=quiz, number=number, now=now, exceptions=exceptions)
            publish(AttemptOpened(user_id=enrollment.user_id, lesson_id=quiz.lesson.pk))
    # Raised after the commit, so that an attempt whose time ran out stays closed.
    if wait:
        raise AttemptTooSoon(wait=wait)
    if current is None:
        raise NoAttemptsLeft
    return current


def draw_attempt(
    *, enrollment: Enrollment, quiz: Quiz, number: int, now: datetime, exceptions: QuizExceptions = NO_EXCEPTIONS
) -> Attempt:
    """Start an attempt, whose learner's permission the caller has checked, and draw its questions."""
    attempt = new_attempt(enrollment, quiz, number, now, exceptions)
    attempt.asked = draw_questions(quiz, seed=str(attempt.uid))
    attempt.save(force_insert=True)
    return attempt


def new_attempt(enrollment: Enrollment, quiz: Quiz, number: int, now: datetime, exceptions: QuizExceptions) -> Attempt:
    rules = {
        "pass_percent": quiz.pass_percent,
        "usual_time_limit": quiz.time_limit,
        "time_limit": exceptions.time_limit(quiz.time_limit),
    }
    return Attempt(enrollment=enrollment, quiz=quiz, number=number, started_at=now, **rules)


def draw_questions(quiz: Quiz, *, seed: str) -> list[dict[str, Any]]:
    """Return the questions of one attempt as it stores them. Two queries."""
    return kept(quiz, drawn(quiz, questions_of(quiz), seed=seed, draws=bank_draws_of(quiz)), seed=seed)


def submit_attempt(
    *, user: AnyUser, attempt: Attempt, answers: dict[str, marking.Answer], now: datetime
) -> tuple[Attempt, Saved | None]:
    """Mark the answers and close the attempt. Idempotent for the same answers.

    ``answers`` are by question uid, in the shapes of ``quizzes.marking``. Returns the attempt, and the progress if
    the quiz was passed.

    :raises NotFound: the user may not see the attempt.
    :raises AttemptClosed: it was submitted before with other answers.
    :raises QuizTimeOver: the time limit is over; the attempt is closed without these answers.
    :raises AnsweredTooFast: the questions cannot have been read so fast; the attempt stays open.
    :raises ValidationFailed: an answer isn't valid for its question.
    """
    enforce(policies.see_attempt(user, attempt))
    quiz = attempt.quiz
    questions = questions_in(attempt)
    valid, faults = marking.read_all(questions, answers)
    if faults and attempt.submitted_at is None:
        asked = {str(question.uid): question for question in questions}
        raise ValidationFailed(in_fields={f"answers.{uid}": [_fault(asked.get(uid))] for uid in faults})
    with transaction.atomic():
        [locked] = _LOCKED(pk=attempt.pk)
        locked.enrollment, locked.quiz = attempt.enrollment, quiz
        attempt = locked
        if attempt.submitted_at is not None:
            if attempt.answers != valid:
                raise QuizTimeOver if ran_out(attempt, quiz) else AttemptClosed
            return attempt, None
        given = sum(attempt.answers.get(uid) != answer for uid, answer in valid.items())
        left = attempt.started_at + FASTEST_ANSWER * min(given, COUNTED) - now
        if left > timedelta(0):
            raise AnsweredTooFast(wait=-(-left // timedelta(seconds=1)))
        late = is_over(attempt, quiz, now)
        # What it began with stays, if it continues an attempt that was reopened.
        close_attempt(attempt, quiz, questions, attempt.answers if late else valid, now)
        saved = None
        zone, user_id = day_zone_of(user, now), attempt.enrollment.user_id
        seconds = learning_time.spend_learning(
            user_id=user_id,
            course_id=attempt.enrollment.course_id,
            since=attempt.started_at,
            most=MOST_PER_QUESTION * len(questions),
            now=now,
        )
        if attempt.is_passed:
            progress = open_lesson(enrollment=attempt.enrollment, lesson=quiz.lesson, now=now)
            saved = finish(progress, zone=zone, now=now, seconds=seconds)
            attempt.enrollment.completed_at = saved.enrollment.completed_at  # the result names the certificate
            if saved.certificate is not None:
                attempt.enrollment.certificate = saved.certificate
        if saved is None or not saved.newly_completed:
            learned_days.record(user_id=user_id, zone=zone, now=now, seconds=seconds)
        award_perfect_score(attempt, zone, now)
    if late:  # raised after the commit, so that the attempt stays closed
        raise QuizTimeOver
    return attempt, saved


def _fault(question: Question | None) -> dict[str, str]:
    """Return what to say of an answer that cannot be read."""
    if question is not None and question.kind == Question.Kind.ESSAY:
        limit = question.options["limit"]
        said = ngettext("This answer is longer than %d character.", "This answer is longer than %d characters.", limit)
        return {"code": "max_length", "message": said % limit}
    if question is not None and any(one.kind == Question.Kind.NUMERIC for one in (question, *question.gaps)):
        return {"code": "not_a_number", "message": _("This can't be read as one number.")}
    return {"code": "invalid", "message": _("This answer isn't valid for this question.")}
