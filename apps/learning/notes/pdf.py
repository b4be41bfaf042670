"""A learner's notebook as a PDF (``notebook.typ``). Its notes look as on the page: Markdown, tables, code, formulas."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.courses.models import Course
from apps.learning.models import Note
from apps.learning.notes.markdown_export import heading_of
from apps.learning.queries.addresses import lesson_url
from studyplatform.kit.text import content
from studyplatform.kit.text.durations import clock
from studyplatform.kit.typesetting import compile_pdf, make_phrase, make_rich_text
from studyplatform.kit.typesetting.phrases import east_asian_variant

_TEMPLATE = Path(__file__).with_name("notebook.typ")
# Estimated CPU time in microseconds. Hostile texts take up to twice as long, usual ones half of it.
MAX_REQUEST_MICROSECONDS = 250_000  # a longer PDF is made by a job
MAX_JOB_MICROSECONDS = 20_000_000  # some thousand pages
_PER_CHARACTER, _PER_LINE, _PER_CHARACTER_OF_FORMULAS = 3, 150, 35
_PER_MARK = {"`": 70, "|": 100, "[": 90, "<": 250, "* ": 150, "- ": 150, "+ ": 150, "*": 25, "_": 25, "~": 25, "$": 300}


def estimate_cost(notes: Iterable[Note]) -> int:
    """Return about how many microseconds of CPU time the PDF of these notes takes (measured with
    tests/bench/hostile.py).
    """
    return sum(_cost_of(note.text) for note in notes)


def draw(
    course: Course,
    groups: Sequence[Sequence[Note]],
    *,
    writer: str,
    on_note: Callable[[], None] | None = None,
) -> bytes:
    """Return the notes as a PDF, lesson by lesson. ``on_note`` is called after each of them."""
    language = get_language() or "en"

    def contents_of(note: Note) -> dict[str, Any]:
        contents = _contents_of(note, course)
        if on_note is not None:
            on_note()
        return contents

    contents = {
        "title": _("Notes on %(course)s") % {"course": course.title},
        "author": writer,
        "lang": language.partition("-")[0],
        "cjk": east_asian_variant("", course.language),
        "course": make_phrase(course.title, language=course.language),
        "writer": make_phrase(_("Notes of %(name)s") % {"name": writer}),
        "groups": [
            {"heading": make_phrase(heading_of(notes[0])), "notes": [contents_of(note) for note in notes]}
            for notes in groups
        ],
    }
    return compile_pdf(_TEMPLATE, contents)


def _cost_of(text: str) -> int:
    marks = sum(text.count(mark) * cost for mark, cost in _PER_MARK.items())
    marks += (text.rfind("$") - text.find("$")) * _PER_CHARACTER_OF_FORMULAS
    return len(text) * _PER_CHARACTER + _PER_LINE * (1 + text.count("\n")) + marks


def _contents_of(note: Note, course: Course) -> dict[str, Any]:
    is_moment = note.kind == Note.Kind.MOMENT
    lesson = note.shown_lesson
    address = settings.SITE_URL
    if lesson is not None and note.second is not None:
        address += lesson_url(course.slug, lesson.slug, at=note.second)
    return {
        "time": None if note.second is None else clock(note.second),
        "address": address,
        "moment": make_phrase(note.text or _("Marked moment")) if is_moment else None,
        "nodes": [] if is_moment else make_rich_text(content.render(note.text, content.NOTE)),
    }
