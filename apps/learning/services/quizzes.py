"""Attempts at a quiz: opened and marked on the server, once."""

from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import BigIntegerField
from django.utils.translation import gettext as _

from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Question, Quiz
from apps.courses.policies import Person
from apps.learning import policies
from apps.learning.errors import AnsweredTooFast, AttemptClosed, AttemptTooSoon, NoAttemptsLeft, QuizTimeOver
from apps.learning.events import QuizSubmitted
from apps.learning.models import Attempt, Enrollment
from apps.learning.outline import blocker_of
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.quizzes import QuizAttempts, is_over, plain_number, questions_of
from apps.learning.quizzes import marking
from apps.learning.services.progress import Saved, finish, open_lesson
from studyplatform.kit.db.prepared_queries import Built, BuiltUpdate, Slot
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

# Nobody reads and answers faster than a question a second; of long quizzes only so many are counted.
QUICKEST = timedelta(seconds=1)
COUNTED = 10
_RESULT = ("submitted_at", "answers", "results", "score", "points", "percent", "is_passed")
_PK = Slot("pk", BigIntegerField())
_LOCKED = Built(lambda: Attempt.objects.select_for_update().filter(pk=_PK))
_CLOSE = BuiltUpdate(lambda: Attempt.objects.filter(pk=_PK), *_RESULT)


def open_attempt(*, user: Person, lesson_uid: UUID, now: datetime) -> Attempt:
    """The learner's open try at this lesson's quiz, or a new one.

    :raises NotEnrolled: the learner holds no seat.
    :raises PrerequisiteNotMet: the lesson is still locked.
    :raises NoAttemptsLeft: every attempt the quiz allows is used.
    :raises AttemptTooSoon: the wait since the last attempt is not over.
    :raises LectureUnavailable: there is no such quiz, or it has no questions yet.
    """
    lesson = Lesson.objects.select_related("course", "quiz").filter(uid=lesson_uid, kind=Lesson.Kind.QUIZ).first()
    if lesson is None or not hasattr(lesson, "quiz"):
        raise LectureUnavailable
    standing = standing_of(user, lesson.course)
    enforce(
        policies.open_lesson(
            user, lesson, standing, blocker_of(lesson.course, outline_of(lesson.course), standing, lesson.pk)
        )
    )
    enforce(policies.save_progress(user, lesson.course, standing))
    enrollment = standing.enrollment
    if enrollment is None or not Question.objects.filter(quiz=lesson.quiz).exists():
        raise LectureUnavailable
    attempt = _open_or_new(enrollment, lesson.quiz, now)
    open_lesson(enrollment=enrollment, lesson=lesson, now=now)
    return attempt


def _open_or_new(enrollment: Enrollment, quiz: Quiz, now: datetime) -> Attempt:
    with transaction.atomic():
        # The seat is locked: two tabs that begin at the same moment get the same try.
        Enrollment.objects.select_for_update().get(pk=enrollment.pk)
        attempts = list(Attempt.objects.filter(enrollment=enrollment, quiz=quiz).order_by("number"))
        current = next((attempt for attempt in attempts if attempt.submitted_at is None), None)
        if current is not None and is_over(current, quiz, now):
            _close(current, quiz, questions_of(quiz), {}, now)
            current = None
        wait = QuizAttempts(quiz, tuple(attempts)).seconds_to_wait(now) if current is None else 0
        if current is None and not wait and not (quiz.max_attempts and len(attempts) >= quiz.max_attempts):
            number = attempts[-1].number + 1 if attempts else 1
            current = Attempt.objects.create(enrollment=enrollment, quiz=quiz, number=number, started_at=now)
    # After the commit: an attempt whose time ran out stays closed.
    if wait:
        raise AttemptTooSoon(wait=wait)
    if current is None:
        raise NoAttemptsLeft
    return current


def submit_attempt(
    *, attempt: Attempt, answers: dict[str, marking.Answer], now: datetime
) -> tuple[Attempt, Saved | None]:
    """Mark the answers and close the try. The same answers again get the same result.

    ``answers`` by question uid, in the shapes of ``marking``. Returns the progress as well when the
    quiz was passed.

    :raises AttemptClosed: it was handed in before with other answers.
    :raises QuizTimeOver: the time was over; the try is closed without answers.
    :raises AnsweredTooFast: nobody can have read the questions; the attempt stays open.
    :raises ValidationFailed: an answer does not fit its question.
    """
    quiz = attempt.quiz
    questions = questions_of(quiz)
    kept, faults = marking.read_all(questions, answers)
    if faults and attempt.submitted_at is None:
        fault = {"code": "invalid", "message": _("This answer isn't valid for this question.")}
        raise ValidationFailed(in_fields={f"answers.{uid}": [fault] for uid in faults})
    with transaction.atomic():
        [locked] = _LOCKED(pk=attempt.pk)
        locked.enrollment, locked.quiz = attempt.enrollment, quiz
        attempt = locked
        if attempt.submitted_at is not None:
            if attempt.answers != kept:
                raise AttemptClosed
            return attempt, None
        left = attempt.started_at + QUICKEST * min(len(kept), COUNTED) - now
        if left > timedelta(0):
            raise AnsweredTooFast(wait=-(-left // timedelta(seconds=1)))
        late = is_over(attempt, quiz, now)
        _close(attempt, quiz, questions, {} if late else kept, now)
        saved = None
        if attempt.is_passed:
            saved = finish(open_lesson(enrollment=attempt.enrollment, lesson=quiz.lesson, now=now), now=now)
    if late:  # after the commit: the try stays closed
        raise QuizTimeOver
    return attempt, saved


def _close(
    attempt: Attempt, quiz: Quiz, questions: list[Question], answers: dict[str, marking.Answer], now: datetime
) -> None:
    """Mark the answers and write the result into the attempt."""
    earned, points, results = Fraction(0), 0, []
    for question in questions:
        answer = answers.get(str(question.uid))
        mark = marking.mark(question, answer)
        part = mark.share * question.points
        earned += part
        points += question.points
        results.append(_kept(question, answer, mark, part))
    attempt.submitted_at = now
    attempt.answers = answers
    attempt.results = results
    attempt.score = _decimal(earned)
    attempt.points = points
    # Rounded down, and passed by the exact share: 69.9 % is shown as 69 and does not pass at 70.
    attempt.percent = int(earned * 100 / points) if points else 0
    attempt.is_passed = points > 0 and earned * 100 >= quiz.pass_percent * points
    _CLOSE(pk=attempt.pk, **{name: getattr(attempt, name) for name in _RESULT})
    publish(
        QuizSubmitted(
            attempt_id=attempt.pk,
            user_id=attempt.enrollment.user_id,
            lesson_id=quiz.lesson_id,
            is_passed=attempt.is_passed,
            is_perfect=points > 0 and earned == points,
        )
    )


def _decimal(value: Fraction) -> Decimal:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def _kept(question: Question, answer: marking.Answer | None, mark: marking.Mark, part: Fraction) -> dict[str, Any]:
    """What is kept of one question, so that the result stands when the quiz is edited later."""
    rewatch = question.rewatch_lesson
    return {
        "uid": str(question.uid),
        "kind": question.kind,
        "prompt": question.prompt,
        "verdict": mark.verdict,
        "earned": plain_number(_decimal(part)),
        "points": question.points,
        "lines": _lines(question, answer),
        "given": _given(question, answer),
        "accepted": _accepted(question),
        "explanation": question.explanation,
        "remarks": _remarks(question, answer, mark),
        "rewatch": {
            "number": rewatch.number,
            "title": rewatch.title,
            "slug": rewatch.slug,
            "at": question.rewatch_at,
        }
        if rewatch
        else None,
    }


def _line(
    text: str,
    *,
    chosen: str = "",
    right: str = "",
    is_chosen: bool = False,
    is_right: bool = False,
    place: int | None = None,
) -> dict[str, Any]:
    return {
        "text": text,
        "chosen": chosen,
        "right": right,
        "is_chosen": is_chosen,
        "is_right": is_right,
        "place": place,
    }


def _lines(question: Question, answer: marking.Answer | None) -> list[dict[str, Any]]:
    key, options = question.answer, question.options
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE | Question.Kind.MULTIPLE:
            right = {key["id"]} if "id" in key else set(key["ids"])
            chosen = set() if answer is None else ({answer["id"]} if "id" in answer else set(answer["ids"]))
            return [
                _line(option["text"], is_chosen=option["id"] in chosen, is_right=option["id"] in right)
                for option in options
            ]
        case Question.Kind.ORDERING:
            texts = {option["id"]: option["text"] for option in options}
            place = {one: number for number, one in enumerate(key["ids"], start=1)}
            order = answer["ids"] if answer else key["ids"]
            return [
                _line(
                    texts[one],
                    is_chosen=answer is not None,
                    is_right=answer is not None and place[one] == number,
                    place=place[one],
                )
                for number, one in enumerate(order, start=1)
            ]
        case Question.Kind.MATCHING:
            partners = {option["id"]: option["text"] for option in options["right"]}
            given = answer["pairs"] if answer else {}
            return [
                _line(
                    option["text"],
                    chosen=partners.get(given.get(option["id"], ""), ""),
                    right=partners[key["pairs"][option["id"]]],
                    is_chosen=option["id"] in given,
                    is_right=given.get(option["id"]) == key["pairs"][option["id"]],
                )
                for option in options["left"]
            ]
        case _:
            return []


def _given(question: Question, answer: marking.Answer | None) -> str:
    if answer is None:
        return ""
    match Question.Kind(question.kind):
        case Question.Kind.TRUTH:
            return _("True") if answer["value"] else _("False")
        case Question.Kind.NUMERIC | Question.Kind.TEXT:
            return str(answer["text"])
        case _:
            return ""


def _accepted(question: Question) -> str:
    key = question.answer
    match Question.Kind(question.kind):
        case Question.Kind.TRUTH:
            return _("True") if key["value"] else _("False")
        case Question.Kind.NUMERIC:
            unit = question.options.get("unit", "") if isinstance(question.options, dict) else ""
            value, tolerance = Decimal(str(key["value"])), Decimal(str(key.get("tolerance") or 0))
            number = plain_number(value)
            number = f"{number} {unit}".strip()
            if tolerance:
                return _("%(number)s (%(low)s to %(high)s accepted)") % {
                    "number": number,
                    "low": plain_number(value - tolerance),
                    "high": plain_number(value + tolerance),
                }
            return number
        case Question.Kind.TEXT:
            return _(" or ").join(f"“{text}”" for text in key["accepted"])
        case _:
            return ""


def _remarks(question: Question, answer: marking.Answer | None, mark: marking.Mark) -> list[str]:
    """What the wrong choices would have meant."""
    remarks = question.remarks or {}
    if answer is None or mark.share == 1 or not remarks:
        return []
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE:
            chosen = [answer["id"]]
        case Question.Kind.MULTIPLE:
            chosen = [one for one in answer["ids"] if one not in question.answer["ids"]]
        case Question.Kind.TRUTH:
            chosen = ["true" if answer["value"] else "false"]
        case Question.Kind.NUMERIC:
            given = marking.readings(answer["text"])
            chosen = [wrong for wrong in remarks if Decimal(wrong) in given]
        case _:
            chosen = []
    return [remarks[one] for one in chosen if remarks.get(one)]
