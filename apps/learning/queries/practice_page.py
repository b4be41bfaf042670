"""The page of practice and its calls, in the shapes of the API."""

from datetime import datetime
from fractions import Fraction
from typing import Any

from apps.accounts.models import User
from apps.accounts.queries import day_zone_of
from apps.courses.models import Course, Question
from apps.learning.models import PracticeCard
from apps.learning.outline import place_all
from apps.learning.practice import schedule
from apps.learning.practice.day import day_of
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.practice import Overview, cards_of, from_source, next_cards, overview_of
from apps.learning.queries.quizzes import open_slugs
from apps.learning.quizzes import marking
from apps.learning.quizzes.drawing import WITH_CHOICES
from apps.learning.quizzes.presentation import question_out
from apps.learning.quizzes.result_presentation import question_result
from apps.learning.quizzes.results import stored_result
from apps.learning.services.practice import read_answer, schedule_of
from studyplatform.kit.text import content

_SUGGESTED = {"right": 3, "partly": 2}  # the rating after an answer; again after any other


def practice_out(user: User, source: str, now: datetime) -> dict[str, Any]:
    """Return the shape ``PracticeOut``: the next cards of the day. Six queries."""
    cards = from_source(cards_of(user), source)
    return session_out(user, source, overview_of(user, cards, now), now)


def solved_practice(user: User, now: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the shape ``PracticeOut`` of all cards, and the shape ``OfflineSolution`` of each that asks a question.

    Six queries, and three for each course in which a card names a lesson to rewatch.
    """
    overview = overview_of(user, cards_of(user), now)
    cards = _due(user, "", overview, now)
    solutions: list[dict[str, Any]] = []
    known: dict[int, frozenset[str]] = {}
    for card in cards:
        question = presented(card)
        if question is not None:
            result = answer_out(user, card, question, None, known)["result"]
            solutions.append({"card": str(card.uid), "result": result})
    return _session(cards, "", overview, now), solutions


def session_out(user: User, source: str, overview: Overview, now: datetime) -> dict[str, Any]:
    """Return the shape ``PracticeOut`` for figures that were read before. Four queries."""
    return _session(_due(user, source, overview, now), source, overview, now)


def _due(user: User, source: str, overview: Overview, now: datetime) -> list[PracticeCard]:
    _start, end = day_of(now, day_zone_of(user, now))
    return next_cards(from_source(cards_of(user), source), overview.load, now, end) if overview.load.left else []


def _session(cards: list[PracticeCard], source: str, overview: Overview, now: datetime) -> dict[str, Any]:
    load = overview.load
    return {
        "origin": source,
        "total": overview.total,
        "left": load.left,
        "done_today": load.new_done + load.returning_done,
        "tomorrow": overview.tomorrow,
        "next_due": overview.next_due,
        "cards": [card_out(card, now) for card in cards],
    }


def card_out(card: PracticeCard, now: datetime) -> dict[str, Any]:
    """Return the shape ``PracticeCardOut``: of a question nothing that reveals its answer."""
    question = presented(card)
    quiz = card.of_quiz
    lesson = quiz.lesson if quiz is not None else None
    intervals = schedule.preview(schedule_of(card), now)
    return {
        "uid": str(card.uid),
        "turn": card.turn,
        "course": lesson.course.title if lesson else "",
        "quiz": lesson.number if lesson else "",
        "missed": card.missed,
        "missed_at": card.missed_at,
        "question": question_out(question, seed=f"{card.uid}:{card.turn}") if question is not None else None,
        "front_html": str(content.render(card.front, content.NOTE)) if question is None else "",
        "back_html": str(content.render(card.back, content.NOTE)) if question is None else "",
        "intervals": [int(interval.total_seconds()) for _rating, interval in sorted(intervals.items())],
    }


def presented(card: PracticeCard) -> Question | None:
    """Return the card's question as the learner sees it now; None for a flash card. It must not be saved."""
    question = card.question
    quiz = card.of_quiz
    if question is not None and quiz is not None and quiz.shuffle_options and question.kind in WITH_CHOICES:
        question.options = marking.shuffled(question.options, seed=f"{card.uid}:{card.turn}:{question.uid}")
    return question


def answer_out(
    user: User,
    card: PracticeCard,
    question: Question,
    answer: marking.Answer | None,
    known: dict[int, frozenset[str]] | None = None,
) -> dict[str, Any]:
    """Return the shape ``PracticeAnswered``: how the answer was marked, the right one, and why.

    ``known``: the open lessons of courses that were read for other cards, by the course's primary key.

    :raises ValidationFailed: the answer doesn't have the shape of the question.
    """
    read = read_answer(question, answer)
    mark = marking.mark(question, read)
    stored = stored_result(question, read, mark, mark.share * Fraction(question.points))
    course = (card.of_quiz or question.quiz).lesson.course
    may_open = _open_to(user, course, {} if known is None else known) if question.rewatch_lesson_id else frozenset()
    return {
        "result": question_result(stored, course.slug, may_open),
        "suggested": _SUGGESTED.get(mark.verdict, 1),
    }


def _open_to(user: User, course: Course, known: dict[int, frozenset[str]]) -> frozenset[str]:
    if course.pk not in known:
        known[course.pk] = open_slugs(place_all(course, outline_of(course), standing_of(user, course)))
    return known[course.pk]
