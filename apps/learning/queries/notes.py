"""The notes and moments of a learner: of a lesson, and of a course for the notebook."""

from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, F, Q
from django.db.models.functions import Left
from django.utils.translation import get_language
from markupsafe import Markup, escape

from apps.accounts.models import User
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Course, Lesson
from apps.learning import policies
from apps.learning.models import Enrollment, Note, NoteQuerySet
from apps.learning.outline import Standing
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.policies import enforce
from studyplatform.kit.text import content, markdown

SHOWN_MARKS = 500  # on the scrubber
MOST_RENDERED = 100_000  # characters of Markdown in one response: hostile ones take two seconds
_SHORT = 10_000  # characters of a note whose HTML is cached

_MARKS = PreparedQuery(
    lambda: (
        Note.objects.kept()
        .filter(user_id=Param("user", BigIntegerField()), lesson_id=Param("lesson", BigIntegerField()))
        .annotate(opening=Left("text", 80))
        .only("kind", "second")
        .order_by("second", "pk")[:SHOWN_MARKS]
    )
)


_html: LruCache[Markup] = LruCache(4 * 2**20, len)
"""By text and language: notes that were rendered as a whole."""


class Rendering:
    """The notes of one response as sanitized HTML, up to ``MOST_RENDERED`` characters and the cost of one text."""

    def __init__(self) -> None:
        self._left = MOST_RENDERED
        self._budget = markdown.Budget()

    def html(self, text: str) -> Markup:
        """Return the Markdown as HTML; "" for it and all that follow once there were too many characters."""
        self._left -= len(text)
        if self._left < 0:
            return Markup("")
        if (known := _html.get((text, get_language()))) is not None:
            return known
        if self._budget.is_exceeded:
            return Markup("")
        html = content.render(text, content.NOTE, budget=self._budget)
        return html if self._budget.is_exceeded or len(text) > _SHORT else _html.put((text, get_language()), html)

    def shown(self, text: str) -> Markup:
        """Return the Markdown as HTML, or its source once there were too many characters."""
        return self.html(text) or Markup("<p>{}</p>").format(Markup("<br>").join(escape(text).splitlines()))


def notes_in_lessons(enrollment: Enrollment) -> dict[int, int]:
    """Return how many notes the learner has in each lesson of the course, by the lesson's primary key. One query."""
    rows = Note.objects.kept().filter(user=enrollment.user_id, course=enrollment.course_id, kind=Note.Kind.NOTE)
    counted = rows.filter(lesson__isnull=False).values("lesson_id").annotate(notes=Count("pk"))
    return dict(counted.values_list("lesson_id", "notes"))


def note_out(note: Note, rendering: Rendering) -> dict[str, Any]:
    """Return the shape ``NoteOut``."""
    return {
        "uid": str(note.uid),
        "kind": note.kind,
        "second": note.second,
        "edits": note.content.get("edits", []),
        "replaced": note.content.get("replaced", []),
        "text": note.text,
        "html": str(rendering.html(note.text)) if note.kind == Note.Kind.NOTE else "",
        "is_deleted": note.is_deleted,
        "created_at": note.created_at,
        "updated_at": note.updated_at,
    }


def notes_of_lesson(user: User, uid: UUID, *, is_kept: bool = True) -> NoteQuerySet:
    """Return the learner's notes and moments of a lesson, also a removed one, in the order of the video.

    Two queries before its own.

    :param is_kept: without deleted ones.
    :raises LectureUnavailable: there is no such lesson.
    :raises NotEnrolled, CourseNotFound: the user isn't enrolled in its course.
    """
    lesson = Lesson.with_removed.select_related("course").defer("body").filter(uid=uid).first()
    if lesson is None:
        raise LectureUnavailable
    enrolled = Enrollment.objects.active().of(user.pk).filter(course=lesson.course_id)
    enforce(policies.take_notes(user, lesson.course, is_enrolled=enrolled.exists()))
    notes = Note.objects.of(user.pk).filter(lesson=lesson).order_by(F("second").asc(nulls_first=True), "pk")
    return notes.kept() if is_kept else notes


def marks_of(standing: Standing, lesson: Lesson) -> list[tuple[int | None, str, str]]:
    """Return second, kind and the beginning of the learner's notes of a lesson. One query, none if not enrolled."""
    if standing.enrollment is None:
        return []
    found = _MARKS(user=standing.enrollment.user_id, lesson=lesson.pk)
    return [(note.second, note.kind, getattr(note, "opening", "")) for note in found]


def notes_of_course(user: User, course: Course, words: str = "", kind: str = "") -> NoteQuerySet:
    """Return the learner's notes and moments of a course in the order of its lessons, those of deleted lessons last.

    :param words: only notes in whose text or lesson's title each of these words occurs.
    :param kind: only notes of this kind.
    """
    notes = Note.objects.kept().of(user.pk).filter(course=course).select_related("lesson__section")
    if kind:
        notes = notes.filter(kind=kind)
    for word in words.split()[:10]:
        notes = notes.filter(
            Q(text__folded_contains=word)
            | Q(lesson__title__folded_contains=word)
            | Q(lesson_title__folded_contains=word)
        )
    place = (F("lesson__section__position").asc(nulls_last=True), F("lesson__position").asc(nulls_last=True))
    return notes.order_by(*place, "lesson_title", F("second").asc(nulls_first=True), "pk")


def group_by_lesson(notes: list[Note]) -> list[list[Note]]:
    """Return the notes in lists of one lesson each; those of a deleted lesson by its title."""
    groups: list[list[Note]] = []
    for note in notes:
        last = groups[-1][0] if groups else None
        same = last is not None and (last.lesson_id, last.lesson_title if last.lesson_id is None else "") == (
            note.lesson_id,
            note.lesson_title if note.lesson_id is None else "",
        )
        if same:
            groups[-1].append(note)
        else:
            groups.append([note])
    return groups
