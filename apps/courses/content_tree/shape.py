"""The shape of a content tree: which columns it has of which rows, and in which format.

{
  "format": 1,
  "course": {`COURSE_COLUMNS`, "subject": slug, "prerequisites": [uid of a course, …]},
  "picture": {`PICTURE_COLUMNS`, "upload": uid} or None,
  "files": [{"uid", `FILE_COLUMNS`}, …],
  "sections": [{"uid", "title", "lessons": [lesson, …]}, …],
  "bank": {"questions": [question, …]} or None
}
lesson    {"uid", `LESSON_COLUMNS`, "video": uid or None, "file": uid or None, "prerequisites": [uid of a lesson, …],
           "downloads": [{"file": uid, "name"}, …], "captions": {language: digest}, "quiz": quiz or None}
quiz      {`QUIZ_COLUMNS`, "questions": [question, …], "draws": [{"uid", "question": uid or None, "tags", "count"}, …]}
question  {"uid", `QUESTION_COLUMNS`, "rewatch_lesson": uid or None, "tags": [name, …]}

Moments are in ISO 8601. Captions belong to the video, which courses share: they are named, so that a difference shows.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from apps.courses.errors import ContentTreeUnreadable

FORMAT = 1
"""Raised when a tree gets another shape; older ones are converted where they are read."""

Tree = dict[str, Any]

COURSE_COLUMNS = (
    "title", "summary", "description", "difficulty", "language", "pricing", "price", "currency", "outcomes",
    "before_you_begin", "requires_order", "plate_variant",
)  # fmt: skip
PRICE_COLUMNS = ("pricing", "price", "currency")
"""Those of the course that its instructor alone decides."""
PICTURE_COLUMNS = ("alt", "x", "y", "zoom", "key", "width")
FILE_COLUMNS = ("name", "media_type", "width", "height", "rendition_width", "is_rendered")
LESSON_COLUMNS = (
    "slug", "title", "kind", "summary", "duration", "is_preview", "is_optional", "opens_at", "opens_after_days", "body",
    "external_video", "external_host", "chapters", "file_name",
)  # fmt: skip
QUIZ_COLUMNS = (
    "intro", "pass_percent", "max_attempts", "time_limit", "reveal", "retry_wait", "draw_count", "shuffle_questions",
    "shuffle_options",
)  # fmt: skip
QUESTION_COLUMNS = (
    "kind", "prompt", "options", "answer", "points", "explanation", "remarks", "all_or_nothing", "is_withdrawn",
    "rewatch_at",
)  # fmt: skip

_PARTS: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("course", dict),
    ("picture", (dict, type(None))),
    ("files", list),
    ("sections", list),
    ("bank", (dict, type(None))),
)


def check_format(tree: object) -> Tree:
    """Return a stored tree whose format and shape this version of the product reads.

    :raises ContentTreeUnreadable: it has a later format, or isn't a tree.
    """
    if not isinstance(tree, dict) or not isinstance(tree.get("format"), int):
        raise ContentTreeUnreadable
    if tree["format"] != FORMAT or not all(isinstance(tree.get(name), kind) for name, kind in _PARTS):
        raise ContentTreeUnreadable
    try:
        _check_rows(tree)
    except (KeyError, TypeError, AttributeError):
        raise ContentTreeUnreadable from None
    return tree


def _check_rows(tree: Tree) -> None:
    """
    :raises KeyError, TypeError, AttributeError: a row lacks a column or isn't a row.
    :raises ContentTreeUnreadable: two rows have one uid or one address.
    """
    _need(tree["course"], *COURSE_COLUMNS, "subject", "prerequisites")
    for section in tree["sections"]:
        _need(section, "uid", "title", "lessons")
    for lesson in lessons_of(tree):
        _need(lesson, "uid", *LESSON_COLUMNS, "video", "file", "prerequisites", "downloads", "captions", "quiz")
        _need(lesson["quiz"] or {}, *(QUIZ_COLUMNS if lesson["quiz"] else ()))
    questions = list(questions_of(tree))
    for question in questions:
        _need(question, "uid", *QUESTION_COLUMNS, "rewatch_lesson", "tags")
    for rows in (tree["sections"], list(lessons_of(tree)), questions):
        uids = [row["uid"] for row in rows]
        if len(set(uids)) != len(uids):
            raise ContentTreeUnreadable
    slugs = [lesson["slug"] for lesson in lessons_of(tree)]
    if len(set(slugs)) != len(slugs):
        raise ContentTreeUnreadable


def _need(row: Mapping[str, Any], *names: str) -> None:
    for name in names:
        row[name]


def lessons_of(tree: Tree) -> Iterator[dict[str, Any]]:
    """Yield the lessons of a tree in their order."""
    for section in tree["sections"]:
        yield from section["lessons"]


def quizzes_of(tree: Tree) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Yield the quizzes of a tree with the uid of their lesson; the question bank comes first, with None."""
    if tree["bank"] is not None:
        yield None, tree["bank"]
    for lesson in lessons_of(tree):
        if lesson["quiz"] is not None:
            yield lesson["uid"], lesson["quiz"]


def questions_of(tree: Tree) -> Iterator[dict[str, Any]]:
    """Yield all questions: those of the bank first, then those of the quizzes."""
    for _lesson, quiz in quizzes_of(tree):
        yield from quiz["questions"]


def hash_tree(tree: Any) -> str:
    """Return a digest that two trees, or two parts of trees, have in common only if they are equal."""
    return hashlib.sha256(json.dumps(tree, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
