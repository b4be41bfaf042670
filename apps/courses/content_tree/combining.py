"""A next version combined with what changed in the published course since it was begun, field by field."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.courses.content_tree.shape import (
    COURSE_COLUMNS,
    LESSON_COLUMNS,
    QUESTION_COLUMNS,
    QUIZ_COLUMNS,
    Tree,
    lessons_of,
    questions_of,
    quizzes_of,
)

_COURSE_FIELDS = (*COURSE_COLUMNS, "subject", "prerequisites")
_LESSON_FIELDS = (*LESSON_COLUMNS, "video", "file", "prerequisites", "downloads", "captions")
_QUESTION_FIELDS = (*QUESTION_COLUMNS, "rewatch_lesson", "tags")
# Measured or made by the product: the newest value is the right one, so they are no conflict.
_MEASURED = {"duration", "captions", "currency"}


@dataclass(frozen=True)
class Conflict:
    """A field that both changed. The draft's value is used. ``title``: of the lesson, or "" for the course page."""

    title: str
    name: str
    draft: Any
    published: Any


@dataclass
class Combined:
    """The tree that is published, and the fields in which the draft replaces what was changed meanwhile."""

    tree: Tree
    conflicts: list[Conflict] = field(default_factory=list)


def combine_trees(base: Tree, draft: Tree, published: Tree) -> Combined:
    """Return the draft with the fields that only the published course changed since ``base``.

    What exists, and in which order, is as in the draft: the studio adds and moves nothing in a published course.
    """
    combined = Combined(copy.deepcopy(draft))
    if base == published:
        return combined
    _combine(combined, "", combined.tree["course"], base["course"], published["course"], _COURSE_FIELDS)
    if published["picture"] != base["picture"] and draft["picture"] == base["picture"]:
        combined.tree["picture"] = copy.deepcopy(published["picture"])
    first, last = _by_uid(lessons_of(base)), _by_uid(lessons_of(published))
    for lesson in lessons_of(combined.tree):
        if lesson["uid"] in first and lesson["uid"] in last:
            was, now = first[lesson["uid"]], last[lesson["uid"]]
            _combine(combined, lesson["title"], lesson, was, now, _LESSON_FIELDS)
    _combine_quizzes(combined, base, published)
    return combined


def _combine_quizzes(combined: Combined, base: Tree, published: Tree) -> None:
    quizzes_before, quizzes_now = dict(quizzes_of(base)), dict(quizzes_of(published))
    titles = {lesson["uid"]: lesson["title"] for lesson in lessons_of(combined.tree)}
    for key, quiz in quizzes_of(combined.tree):
        if key is not None and key in quizzes_before and key in quizzes_now:
            _combine(combined, titles[key], quiz, quizzes_before[key], quizzes_now[key], QUIZ_COLUMNS)
    first, last = _by_uid(questions_of(base)), _by_uid(questions_of(published))
    for question in questions_of(combined.tree):
        if question["uid"] in first and question["uid"] in last:
            was, now = first[question["uid"]], last[question["uid"]]
            _combine(combined, question["prompt"][:60], question, was, now, _QUESTION_FIELDS)


def _combine(
    combined: Combined,
    title: str,
    draft: dict[str, Any],
    was: Mapping[str, Any],
    now: Mapping[str, Any],
    names: Iterable[str],
) -> None:
    for name in names:
        if now[name] in (was[name], draft[name]):
            continue
        if draft[name] == was[name] or name in _MEASURED:
            draft[name] = copy.deepcopy(now[name])
        else:
            combined.conflicts.append(Conflict(title, name, draft[name], now[name]))
    # A price belongs to its kind: one of the draft and the other of the published course may be none together.
    if "pricing" in draft and (draft["pricing"] == "one_time") != bool(draft["price"]):
        source = now if draft["pricing"] == now["pricing"] else was
        draft["price"] = source["price"] if draft["pricing"] == "one_time" else 0


def _by_uid(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["uid"]: row for row in rows}
