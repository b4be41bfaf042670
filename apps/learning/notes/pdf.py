"""A learner's notebook as a PDF. Lengths are in points, measured from the lower left corner."""

import re
from collections.abc import Sequence
from io import BytesIO

from django.conf import settings
from django.utils.translation import gettext as _
from reportlab.lib.colors import Color
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from apps.courses.models import Course
from apps.learning.errors import NotesTooLong
from apps.learning.models import Note
from apps.learning.notes.markdown_export import heading_of
from studyplatform.kit.pdf import DISPLAY, ITALIC, PLAIN, register_fonts, runs_of, width_of, write
from studyplatform.kit.text.durations import clock

WIDTH, HEIGHT = A4
MARGIN = 62.0
TIME_WIDTH = 46.0
INK, FAINT, RUBRIC, RULE = (
    Color(0.09, 0.13, 0.11),
    Color(0.36, 0.40, 0.38),
    Color(0.62, 0.16, 0.10),
    Color(0.78, 0.80, 0.76),
)
MOST_CHARACTERS = 400_000  # some 150 pages; it takes about two seconds
LINE = 60  # a line of its own costs as much as so many characters
_MARKUP = re.compile(r"(\*\*|__|`)")
_LINK = re.compile(r"\[([^\]\[]{1,300})\]\(([^()\s]{1,500})\)")


def draw(course: Course, groups: Sequence[Sequence[Note]], *, writer: str) -> bytes:
    """Return the notes as a PDF, lesson by lesson.

    :raises NotesTooLong: they have more than ``MOST_CHARACTERS`` characters, a line counting as ``LINE``.
    """
    if sum(len(note.text) + LINE * (1 + note.text.count("\n")) for notes in groups for note in notes) > MOST_CHARACTERS:
        raise NotesTooLong(slug=course.slug)
    pages = _Pages(_("Notes on %(course)s") % {"course": course.title}, writer)
    pages.text(course.title, 24, font=DISPLAY, lead=1.2)
    pages.text(_("Notes of %(name)s") % {"name": writer}, 11, font=ITALIC, color=FAINT)
    for notes in groups:
        pages.heading(heading_of(notes[0]))
        for note in notes:
            pages.note(note)
    return pages.finish()


class _Pages:
    """Pages that are written from the top down."""

    def __init__(self, title: str, writer: str) -> None:
        register_fonts()
        self.out = BytesIO()
        self.canvas = Canvas(self.out, pagesize=A4, pageCompression=1, lang="en")
        self.canvas.setTitle(title)
        self.canvas.setAuthor(writer)
        self.canvas.setCreator(settings.SITE_NAME)
        self.canvas.setProducer(settings.SITE_NAME)
        self.title, self.number, self.y = title, 1, HEIGHT - MARGIN

    def heading(self, text: str) -> None:
        self.room(70)
        self.y -= 18
        self.canvas.setStrokeColor(RULE)
        self.canvas.line(MARGIN, self.y, WIDTH - MARGIN, self.y)
        self.y -= 8
        self.text(text, 14, font=DISPLAY)

    def note(self, note: Note) -> None:
        """Write one note, its second on the left."""
        self.y -= 6
        self.room(16)
        if note.second is not None:
            write(self.canvas, runs_of(clock(note.second), PLAIN), MARGIN, self.y - 11, 9, FAINT)
        if note.kind == Note.Kind.MOMENT:
            self.text(note.text or _("Marked moment"), 11, font=ITALIC, color=RUBRIC, indent=TIME_WIDTH)
            return
        for line in note.text.strip().splitlines():
            level = len(line) - len(line.lstrip("#")) if line.startswith("#") else 0
            if not line.strip():
                self.y -= 5
                continue
            shown = _MARKUP.sub("", _LINK.sub(r"\1 (\2)", line.lstrip("#").strip() if 0 < level < 7 else line.rstrip()))
            self.text(shown, 11, font=DISPLAY if level else PLAIN, indent=TIME_WIDTH)

    def text(
        self,
        text: str,
        size: float,
        *,
        font: str = PLAIN,
        color: Color = INK,
        indent: float = 0,
        lead: float = 1.4,
    ) -> None:
        """Write a paragraph in as many lines as it needs."""
        room = WIDTH - 2 * MARGIN - indent
        for line in _wrapped(text, font, size, room):
            self.room(size * lead)
            self.y -= size * lead
            write(self.canvas, runs_of(line, font), MARGIN + indent, self.y, size, color)

    def room(self, height: float) -> None:
        """Begin a new page if less than this is left."""
        if self.y - height < MARGIN:
            self.end_page()
            self.y = HEIGHT - MARGIN

    def end_page(self) -> None:
        runs = runs_of(str(self.number), PLAIN)
        write(self.canvas, runs, (WIDTH - width_of(runs, 9)) / 2, MARGIN / 2, 9, FAINT)
        self.canvas.showPage()
        self.number += 1

    def finish(self) -> bytes:
        self.end_page()
        self.canvas.save()
        return self.out.getvalue()


def _wrapped(text: str, font: str, size: float, room: float) -> list[str]:
    """Return the lines of a text; a word that is longer than a line is broken."""
    lines, line, used = [], "", 0.0
    space = width_of(runs_of(" ", font), size)
    for word in text.split(" "):
        width = width_of(runs_of(word, font), size)
        if line and used + space + width > room:
            lines.append(line)
            line, used = "", 0.0
        if width > room:
            for char in word:
                wide = width_of(runs_of(char, font), size)
                if used + wide > room:
                    lines.append(line)
                    line, used = "", 0.0
                line, used = line + char, used + wide
            continue
        line, used = (f"{line} {word}", used + space + width) if line else (word, width)
    return [*lines, line]
