"""A learner's notebook as a PDF (``notebook.typ``). Its notes look as on the page: Markdown, tables, code, formulas."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.courses.models import Course
from apps.learning.errors import NotesTooLong
from apps.learning.models import Note
from apps.learning.notes.markdown_export import heading_of
from apps.learning.queries.addresses import lesson_url
from studyplatform.kit.text import markdown
from studyplatform.kit.text.durations import clock
from studyplatform.kit.typesetting import compile_pdf, make_phrase, make_rich_text
from studyplatform.kit.typesetting.phrases import east_asian_variant

_TEMPLATE = Path(__file__).with_name("notebook.typ")
MAX_CHARACTERS = 400_000  # some 150 pages; it takes about three seconds
LINE_COST, FORMULA_COST = 60, 80  # characters: a line of its own, and a formula, cost as much


def draw(course: Course, groups: Sequence[Sequence[Note]], *, writer: str) -> bytes:
    """Return the notes as a PDF, lesson by lesson.

    :raises NotesTooLong: they have more than ``MAX_CHARACTERS`` characters, with ``LINE_COST`` and ``FORMULA_COST``.
    """
    if sum(_cost_of(note.text) for notes in groups for note in notes) > MAX_CHARACTERS:
        raise NotesTooLong(slug=course.slug)
    language = get_language() or "en"
    contents = {
        "title": _("Notes on %(course)s") % {"course": course.title},
        "author": writer,
        "lang": language.partition("-")[0],
        "cjk": east_asian_variant("", course.language),
        "course": make_phrase(course.title, language=course.language),
        "writer": make_phrase(_("Notes of %(name)s") % {"name": writer}),
        "groups": [
            {"heading": make_phrase(heading_of(notes[0])), "notes": [_contents_of(note, course) for note in notes]}
            for notes in groups
        ],
    }
    return compile_pdf(_TEMPLATE, contents)


def _cost_of(text: str) -> int:
    return len(text) + LINE_COST * (1 + text.count("\n")) + FORMULA_COST * text.count("$") // 2


def _contents_of(note: Note, course: Course) -> dict[str, Any]:
    is_moment = note.kind == Note.Kind.MOMENT
    lesson = note.lesson
    address = settings.SITE_URL
    if lesson is not None and note.second is not None:
        address += lesson_url(course.slug, lesson.slug, at=note.second)
    return {
        "time": None if note.second is None else clock(note.second),
        "address": address,
        "moment": make_phrase(note.text or _("Marked moment")) if is_moment else None,
        "nodes": [] if is_moment else make_rich_text(markdown.render(note.text)),
    }
