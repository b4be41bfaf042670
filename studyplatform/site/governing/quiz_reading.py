"""A quiz as its reviewers read it: all that an attempt may ask, with the solutions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.courses.models import Question, Quiz
from apps.courses.queries.draws import Draw, draws_of
from apps.courses.queries.solutions import SolutionLine, solution

MAX_DRAWN_SHOWN = 100  # questions of the bank on the page of a quiz; a bank has up to a thousand


@dataclass(frozen=True)
class DrawReading:
    """What attempts get from the question bank, and the candidates that no draw before it shows, with solutions."""

    draw: Draw
    questions: list[tuple[Question, Sequence[SolutionLine]]]
    hidden_count: int
    """Candidates that are read in the question bank itself, because there are too many."""


def quiz_reading(quiz: Quiz) -> dict[str, Any]:
    """Everything that an attempt may ask: the questions of the quiz, and the candidates of its draws, each once."""
    drawn: list[DrawReading] = []
    known: set[int] = set()
    for draw in draws_of(quiz):
        new = [one for one in draw.candidates if one.pk not in known]
        shown = new[: max(0, MAX_DRAWN_SHOWN - len(known))]
        known.update(one.pk for one in shown)
        drawn.append(DrawReading(draw, [(one, solution(one)) for one in shown], len(new) - len(shown)))
    own = [(question, solution(question)) for question in quiz.questions.order_by("position")]
    return {"questions": own, "draws": drawn}
