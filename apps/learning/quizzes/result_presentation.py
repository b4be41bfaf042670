"""What the API says of a submitted question and of a whole result, from what the attempt stored."""

from collections.abc import Container
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.models import Question
from apps.learning.models import Attempt
from apps.learning.queries.addresses import lesson_url
from apps.learning.quizzes import rendering


def without_answers(stored: dict[str, Any]) -> dict[str, Any]:
    """Remove the right answer from a stored result: the learner's answer, its mark and the remarks stay.

    The result of a right answer stays complete, as it reveals nothing new.
    """
    if stored["verdict"] == "right":
        return stored
    lines = [
        # With a single choice the mark already says that it is wrong; with several it must not say which one.
        {**line, "right": "", "place": None, "is_right": False if _may_show_mark(stored, line) else None}
        for line in stored["lines"]
    ]
    if stored["kind"] == Question.Kind.ORDERING and stored["verdict"] == "open":
        lines = []  # an unanswered ordering is stored in the right order
    return {**stored, "lines": lines, "accepted": "", "explanation": ""}


def _may_show_mark(stored: dict[str, Any], line: dict[str, Any]) -> bool:
    return bool(stored["kind"] == Question.Kind.SINGLE and line["is_chosen"])


def question_result(stored: dict[str, Any], course: str, may_open: Container[str]) -> dict[str, Any]:
    """Return the shape ``QuestionResult``. The lesson to rewatch is named only if the learner may open it."""
    rewatch = stored["rewatch"]
    if rewatch and rewatch["slug"] not in may_open:
        rewatch = None
    lines = stored["lines"]
    is_gaps = stored["kind"] == Question.Kind.GAPS
    return {
        "uid": stored["uid"],
        "kind": stored["kind"],
        "prompt_html": rendering.filled_html(stored["prompt"], lines)
        if is_gaps
        else rendering.text_html(stored["prompt"]),
        "verdict": stored["verdict"],
        "earned": stored["earned"],
        "points": stored["points"],
        "lines": [
            {
                "html": rendering.gap_name(number, len(lines)) if is_gaps else rendering.choice_html(line["text"]),
                "chosen_html": rendering.chosen_html(line),
                "right_html": rendering.right_html(line),
                "is_chosen": line["is_chosen"],
                "is_right": line["is_right"],
                "place": line["place"],
                "points": line.get("points"),
            }
            for number, line in enumerate(lines, start=1)
        ],
        "given": stored["given"],
        "comment": stored.get("comment", ""),
        "accepted": stored["accepted"],
        "explanation_html": rendering.explanation_html(stored["explanation"]),
        "remarks_html": [rendering.feedback_html(remark) for remark in stored["remarks"]],
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
    """Return a sentence that sums up the result."""
    if attempt.waiting:
        return _("Waiting for your instructor")
    verdicts = [stored["verdict"] for stored in attempt.results]
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
