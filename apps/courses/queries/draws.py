"""Which questions of a bank an attempt gets: drawn so that every draw is as full as the bank allows."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from apps.courses.models import Course, Question, Quiz


@dataclass(frozen=True)
class Draw:
    """``count`` of these questions. A linked question is a draw of one from one."""

    candidates: tuple[Question, ...]
    count: int
    is_linked: bool = False


def askable_bank(course: Course) -> list[Question]:
    """Return the questions of a course's bank that quizzes may ask, in order, with their tags. Two queries."""
    bank = Question.objects.filter(quiz__course=course, is_withdrawn=False).order_by("position")
    return list(bank.select_related("rewatch_lesson").prefetch_related("tags"))


def draws_of(quiz: Quiz, bank: Sequence[Question] | None = None) -> list[Draw]:
    """Return what each attempt at a lesson's quiz gets from the question bank, in order. At most four queries.

    ``bank``: what ``askable_bank`` has returned, for those who ask for several quizzes.
    """
    rows = list(quiz.draws.order_by("position").prefetch_related("tags"))
    if not rows:
        return []
    questions = askable_bank(quiz.of_course) if bank is None else bank
    tags_of = {question.pk: {tag.pk for tag in question.tags.all()} for question in questions}
    draws = []
    for row in rows:
        if row.question_id is not None:
            found = tuple(one for one in questions if one.pk == row.question_id)
        else:
            wanted = {tag.pk for tag in row.tags.all()}
            found = tuple(one for one in questions if wanted <= tags_of[one.pk])
        draws.append(Draw(found, row.count, is_linked=row.question_id is not None))
    return draws


def draw_questions(draws: Sequence[Draw], dice: random.Random, *, max_essays: int) -> list[Question]:
    """Return the questions of all draws in their order, none of them twice.

    Where draws share candidates, one gives a question up to another that would stay short: as many questions are drawn
    as the bank allows. Within a draw each candidate is as likely as any other, unless another draw needs it. Linked
    questions come first. Of essays there are at most ``max_essays``.
    """
    linked = {draw.candidates[0].pk for draw in draws if draw.is_linked and draw.candidates}
    shuffled: list[list[Question]] = []
    for draw in draws:
        mixed = [one for one in draw.candidates if draw.is_linked or one.pk not in linked]
        dice.shuffle(mixed)
        shuffled.append(mixed)
    owner: dict[int, int] = {}  # of a question, by primary key: the place of its draw
    chosen: list[list[Question]] = [[] for _ in draws]
    essays = max_essays
    for place, draw in enumerate(draws):
        for _ in range(draw.count):
            taken = _take(place, shuffled, owner, chosen, set(), is_essay_allowed=essays > 0)
            if taken is None:
                break
            essays -= taken.kind == Question.Kind.ESSAY
    return [question for questions in chosen for question in questions]


def _take(
    place: int,
    shuffled: Sequence[Sequence[Question]],
    owner: dict[int, int],
    chosen: list[list[Question]],
    seen: set[int],
    *,
    is_essay_allowed: bool,
) -> Question | None:
    """Give the draw one more question; return the one that is new on the paper, or None if there is none.

    The search is that of a largest matching by augmenting paths (Kuhn 1955).
    """
    usable = [one for one in shuffled[place] if is_essay_allowed or one.kind != Question.Kind.ESSAY]
    for question in usable:
        if question.pk not in owner:
            owner[question.pk] = place
            chosen[place].append(question)
            return question
    for question in usable:
        other = owner[question.pk]
        if other == place or question.pk in seen:
            continue
        seen.add(question.pk)
        added = _take(other, shuffled, owner, chosen, seen, is_essay_allowed=is_essay_allowed)
        if added is not None:
            chosen[other].remove(question)
            owner[question.pk] = place
            chosen[place].append(question)
            return added
    return None


def count_drawn(draws: Sequence[Draw], *, max_essays: int) -> int:
    """Return how many questions an attempt gets: every attempt as many."""
    return len(draw_questions(draws, random.Random(0), max_essays=max_essays))  # noqa: S311 (no secret)


def candidates_of(draws: Sequence[Draw]) -> Collection[Question]:
    """Return all candidates, each once."""
    return {one.pk: one for draw in draws for one in draw.candidates}.values()
