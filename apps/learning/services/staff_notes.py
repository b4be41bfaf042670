"""Write and delete notes for staff about learners."""

from datetime import datetime
from uuid import UUID, uuid5

from django.db import transaction

from apps.accounts.models import User
from apps.courses.models import Course, Right
from apps.courses.services import hold_rights
from apps.learning import staff_policies as policies
from apps.learning.errors import StaffNoteEmpty, StaffNoteTooLong
from apps.learning.models import MAX_STAFF_NOTE_LENGTH, Enrollment, StaffNote
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import stripped
from studyplatform.kit.web import rate_limits


def write_staff_note(*, learner: User, course: Course, by: User, text: str, key: UUID, now: datetime) -> StaffNote:
    """Write a note about a learner for those who teach the course. With a known ``key`` and text it is the first note.

    :raises NotFound: the learner was never enrolled in the course, or the account is deleted.
    :raises AppError: the user doesn't teach the course (`staff_policies.write_staff_note`).
    :raises StaffNoteEmpty: nothing in it can be seen.
    :raises StaffNoteTooLong: it has more than `MAX_STAFF_NOTE_LENGTH` code points.
    :raises RateLimitExceeded: too many notes by this user.
    """
    text = stripped(text.replace("\x00", "").replace("\r\n", "\n"))
    if not text:
        raise StaffNoteEmpty
    if len(text) > MAX_STAFF_NOTE_LENGTH:
        raise StaffNoteTooLong(most=f"{MAX_STAFF_NOTE_LENGTH:,}", length=f"{len(text):,}")
    with transaction.atomic():
        hold_rights(by, [course.pk], Right.TEACH)
        enforce(policies.write_staff_note(by, course))
        # Locked, so that the note is written before the account is deleted, and goes with it, or not at all.
        person = User.objects.select_for_update().filter(pk=learner.pk, deleted_at=None).first()
        if person is None or not Enrollment.objects.filter(user=learner, course=course).exists():
            raise NotFound
        facts = {"learner": person, "course": course, "author": by, "text": text}
        wanted = key
        if StaffNote.objects.filter(key=key).exclude(**facts).exists():
            wanted = uuid5(key, f"{by.pk} {person.pk} {course.pk} {text}")  # another note from the same form
        note, is_new = StaffNote.objects.get_or_create(key=wanted, defaults={**facts, "created_at": now})
        if is_new:
            rate_limits.consume("staff-note", str(by.pk), now=now)
    return note


def delete_staff_note(*, note: StaffNote, by: User) -> None:
    """Delete a note. Idempotent.

    :raises AppError: the user doesn't teach its course, or it is another's (`staff_policies.delete_staff_note`).
    """
    enforce(policies.delete_staff_note(by, note))
    StaffNote.objects.filter(pk=note.pk).delete()


def forget_staff_notes(*, user_id: int) -> None:
    """Delete the notes about a user whose account was deleted. Idempotent."""
    StaffNote.objects.filter(learner=user_id).delete()
