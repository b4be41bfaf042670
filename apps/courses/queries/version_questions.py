"""How a question differs between two versions, as pages show it."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from apps.courses.content_tree import QuestionChange, Run, Tree
from apps.courses.content_tree.shape import quizzes_of
from apps.courses.models import Question
from apps.courses.queries.version_lines import Block, Line, lines_of, lines_of_values
from apps.courses.queries.version_values import answer_of, choices_of, label_of, written_value


def number_questions(tree: Tree) -> dict[str, int]:
    """Return the number of each question within its quiz, or within the question bank, by uid."""
    return {
        question["uid"]: number
        for _lesson, quiz in quizzes_of(tree)
        for number, question in enumerate(quiz["questions"], start=1)
    }


def block_of_question(one: QuestionChange, numbers: Mapping[str, int]) -> Block:
    """Return what differs of a question: its prompt, choices, answer, explanation and settings."""
    kind = str(Question.Kind(one.kind).label) if one.kind in Question.Kind.values else ""
    names = {"number": numbers.get(one.uid, ""), "kind": kind[:1].lower() + kind[1:]}
    if one.is_added or one.is_removed:
        row = one.after if one.is_added else one.before
        side = "added" if one.is_added else "removed"
        said = _("New question %(number)s, %(kind)s") if one.is_added else _("Removed question %(number)s, %(kind)s")
        lines = [Line(side, (Run("same", one.title),))]
        lines += [Line(side, (Run("same", text),)) for text in answer_of(row or {})]
        return Block(said % names, tuple(lines))
    before, after = one.before or {}, one.after or {}
    changed = {change.name for change in one.fields}
    is_other_answer = one.is_answer_changed and answer_of(before) != answer_of(after)
    said = (
        _("Question %(number)s, the correct answer changes") if is_other_answer else _("Question %(number)s, %(kind)s")
    )
    if not changed:
        said = _("Question %(number)s, moved")
    return Block(said % names, tuple(_lines_of(one, before, after)), is_key=one.is_answer_changed)


def _lines_of(one: QuestionChange, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Line]:
    fields = {change.name: change for change in one.fields}
    if "prompt" in fields:
        yield from lines_of(fields["prompt"].paragraphs)
    else:
        yield Line("same", (Run("same", one.title),))
    if choices_of(before) != choices_of(after):
        yield from lines_of_values(choices_of(before), choices_of(after))
    if one.is_answer_changed and answer_of(before) != answer_of(after):
        yield from lines_of_values(answer_of(before), answer_of(after))
    for change in one.fields:
        if change.name == "explanation":
            yield from lines_of(change.paragraphs)
        elif change.name not in {"prompt", "options", "answer", "kind"}:
            label = label_of(change.name)
            was, now = written_value(change.name, change.before), written_value(change.name, change.after)
            yield from lines_of_values([f"{label}: {text}" for text in was], [f"{label}: {text}" for text in now])
