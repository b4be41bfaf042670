"""Values of a content tree as people read them."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.models import Course, Question, Quiz
from studyplatform.kit.text.money import money

FIELD_LABELS = {
    "title": gettext_lazy("Title"), "summary": gettext_lazy("Summary"), "description": gettext_lazy("Description"),
    "difficulty": gettext_lazy("Level"), "language": gettext_lazy("Language"), "pricing": gettext_lazy("Pricing"),
    "price": gettext_lazy("Price"), "outcomes": gettext_lazy("What learners will be able to do"),
    "before_you_begin": gettext_lazy("Before learners begin"), "requires_order": gettext_lazy("Lessons in order"),
    "plate_variant": gettext_lazy("Artwork"), "picture": gettext_lazy("Course picture"),
    "subject": gettext_lazy("Category"), "prerequisites": gettext_lazy("Prerequisites"),
    "slug": gettext_lazy("Address"), "kind": gettext_lazy("Type"), "is_preview": gettext_lazy("Preview"),
    "is_optional": gettext_lazy("Optional"), "opens_at": gettext_lazy("Opens on"),
    "opens_after_days": gettext_lazy("Opens after days"), "body": gettext_lazy("Text"),
    "external_video": gettext_lazy("Video on another site"), "chapters": gettext_lazy("Chapters"),
    "file": gettext_lazy("File"), "file_name": gettext_lazy("Name of the file"), "video": gettext_lazy("Video"),
    "downloads": gettext_lazy("Downloads"), "captions": gettext_lazy("Captions"), "quiz": gettext_lazy("Quiz"),
    "intro": gettext_lazy("Introduction"), "pass_percent": gettext_lazy("Percent to pass"),
    "max_attempts": gettext_lazy("Attempts"), "time_limit": gettext_lazy("Time limit"),
    "reveal": gettext_lazy("When answers are shown"), "retry_wait": gettext_lazy("Wait between attempts"),
    "draw_count": gettext_lazy("Questions of an attempt"), "shuffle_questions": gettext_lazy("Shuffled questions"),
    "shuffle_options": gettext_lazy("Shuffled choices"), "draws": gettext_lazy("Draws from the question bank"),
    "points": gettext_lazy("Points"), "explanation": gettext_lazy("Explanation"),
    "is_withdrawn": gettext_lazy("Withdrawn"), "all_or_nothing": gettext_lazy("All or nothing"),
    "tags": gettext_lazy("Tags"), "remarks": gettext_lazy("Feedback"), "rewatch_lesson": gettext_lazy("Watch again"),
    "rewatch_at": gettext_lazy("Watch again from"), "prompt": gettext_lazy("Question"),
}  # fmt: skip
_CHOICES: dict[str, Any] = {
    "difficulty": Course.Difficulty,
    "pricing": Course.Pricing,
    "reveal": Quiz.Reveal,
}
_UNWRITTEN = {"file", "picture", "plate_variant", "prerequisites", "downloads", "draws", "quiz", "rewatch_lesson"}


def label_of(name: str) -> str:
    """Return the name of a field of a tree, also one of a quiz ("quiz.intro"), as people read it."""
    name = name.removeprefix("quiz.")
    return str(FIELD_LABELS.get(name, name))


def written_value(name: str, value: Any) -> list[str]:
    """Return the lines that say a value; none for an empty one."""
    if value is None or value in ("", [], {}) or (name == "price" and not value):
        return []
    if name in _CHOICES and value in _CHOICES[name].values:
        return [str(_CHOICES[name](value).label)]
    if isinstance(value, bool):
        return [_("Yes") if value else _("No")]
    if name == "price":
        return [money(value, settings.CURRENCY, cents=True)]
    if name == "opens_at" and (moment := parse_datetime(str(value))):
        return [date_format(localtime(moment), "j F Y, H:i")]
    if name == "chapters":
        return [f"{int(start) // 60}:{int(start) % 60:02d} {title}" for start, title in value]
    if name == "downloads":
        return [str(one["name"]) for one in value]
    if name == "draws":
        return [", ".join([str(one["count"]), *one["tags"]]) for one in value]
    if name in _UNWRITTEN:
        return [_("Changed")]
    if isinstance(value, Mapping):
        return [str(text) for text in value.values()]
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def choices_of(question: Mapping[str, Any]) -> list[str]:
    """Return the texts between which a learner chooses."""
    options = question.get("options")
    if isinstance(options, list):
        return [str(one.get("text", "")) for one in options]
    if isinstance(options, Mapping) and "left" in options:
        return [str(one.get("text", "")) for side in ("left", "right") for one in options[side]]
    return []


def answer_of(question: Mapping[str, Any]) -> list[str]:
    """Return the lines that say what is right."""
    return [_("Correct: %(answer)s") % {"answer": text} for text in _right(question)]


def _right(question: Mapping[str, Any]) -> list[str]:
    answer: dict[str, Any] = question.get("answer") or {}
    options: Any = question.get("options") or []  # a list, or an object: that of the kind of question
    texts = {one["id"]: str(one["text"]) for one in options} if isinstance(options, list) else {}
    match question.get("kind"):
        case Question.Kind.SINGLE:
            return [texts.get(answer.get("id"), "")]
        case Question.Kind.MULTIPLE:
            return [texts.get(one, "") for one in answer.get("ids", [])]
        case Question.Kind.ORDERING:
            return [", ".join(texts.get(one, "") for one in answer.get("ids", []))]
        case Question.Kind.TRUTH:
            return [_("True") if answer.get("value") else _("False")]
        case Question.Kind.NUMERIC:
            within = _("within %(tolerance)s") % {"tolerance": answer["tolerance"]} if answer.get("tolerance") else ""
            return [" ".join(part for part in (str(answer.get("value", "")), within or _("exactly")) if part)]
        case Question.Kind.TEXT:
            return [", ".join(map(str, answer.get("accepted", [])))]
        case Question.Kind.MATCHING:
            left = {one["id"]: one["text"] for one in options["left"]}
            right = {one["id"]: one["text"] for one in options["right"]}
            return [f"{left.get(a, '')} → {right.get(b, '')}" for a, b in answer.get("pairs", {}).items()]
        case Question.Kind.GAPS:
            fields = {str(one["number"]): one for one in options["gaps"]}
            return [
                f"{number}: {'; '.join(_right({**fields.get(number, {}), 'answer': right}))}"
                for number, right in answer.get("gaps", {}).items()
            ]
    return []
