"""The tool that practices with the learner's cards."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from markupsafe import Markup

from apps.accounts.models import Scope
from apps.courses.models import Question
from apps.learning import services
from apps.learning.models import PracticeCard, PracticeReview
from apps.learning.queries.practice import OWN, get_card
from apps.learning.queries.practice_page import answer_out, card_out, practice_out, presented
from apps.tutor.mcp.callers import Caller
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.mcp.service import Answer, Tool

_TEXT = {"type": "string", "maxLength": 500}
_ID = {"type": "string", "maxLength": 40}


def practice_quiz(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """Without a card: the next one that is due. With one: its answer, marked, and with a rating the review saved."""
    if "card" in arguments:
        return _answered(caller, arguments)
    if arguments.keys() - {"source"}:
        said = _("Name the card you're answering.")
        raise ValidationFailed(in_fields={"card": [{"code": "required", "message": said}]})
    source = arguments.get("source", "")
    session = practice_out(caller.user, source, caller.now)
    shown = session["cards"][0] if session["cards"] else None
    return Answer(
        data={
            "card": _card(get_card(caller.user, UUID(shown["uid"])), caller.now) if shown else None,
            "left_today": session["left"],
            "done_today": session["done_today"],
            "next_due": session["next_due"],
        }
    )


def _card(card: PracticeCard, now: datetime) -> dict[str, Any]:
    """The front of a card: of a question nothing that reveals its answer."""
    out, question = card_out(card, now), card.question
    shown: dict[str, Any] = {"card": out["uid"], "turn": out["turn"], "course": out["course"] or None}
    if question is None:
        return {**shown, "kind": "flash_card", "front": card.front}
    return {
        **shown,
        "kind": question.kind,
        "prompt": question.prompt,
        "unit": out["question"]["unit"],
        **{name: _options(out["question"][name]) for name in ("options", "left", "right")},
        "gaps": [
            {"number": gap["number"], "kind": gap["kind"], "unit": gap["unit"], "options": _options(gap["options"])}
            for gap in out["question"]["gaps"]
        ],
    }


def _options(options: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"id": one["id"], "text": _plain(one["html"])} for one in options]


def _plain(html: str) -> str:
    return Markup(html).striptags()  # noqa: S704 (no tags left)


def _answered(caller: Caller, arguments: dict[str, Any]) -> Answer:
    card = get_card(caller.user, UUID(arguments["card"]))
    question = presented(card)
    answer, rating = arguments.get("answer"), arguments.get("rating")
    data: dict[str, Any] = {"card": card.uid}
    if question is None:
        data["back"] = card.back
    else:
        data |= _marked(caller, card, question, answer)
        rating = rating or data["suggested_rating"]
    if rating is None:
        return Answer(data={**data, "is_saved": False, "say": _("Compare, then call again with a rating.")})
    turn = int(arguments.get("turn", card.turn))
    saved, is_counted = services.review_card(
        user=caller.user,
        card=card,
        key=uuid5(card.uid, f"mcp {turn}"),  # called again, it is the same review
        turn=turn,
        rating=rating,
        answer=answer if question is not None else None,
        reviewed_at=None,
        now=caller.now,
    )
    return Answer(data={**data, "is_saved": is_counted, "rating": rating, "next_due": saved.due})


def _marked(caller: Caller, card: PracticeCard, question: Question, answer: dict[str, Any] | None) -> dict[str, Any]:
    marked = answer_out(caller.user, card, question, answer)
    result = marked["result"]
    return {
        "verdict": result["verdict"],
        "lines": [
            {
                "text": _plain(line["html"]),
                "right": _plain(line["right_html"]),
                "is_chosen": line["is_chosen"],
                "is_right": line["is_right"],
            }
            for line in result["lines"]
        ],
        "accepted": result["accepted"],
        "explanation": question.explanation,
        "rewatch": result["rewatch"],
        "suggested_rating": marked["suggested"],
    }


PRACTICE_QUIZ = Tool[Caller](
    name="practice_quiz",
    title=gettext_lazy("Practice"),
    description=gettext_lazy(
        "Practice with the user's cards: questions that they missed, and their flash cards. Without a card it returns "
        "the next one that is due. With the card and an answer it marks the answer, explains it and saves the review; "
        "a flash card returns its back, and is saved when you call again with a rating."
    ),
    summary=_("Your flash cards and quiz questions that are due"),
    run=practice_quiz,
    arguments={
        "source": {
            "type": "string",
            "maxLength": 200,
            "pattern": r"^[\w-]*$",
            "description": f'The slug of a course, or "{OWN}" for flash cards. Without it: all cards.',
        },
        "card": {"type": "string", "maxLength": 36, "pattern": r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},
        "turn": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1_000_000,
            "description": "The card's turn, as it was returned.",
        },
        "answer": {
            "type": "object",
            "description": "By the kind of question: id (single), ids (multiple, ordering), value (truth), text "
            "(numeric, text), pairs (matching, left to right), gaps (by number: the id of a choice, or the text). "
            "Without it: the user doesn't know.",
            "properties": {
                "id": _ID,
                "ids": {"type": "array", "items": _ID, "maxItems": 50},
                "value": {"type": "boolean"},
                "text": _TEXT,
                "pairs": {"type": "object", "additionalProperties": _ID, "maxProperties": 50},
                "gaps": {"type": "object", "additionalProperties": _TEXT, "maxProperties": 50},
            },
            "additionalProperties": False,
        },
        "rating": {
            "type": "integer",
            "enum": list(PracticeReview.Rating.values),
            "description": "1 again, 2 hard, 3 good, 4 easy. Without it: what fits the answer.",
        },
    },
    scope=Scope.PRACTICE,
)
