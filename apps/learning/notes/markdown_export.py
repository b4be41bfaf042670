"""A learner's notebook as Markdown."""

from collections.abc import Sequence

from django.conf import settings
from django.utils.translation import gettext as _

from apps.courses.models import Course
from apps.learning.models import Note
from apps.learning.queries.addresses import lesson_url
from studyplatform.kit.text.durations import clock


def write(course: Course, groups: Sequence[Sequence[Note]]) -> str:
    """Return all notes as Markdown: a heading for each lesson, times as links to the second of the video."""
    lines = ["# " + _("Notes on %(course)s") % {"course": _plain(course.title)}, ""]
    for notes in groups:
        lines += [f"## {_plain(heading_of(notes[0]))}", ""]
        for note in notes:
            place = place_of(note, course)
            if note.kind == Note.Kind.MOMENT:
                lines += [f"- {place} {note.text}".rstrip(), ""]
            else:
                lines += [*([f"**{place}**", ""] if place else []), note.text.strip(), ""]
    return "\n".join(lines).rstrip() + "\n"


def heading_of(note: Note) -> str:
    """Return number and title of the note's lesson."""
    lesson = note.shown_lesson
    if lesson is None:
        return _("%(lesson)s (deleted lesson)") % {"lesson": note.lesson_title}
    return f"{lesson.number} {lesson.title}".strip()


def place_of(note: Note, course: Course) -> str:
    """Return the note's second as a link; "" for a whole lesson."""
    if note.second is None:
        return ""
    lesson = note.shown_lesson
    if lesson is None:
        return clock(note.second)
    return f"[{clock(note.second)}]({settings.SITE_URL}{lesson_url(course.slug, lesson.slug, at=note.second)})"


def _plain(title: str) -> str:
    return " ".join(title.split())
