"""Save notes and moments of learners.

A save merges what a device knows of a note with what is stored (``notes.merging``). The write is conditional on the
revision it was computed from, as for progress: if another device has saved in between, the merge is repeated.
"""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.db.models.functions import Length

from apps.accounts.models import User
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson
from apps.learning import policies
from apps.learning.errors import NoteEditedTooOften, TooManyNotes
from apps.learning.models import Enrollment, Note
from apps.learning.notes.merging import Content, Edit
from studyplatform.kit.errors import Conflict
from studyplatform.kit.policies import enforce

MAX_RETRIES = 8
MOST_NOTES = 2000  # of a learner in a course, without deleted ones
MOST_ROWS = 5 * MOST_NOTES  # with deleted ones
MOST_REPLACED = 1000  # edits of one note, over its life
MOST_STANDING = 20  # texts of one note that were written at the same time
MOST_TEXT = 30_000  # characters of one note: what two devices have written at the same time fits
MOST_CHARACTERS = 3_000_000  # of a learner's notes in a course
LONG = 1_000  # characters from which a note that grows is counted: shorter ones cannot reach the limit


def save_note(
    *, user: User, lesson_uid: UUID, uid: UUID, kind: str, second: int | None, content: Content, now: datetime
) -> Note:
    """Merge a copy of a note into the stored one, which is created if there is none. Idempotent.

    A note stays where it was first saved: its kind, its second and its lesson don't change. A lesson that was locked
    or removed meanwhile takes notes too, as they may have been written offline, or on a page that was open.

    :raises LectureUnavailable: there is no such lesson.
    :raises NotEnrolled: the user isn't enrolled in its course.
    :raises CourseNotFound: neither enrolled, and the course is hidden.
    :raises TooManyNotes: the learner has as many or as long notes as a course may have.
    :raises NoteEditedTooOften: the note was edited too many times, or on too many devices at once.
    :raises Conflict: it belongs to another lesson, or others saved it at the same moment every time it was repeated.
    """
    found = Lesson.with_removed.select_related("course").defer("body").filter(uid=lesson_uid).first()
    if found is None:
        raise LectureUnavailable
    enrolled = Enrollment.objects.active().of(user.pk).filter(course=found.course_id)
    enforce(policies.take_notes(user, found.course, is_enrolled=enrolled.exists()))
    for _ in range(MAX_RETRIES):
        note = Note.objects.of(user.pk).filter(uid=uid).first()
        if note is None:
            start = Note(
                uid=uid,
                user=user,
                course_id=found.course_id,
                lesson=found,
                lesson_title=found.title,
                kind=kind,
                second=second,
                created_at=now,
            )
            saved = _create(start, content, now)
        elif note.lesson_id is not None and note.lesson_id != found.pk:
            raise Conflict
        else:
            saved = _update(note, content, now)
        if saved is not None:
            return saved
    raise Conflict


def _create(note: Note, content: Content, now: datetime) -> Note | None:
    """Create the note. None if another request has created it at the same moment."""
    _apply(note, content, now)
    with transaction.atomic():
        # The lock keeps requests that are sent at once from exceeding the limit together.
        list(Enrollment.objects.select_for_update().active().of(note.user_id).filter(course=note.course_id))
        _check_room(note)
        try:
            with transaction.atomic():
                note.save(force_insert=True)
        except IntegrityError:
            return None
    return note


def _update(note: Note, content: Content, now: datetime) -> Note | None:
    """Merge into the note. None if another request has saved it at the same moment."""
    stored, was_deleted, length = Content.from_json(note.content), note.is_deleted, len(note.text)
    merged = stored.merge(content)
    if merged == stored:
        return note
    known = note.revision
    _apply(note, merged, now)
    with transaction.atomic():
        if not note.is_deleted and (was_deleted or len(note.text) > max(length, LONG)):
            list(Enrollment.objects.select_for_update().active().of(note.user_id).filter(course=note.course_id))
            _check_room(note)
        fields = {name: getattr(note, name) for name in ("content", "text", "is_deleted", "updated_at", "revision")}
        changed = Note.objects.filter(pk=note.pk, revision=known).update(**fields)
    return note if changed else None


def _apply(note: Note, content: Content, now: datetime) -> None:
    is_long = len(content.text) > MOST_TEXT
    if is_long or len(content.replaced) > MOST_REPLACED or len(content.edits) > MOST_STANDING:
        raise NoteEditedTooOften
    note.content = content.as_json()
    note.text, note.is_deleted = content.text, content.is_deleted
    note.updated_at, note.revision = now, note.revision + 1


def _check_room(note: Note) -> None:
    theirs = Note.objects.of(note.user_id).filter(course=note.course_id)
    others = theirs.kept().exclude(pk=note.pk)
    kept = others.count() if not note.is_deleted else 0
    if kept >= MOST_NOTES or (note.pk is None and theirs.count() >= MOST_ROWS):
        raise TooManyNotes(limit=MOST_NOTES)
    if len(note.text) > LONG:
        characters: int = others.aggregate(total=Sum(Length("text"), default=0))["total"]
        if characters + len(note.text) > MOST_CHARACTERS:
            raise TooManyNotes(limit=MOST_NOTES)


def write_note(
    *, user: User, lesson_uid: UUID, uid: UUID, kind: str, second: int | None, text: str, now: datetime
) -> Note:
    """Save a note that one editor has written; see ``save_note``."""
    content = _written_once(uid, text, now)
    return save_note(user=user, lesson_uid=lesson_uid, uid=uid, kind=kind, second=second, content=content, now=now)


def make_note(
    *, learner: User, lesson: Lesson, uid: UUID, kind: str, second: int | None, text: str, now: datetime
) -> Note:
    """Return the note that ``write_note`` would save, for content that is written in bulk."""
    note = Note(
        uid=uid,
        user=learner,
        course_id=lesson.course_id,
        lesson=lesson,
        lesson_title=lesson.title,
        kind=kind,
        second=second,
        created_at=now,
    )
    _apply(note, _written_once(uid, text, now), now)
    return note


def _written_once(uid: UUID, text: str, now: datetime) -> Content:
    return Content({uid.hex[:16]: Edit(revision=1, at=int(now.timestamp() * 1000), text=text)})


def delete_notes(*, user_id: int) -> None:
    """Delete all notes of a user whose account was deleted."""
    Note.objects.of(user_id).delete()
