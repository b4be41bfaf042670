"""Quizzes and attempts in the shapes of the API. Answers are shown only for submitted attempts."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from apps.courses.models import Lesson, Question
from apps.courses.queries.draws import Draw, candidates_of
from apps.learning.models import Attempt, LearnerException
from apps.learning.outline import Entry
from apps.learning.queries.addresses import certificate_url, lesson_url, progress_url
from apps.learning.queries.player import entry_out
from apps.learning.quizzes import marking, rendering
from apps.learning.quizzes.attempts import QuizAttempts, ends_at, pass_mark, time_limit
from apps.learning.quizzes.drawing import restored
from apps.learning.quizzes.parsing import as_typed
from apps.learning.quizzes.result_presentation import headline, question_result, without_answers
from apps.learning.quizzes.results import plain_number
from studyplatform.kit.text.numbers import number_format


def quiz_out(
    lesson: Lesson,
    attempts: QuizAttempts,
    questions: list[Question],
    *,
    draws: Sequence[Draw],
    may_attempt: bool,
    following: Entry | None,
    may_open: Container[str],
    now: datetime,
) -> dict[str, Any]:
    """Return the shape ``QuizOut``. ``questions`` are the quiz's own, ``draws`` are from the question bank.

    ``may_open`` has the slugs of open lessons.
    """
    quiz = attempts.quiz
    pool = [*questions, *candidates_of(draws)]
    count = quiz.asks(len(questions)) + quiz.bank_count
    current = attempts.open_attempt
    shown = current or (attempts.submitted[-1] if attempts.submitted else None)
    left, reopened = attempts.attempts_left, attempts.reopened if current is None else None
    limit = attempts.exceptions.time_limit(quiz.time_limit)
    may_open_one = current is not None or reopened is not None or left is None or left > 0
    return {
        "lesson_uid": str(lesson.uid),
        "title": lesson.title,
        "url": lesson_url(lesson.course.slug, lesson.slug),
        "intro_html": rendering.text_html(quiz.intro),
        "question_count": count,
        "pool_count": len(pool),
        "kinds": _kinds(pool) if count == len(pool) else [],
        "pass_percent": quiz.pass_percent,
        "time_limit": limit,
        "has_extra_time": limit != quiz.time_limit,
        "attempts_left": left,
        "reveal": quiz.reveal,
        "wait": 0 if current is not None or reopened is not None else attempts.seconds_to_wait,
        "retry_wait": 0 if quiz.max_attempts else quiz.retry_wait,
        "may_attempt": may_attempt and not lesson.is_removed and may_open_one and count > 0,
        "reopened": _reopened_out(attempts, reopened),
        "is_removed": lesson.is_removed,
        "past": [
            {
                "uid": str(attempt.uid),
                "number": attempt.number,
                "percent": attempt.percent,
                "is_passed": attempt.is_passed,
                "is_waiting": attempt.waiting > 0,
                "is_continued": attempt.continues_id is not None,
                "submitted_at": attempt.submitted_at,
            }
            for attempt in attempts.submitted
        ],
        "attempt": attempt_out(shown, lesson, attempts, questions, following=following, now=now, may_open=may_open)
        if shown
        else None,
        "progress_page": progress_url(lesson.course.slug),
    }


def _reopened_out(attempts: QuizAttempts, reopened: LearnerException | None) -> dict[str, Any] | None:
    """Return the shape ``ReopenedOut`` of the newest attempt, if it can be continued."""
    if reopened is None:
        return None
    return {
        "number": attempts.attempts[-1].number,
        "time_limit": attempts.exceptions.time_limit_again(reopened),
    }


def _kinds(questions: list[Question]) -> list[dict[str, Any]]:
    counts = Counter(one.kind for one in questions)
    return [{"kind": kind, "count": count} for kind, count in counts.most_common()]


def attempt_out(
    attempt: Attempt,
    lesson: Lesson,
    attempts: QuizAttempts,
    questions: list[Question],
    *,
    following: Entry | None,
    may_open: Container[str],
    now: datetime,
) -> dict[str, Any]:
    """Return the shape ``AttemptOut``: the questions of an open attempt, the result of a submitted one.

    ``questions`` is the quiz's pool. It counts for attempts that were opened without a draw.
    """
    quiz = attempts.quiz
    asked = restored(attempt.asked) or questions
    end = ends_at(attempt, quiz)
    is_open = attempt.submitted_at is None
    former = next((one for one in attempts.attempts if one.pk == attempt.continues_id), None)
    return {
        "uid": str(attempt.uid),
        "number": attempt.number,
        "started_at": attempt.started_at,
        "submitted_at": attempt.submitted_at,
        "time_limit": time_limit(attempt, quiz),
        "seconds_left": max(0, int((end - now).total_seconds())) if end and is_open else None,
        "pass_percent": pass_mark(attempt, quiz),
        "questions": [question_out(question, seed=str(attempt.uid)) for question in asked] if is_open else [],
        "continues": str(former.uid) if former is not None else None,
        "answers": {uid: as_typed(answer) for uid, answer in attempt.answers.items()} if is_open else {},
        "result": None if is_open else _result_out(attempt, lesson, attempts, following, may_open),
    }


def question_out(question: Question, *, seed: str) -> dict[str, Any]:
    """Return the shape ``QuestionOut``: only fields that reveal no answer. The seed decides the order of steps."""
    kind = Question.Kind(question.kind)
    seed = f"{seed}:{question.uid}"
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
            unit, tolerance = question.unit, question.tolerance
        case _:
            pass
    strictness, writing = question.strictness, number_format()
    return {
        "uid": str(question.uid),
        "kind": kind.value,
        "prompt_html": rendering.prompt_html(question),
        "points": question.points,
        "options": _options_out(options),
        "left": _options_out(left),
        "right": _options_out(right),
        "unit": unit,
        "tolerance": tolerance,
        "ignores_accents": strictness.ignores_accents,
        "is_case_sensitive": strictness.is_case_sensitive,
        "number_format": asdict(writing),
        "gaps": [_gap_out(gap, seed=seed) for gap in question.gaps],
        "limit": question.options["limit"] if kind is Question.Kind.ESSAY else None,
    }


def _gap_out(gap: Question, *, seed: str) -> dict[str, Any]:
    """Return the shape ``GapOut``. The seed decides the order of its choices."""
    is_choice = gap.kind == Question.Kind.SINGLE
    return {
        "number": str(gap.position),
        "kind": gap.kind,
        "points": gap.points,
        "options": _options_out(marking.shuffled(gap.options, seed=f"{seed}:{gap.position}") if is_choice else []),
        "unit": gap.unit,
        "tolerance": gap.tolerance,
        "ignores_accents": gap.strictness.ignores_accents,
        "is_case_sensitive": gap.strictness.is_case_sensitive,
    }


def _options_out(options: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"id": str(option["id"]), "html": rendering.choice_html(str(option["text"]))} for option in options]


def _result_out(
    attempt: Attempt, lesson: Lesson, attempts: QuizAttempts, following: Entry | None, may_open: Container[str]
) -> dict[str, Any]:
    course = lesson.course.slug
    best = max(0 if attempt.waiting else attempt.percent, attempts.best.percent if attempts.best else 0)
    left = attempts.attempts_left
    spent = (attempt.submitted_at - attempt.started_at).total_seconds() if attempt.submitted_at else 0
    return {
        "score": plain_number(attempt.score),
        "points": attempt.points,
        "percent": attempt.percent,
        "is_passed": attempt.is_passed,
        "waiting": attempt.waiting,
        "best_percent": best,
        "headline": headline(attempt),
        "seconds": max(0, int(spent)),
        "is_offline": attempt.is_offline,
        "shows_answers": attempts.shows_answers,
        "questions": [
            question_result(stored if attempts.shows_answers else without_answers(stored), course, may_open)
            for stored in attempt.results
        ],
        "next": entry_out(following, course) if following else None,
        "certificate_url": _certificate_url(attempt),
        "may_try_again": not lesson.is_removed and (attempts.reopened is not None or left is None or left > 0),
    }


def _certificate_url(attempt: Attempt) -> str | None:
    """Return the page of the course's certificate, if the learner has it. One query for a completed course."""
    enrollment = attempt.enrollment
    if enrollment.completed_at is None or not hasattr(enrollment, "certificate"):
        return None
    return certificate_url(enrollment.certificate.code) if not enrollment.certificate.revoked_at else None
