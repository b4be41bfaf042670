"""Which questions an attempt asks, and in which order: drawn once, when the attempt is opened, and kept with it.

The draw depends only on the seed, so it could be repeated; it is stored all the same, with the questions as they were,
so that an instructor's edits change neither the paper of an open attempt nor what it is marked by.
"""

import random
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from apps.courses.models import Lesson, Question, Quiz
from apps.courses.queries.draws import Draw, draw_questions
from apps.courses.services import QUESTION_LIMIT, essays_left
from apps.learning.quizzes import marking

_KEPT = ("kind", "prompt", "options", "answer", "points", "explanation", "remarks", "all_or_nothing", "rewatch_at")
WITH_CHOICES = {Question.Kind.SINGLE, Question.Kind.MULTIPLE}


def drawn(quiz: Quiz, pool: list[Question], *, seed: str, draws: Sequence[Draw] = ()) -> list[Question]:
    """Return the questions that one attempt asks, in its order.

    ``pool`` has the quiz's own questions in their order; what ``draws`` get from the question bank follows them.
    """
    dice = random.Random(seed)  # noqa: S311 (chance for learners, no secret)
    places = dice.sample(range(len(pool)), quiz.asks(len(pool)))
    if not quiz.shuffle_questions:
        places.sort()
    asked = [pool[place] for place in places]
    essays = sum(one.kind == Question.Kind.ESSAY for one in pool)
    asked += draw_questions(draws, dice, max_essays=essays_left(quiz, pool=len(pool), essays=essays))
    asked = asked[:QUESTION_LIMIT]
    if quiz.shuffle_questions and draws:
        dice.shuffle(asked)
    return asked


def kept(quiz: Quiz, questions: list[Question], *, seed: str) -> list[dict[str, Any]]:
    """Return the questions as an open attempt stores them, with the choices in the attempt's order."""
    rows = []
    for question in questions:
        row = {"uid": str(question.uid), **{name: getattr(question, name) for name in _KEPT}}
        if quiz.shuffle_options and question.kind in WITH_CHOICES:
            row["options"] = marking.shuffled(question.options, seed=f"{seed}:{question.uid}")
        lesson = question.rewatch_lesson
        row["rewatch"] = {"number": lesson.number, "title": lesson.title, "slug": lesson.slug} if lesson else None
        rows.append(row)
    return rows


def restored(rows: list[dict[str, Any]]) -> list[Question]:
    """Return the questions that ``kept`` has stored. They are not rows of the database."""
    return [
        Question(
            uid=UUID(row["uid"]),
            rewatch_lesson=Lesson(**row["rewatch"]) if row["rewatch"] else None,
            **{name: row[name] for name in _KEPT},
        )
        for row in rows
    ]
