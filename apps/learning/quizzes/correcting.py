"""A corrected answer of a question adds points to attempts that asked it, and never takes any. No database here.

An attempt keeps its questions as it asked them. A corrected answer stands beside the former one, and each learner's
answer gets the better mark of both.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.courses.models import Question
from apps.learning.quizzes import marking
from apps.learning.quizzes.drawing import restored

CORRECTED = "corrected"
"""The key of a stored question under which its corrected answer stands until the attempt is submitted."""

_KEY = ("answer", "all_or_nothing")


def note_corrections(asked: Sequence[dict[str, Any]], questions: Mapping[str, Question]) -> bool:
    """Note in the questions of an open attempt what is right by now; return whether anything was noted."""
    noted = False
    for row in asked:
        question = questions.get(row["uid"])
        if question is not None and _is_other_key(row, question):
            row[CORRECTED] = {name: getattr(question, name) for name in _KEY}
            noted = True
    return noted


def take_better_keys(asked: Sequence[dict[str, Any]], answers: Mapping[str, marking.Answer]) -> set[str]:
    """Let each question that was noted as corrected count by the answer that earns more; return the changed uids."""
    changed = set()
    for row in asked:
        corrected = row.pop(CORRECTED, None)
        answer = answers.get(row["uid"])
        if corrected is not None and answer is not None and _earns_more(row, corrected, answer):
            row.update(corrected)
            changed.add(row["uid"])
    return changed


def _is_other_key(row: Mapping[str, Any], question: Question) -> bool:
    is_marked = question.kind == row["kind"] and question.kind != Question.Kind.ESSAY
    return is_marked and any(row[name] != getattr(question, name) for name in _KEY)


def _earns_more(row: Mapping[str, Any], corrected: Mapping[str, Any], answer: marking.Answer) -> bool:
    """Return whether the corrected answer gives a larger share; not if it is about choices that were not asked."""
    [before], [after] = restored([dict(row)]), restored([{**row, **corrected}])
    try:
        return marking.mark(after, answer).share > marking.mark(before, answer).share and _shows_its_answer(after)
    except (KeyError, TypeError, ValueError):  # the question has other choices, sides or gaps by now
        return False


def _shows_its_answer(question: Question) -> bool:
    """Return whether the choices that are right were among those that the attempt showed."""
    if question.kind not in {Question.Kind.SINGLE, Question.Kind.MULTIPLE}:
        return True
    shown = {option["id"] for option in question.options}
    return set(question.answer.get("ids", [question.answer.get("id")])) <= shown
