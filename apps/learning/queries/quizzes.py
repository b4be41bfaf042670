"""Quizzes and attempts as pages and islands show them. What tells an answer is read only from handed-in attempts."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, UUIDField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Question, Quiz
from apps.courses.policies import Person
from apps.learning import policies
from apps.learning.models import Attempt
from apps.learning.outline import Entry, Placed, Standing
from apps.learning.queries.addresses import lesson_url, progress_url
from apps.learning.queries.lessons import OpenLesson, entry_out, remembered
from apps.learning.queries.outline import outline_of
from apps.learning.quizzes import marking
from studyplatform.kit.db.prepared_queries import Built, Slot
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.markdown import render_inline

# Answers handed in at the last second are still on their way when the clock has stopped.
GRACE = timedelta(seconds=30)
FREE_ATTEMPTS = 2  # where attempts are unlimited, the wait between them begins after so many

_QUIZ = Slot("quiz", BigIntegerField())
_QUESTIONS = Built(lambda: Question.objects.filter(quiz=_QUIZ).order_by("position").select_related("rewatch_lesson"))
_TRIES = Built(
    lambda: Attempt.objects.filter(enrollment=Slot("enrollment", BigIntegerField()), quiz=_QUIZ).order_by("number")
)
_ATTEMPT = Built(
    lambda: (
        Attempt.objects.select_related("enrollment", "quiz__lesson__course")
        .defer("quiz__lesson__body", "quiz__lesson__course__description", "quiz__lesson__course__outcomes")
        .filter(uid=Slot("uid", UUIDField()))
    )
)


def questions_of(quiz: Quiz) -> list[Question]:
    """The quiz's questions in order, with the lessons to rewatch."""
    return _QUESTIONS(quiz=quiz.pk)


def get_attempt(person: Person, uid: UUID) -> Attempt:
    """Return an attempt that the user may see.

    :raises NotFound: there is none, or ``policies.see_attempt`` refuses it.
    """
    attempt = _ATTEMPT.first(uid=uid)
    if attempt is None:
        raise NotFound
    enforce(policies.see_attempt(person, attempt))
    return attempt


def ends_at(attempt: Attempt, quiz: Quiz) -> datetime | None:
    """When the attempt's time is over; None without a limit."""
    return attempt.started_at + timedelta(seconds=quiz.time_limit) if quiz.time_limit else None


def is_over(attempt: Attempt, quiz: Quiz, now: datetime) -> bool:
    """Whether an open attempt's time is over, grace included."""
    end = ends_at(attempt, quiz)
    return attempt.submitted_at is None and end is not None and now > end + GRACE


@dataclass(frozen=True)
class QuizAttempts:
    """A learner's attempts at one quiz."""

    quiz: Quiz
    attempts: tuple[Attempt, ...]

    @property
    def open_attempt(self) -> Attempt | None:
        return next((attempt for attempt in self.attempts if attempt.submitted_at is None), None)

    @property
    def submitted(self) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.submitted_at is not None)

    @property
    def best(self) -> Attempt | None:
        """The best result counts; of equal ones the first."""
        return max(self.submitted, key=lambda attempt: (attempt.percent, -attempt.number), default=None)

    @property
    def attempts_left(self) -> int | None:
        """How many more may be opened; None: as many as one likes."""
        if not self.quiz.max_attempts:
            return None
        return max(0, self.quiz.max_attempts - len(self.attempts))

    @property
    def shows_answers(self) -> bool:
        """Whether the right answers may be seen: never before the quiz's rule says so."""
        match Quiz.Reveal(self.quiz.reveal):
            case Quiz.Reveal.ALWAYS:
                return bool(self.submitted)
            case Quiz.Reveal.NEVER:
                return False
        used_up = 0 < self.quiz.max_attempts <= len(self.submitted)
        return used_up or any(attempt.is_passed for attempt in self.submitted)

    def seconds_to_wait(self, now: datetime) -> int:
        """Whole seconds until another attempt may be opened, rounded up. Nobody waits who has passed already."""
        closed = [attempt.submitted_at for attempt in self.attempts if attempt.submitted_at is not None]
        if self.quiz.max_attempts or len(closed) < FREE_ATTEMPTS or any(one.is_passed for one in self.attempts):
            return 0
        left = max(closed) + timedelta(seconds=self.quiz.retry_wait) - now
        return max(0, -(-left // timedelta(seconds=1)))


def attempts_at(quiz: Quiz, standing: Standing) -> QuizAttempts:
    """The seat's tries, oldest first. One query; none without a seat."""
    if standing.enrollment is None:
        return QuizAttempts(quiz, ())
    return QuizAttempts(quiz, tuple(_TRIES(enrollment=standing.enrollment.pk, quiz=quiz.pk)))


@dataclass(frozen=True)
class QuizAhead:
    """The quiz that comes after a lesson, as the card beside that lesson shows it."""

    placed: Placed
    url: str
    question_count: int
    pass_percent: int
    best: int | None
    """The best try that was handed in; None without one."""

    @property
    def is_passed(self) -> bool:
        return self.placed.state == "completed"


def quiz_ahead(opened: OpenLesson) -> QuizAhead | None:
    """The next quiz of the course after this lesson. One query, none when it is known or no quiz follows."""
    passed_here = False
    for placed in opened.placed:
        if passed_here and placed.entry.kind == Lesson.Kind.QUIZ:
            break
        passed_here = passed_here or placed.entry.pk == opened.lesson.pk
    else:
        return None
    asked, pass_percent = remembered(("quiz", placed.entry.pk), lambda: _rules_of(placed.entry.pk))
    if not asked:
        return None
    best = opened.standing.best.get(placed.entry.pk)
    return QuizAhead(placed, lesson_url(opened.course.slug, placed.entry.slug), asked, pass_percent, best)


def _rules_of(lesson_pk: int) -> tuple[int, int]:
    """How many questions a quiz asks, and what passes it."""
    quizzes = Quiz.objects.filter(lesson=lesson_pk).annotate(asked=Count("questions"))
    return quizzes.values_list("asked", "pass_percent").first() or (0, 0)


# --- What is shown ---------------------------------------------------------------------------------


def quiz_page_out(opened: OpenLesson, *, now: datetime) -> dict[str, Any]:
    """The shape ``QuizOut`` of a quiz lesson. Two queries.

    :raises LectureUnavailable: the lesson is no quiz.
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
    """The shape ``AttemptOut`` of one attempt."""
    quiz, lesson = attempt.quiz, attempt.quiz.lesson
    return attempt_out(
        attempt,
        lesson,
        attempts_at(quiz, Standing(attempt.enrollment)),
        [] if attempt.submitted_at else questions_of(quiz),
        following=outline_of(lesson.course).around(lesson.pk)[1],
        now=now,
    )


def quiz_out(
    lesson: Lesson,
    attempts: QuizAttempts,
    questions: list[Question],
    *,
    may_attempt: bool,
    following: Entry | None,
    now: datetime,
) -> dict[str, Any]:
    """The shape ``QuizOut``."""
    quiz = attempts.quiz
    current = attempts.open_attempt
    if current is not None and is_over(current, quiz, now):
        current = None
    shown = current or (attempts.submitted[-1] if attempts.submitted else None)
    left = attempts.attempts_left
    return {
        "lesson_uid": str(lesson.uid),
        "title": lesson.title,
        "url": lesson_url(lesson.course.slug, lesson.slug),
        "intro_html": str(render_inline(quiz.intro)),
        "question_count": len(questions),
        "kinds": [
            {"kind": kind, "count": count} for kind, count in Counter(one.kind for one in questions).most_common()
        ],
        "pass_percent": quiz.pass_percent,
        "time_limit": quiz.time_limit,
        "attempts_left": left,
        "reveal": quiz.reveal,
        "wait": 0 if current is not None else attempts.seconds_to_wait(now),
        "retry_wait": 0 if quiz.max_attempts else quiz.retry_wait,
        "may_attempt": may_attempt and (current is not None or left is None or left > 0) and bool(questions),
        "past": [
            {
                "uid": str(attempt.uid),
                "number": attempt.number,
                "percent": attempt.percent,
                "is_passed": attempt.is_passed,
                "submitted_at": attempt.submitted_at,
            }
            for attempt in attempts.submitted
        ],
        "attempt": attempt_out(shown, lesson, attempts, questions, following=following, now=now) if shown else None,
        "progress_page": progress_url(lesson.course.slug),
    }


def attempt_out(
    attempt: Attempt,
    lesson: Lesson,
    attempts: QuizAttempts,
    questions: list[Question],
    *,
    following: Entry | None,
    now: datetime,
) -> dict[str, Any]:
    """The shape ``AttemptOut``: questions while it is open, the result once it is handed in."""
    quiz = attempts.quiz
    end = ends_at(attempt, quiz)
    is_open = attempt.submitted_at is None
    return {
        "uid": str(attempt.uid),
        "number": attempt.number,
        "started_at": attempt.started_at,
        "submitted_at": attempt.submitted_at,
        "time_limit": quiz.time_limit,
        "seconds_left": max(0, int((end - now).total_seconds())) if end and is_open else None,
        "pass_percent": quiz.pass_percent,
        "questions": [question_out(question, attempt) for question in questions] if is_open else [],
        "result": None if is_open else _result_out(attempt, lesson, attempts, following),
    }


def question_out(question: Question, attempt: Attempt) -> dict[str, Any]:
    """What may be seen before submission: built field by field from what is harmless."""
    kind = Question.Kind(question.kind)
    seed = f"{attempt.uid}:{question.uid}"
    options: list[dict[str, str]] = []
    left: list[dict[str, str]] = []
    right: list[dict[str, str]] = []
    unit = tolerance = ""
    match kind:
        case Question.Kind.SINGLE | Question.Kind.MULTIPLE:
            options = question.options
        case Question.Kind.ORDERING:
            options = marking.shuffled(question.options, seed=seed, unlike=question.answer["ids"])
        case Question.Kind.MATCHING:
            left = question.options["left"]
            right = marking.shuffled(question.options["right"], seed=seed)
        case Question.Kind.NUMERIC:
            unit = str(question.options.get("unit", "")) if isinstance(question.options, dict) else ""
            tolerance = plain_number(question.answer.get("tolerance") or 0)
        case _:
            pass
    return {
        "uid": str(question.uid),
        "kind": kind.value,
        "prompt_html": str(render_inline(question.prompt)),
        "points": question.points,
        "options": _options_out(options),
        "left": _options_out(left),
        "right": _options_out(right),
        "unit": unit,
        "tolerance": "" if tolerance == "0" else tolerance,
    }


def _options_out(options: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"id": str(option["id"]), "html": str(render_inline(str(option["text"])))} for option in options]


def plain_number(value: Any) -> str:
    """A number without needless zeros: 0.50 -> "0.5", 3.0 -> "3"."""
    text = f"{Decimal(str(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _result_out(attempt: Attempt, lesson: Lesson, attempts: QuizAttempts, following: Entry | None) -> dict[str, Any]:
    course = lesson.course.slug
    best = max(attempt.percent, attempts.best.percent if attempts.best else 0)
    left = attempts.attempts_left
    spent = (attempt.submitted_at - attempt.started_at).total_seconds() if attempt.submitted_at else 0
    return {
        "score": plain_number(attempt.score),
        "points": attempt.points,
        "percent": attempt.percent,
        "is_passed": attempt.is_passed,
        "best_percent": best,
        "headline": headline(attempt),
        "seconds": max(0, int(spent)),
        "shows_answers": attempts.shows_answers,
        "questions": [
            _question_result(kept if attempts.shows_answers else _without_answers(kept), course)
            for kept in attempt.results
        ],
        "next": entry_out(following, course) if following else None,
        "may_try_again": left is None or left > 0,
    }


def _without_answers(kept: dict[str, Any]) -> dict[str, Any]:
    """What may be told of a question before its answer is: the learner's own answer, its mark, and remarks on it.

    A question that was answered right has told its answer; of the others nothing is left that names it.
    """
    if kept["verdict"] == "right":
        return kept
    lines = [
        # Of one choice the mark says that it is wrong; of several it must not say which.
        {**line, "right": "", "place": None, "is_right": False if _is_told(kept, line) else None}
        for line in kept["lines"]
    ]
    if kept["kind"] == Question.Kind.ORDERING and kept["verdict"] == "open":
        lines = []  # what nobody has ordered is kept in the right order
    return {**kept, "lines": lines, "accepted": "", "explanation": ""}


def _is_told(kept: dict[str, Any], line: dict[str, Any]) -> bool:
    return bool(kept["kind"] == Question.Kind.SINGLE and line["is_chosen"])


def _question_result(kept: dict[str, Any], course: str) -> dict[str, Any]:
    rewatch = kept["rewatch"]
    return {
        "uid": kept["uid"],
        "kind": kept["kind"],
        "prompt_html": str(render_inline(kept["prompt"])),
        "verdict": kept["verdict"],
        "earned": kept["earned"],
        "points": kept["points"],
        "lines": [
            {
                "html": str(render_inline(line["text"])),
                "chosen_html": str(render_inline(line["chosen"])),
                "right_html": str(render_inline(line["right"])),
                "is_chosen": line["is_chosen"],
                "is_right": line["is_right"],
                "place": line["place"],
            }
            for line in kept["lines"]
        ],
        "given": kept["given"],
        "accepted": kept["accepted"],
        "explanation_html": str(render_inline(kept["explanation"])),
        "remarks_html": [str(render_inline(remark)) for remark in kept["remarks"]],
        "rewatch": {
            "number": rewatch["number"],
            "title": rewatch["title"],
            "at": rewatch["at"],
            "url": lesson_url(course, rewatch["slug"], at=rewatch["at"]),
        }
        if rewatch
        else None,
    }


def headline(attempt: Attempt) -> str:
    """A sentence that names the finding."""
    verdicts = [kept["verdict"] for kept in attempt.results]
    missed = sum(verdict != "right" for verdict in verdicts)
    unanswered = sum(verdict == "open" for verdict in verdicts)
    if not missed:
        return _("Passed with every answer correct")
    if unanswered == len(verdicts):
        return _("No questions answered this time")
    if attempt.is_passed:
        return ngettext("Passed, with one answer to review", "Passed, with %(count)d answers to review", missed) % {
            "count": missed
        }
    return ngettext(
        "Not passed yet, with one answer to review", "Not passed yet, with %(count)d answers to review", missed
    ) % {"count": missed}
