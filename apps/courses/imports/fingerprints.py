"""Questions as short texts: two that ask the same have the same one; and one that tells whether one was changed."""

import hashlib
import json
import re
from typing import Any

from apps.courses.models import Question

_FILE = re.compile(r"/course-files/[0-9a-f-]{36}")
_WRITTEN = (
    "kind", "prompt", "options", "answer", "points", "explanation", "remarks", "all_or_nothing", "is_withdrawn",
    "rewatch_lesson_id", "rewatch_at",
)  # fmt: skip
Kind = Question.Kind


def fingerprint_of(question: Question) -> str:
    """Return the fingerprint of a question, which need not be saved. Ids and the files behind pictures don't count."""
    return _digest([question.kind, _text(question.prompt), _facts(question)])


def digest_question(question: Question) -> str:
    """Return a short text that is another one as soon as anybody changes the question: a space, a picture or a tag."""
    written = [getattr(question, name) for name in _WRITTEN]
    return _digest([written, sorted(tag.key for tag in question.tags.all())])


def _digest(facts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(facts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:32]


def _facts(question: Question) -> Any:
    options, answer = question.options, question.answer
    match question.kind:
        case Kind.SINGLE | Kind.MULTIPLE:
            right = {answer["id"]} if "id" in answer else set(answer["ids"])
            shares = answer.get("shares", {})
            return sorted(
                [_text(one["text"]), one["id"] in right, *([shares[one["id"]]] if one["id"] in shares else [])]
                for one in options
            )
        case Kind.TRUTH:
            return bool(answer["value"])
        case Kind.NUMERIC:
            return [*map(str, question.accepted_range), question.unit]
        case Kind.TEXT:
            strictness = question.strictness
            return [
                sorted(map(_text, answer["accepted"])),
                strictness.ignores_accents,
                strictness.is_case_sensitive,
                strictness.has_wildcards,
                *sorted([_text(one["text"]), one["share"]] for one in answer.get("partly", [])),
            ]
        case Kind.ORDERING:
            texts = {one["id"]: _text(one["text"]) for one in options}
            return [texts.get(one, "") for one in answer["ids"]]
        case Kind.MATCHING:
            rights = {one["id"]: _text(one["text"]) for one in options["right"]}
            pairs = [
                [_text(one["text"]), rights.get(answer["pairs"].get(one["id"], ""), "")] for one in options["left"]
            ]
            return [sorted(pairs), sorted(rights.values())]
        case Kind.GAPS:
            return [[gap.position, gap.kind, gap.points, _facts(gap)] for gap in question.gaps]
    return []


def _text(text: str) -> str:
    return " ".join(_FILE.sub("/course-files/", text).split())
