"""Who may write and delete notes for staff about learners."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Right
from apps.courses.policies import hold_right
from apps.learning.errors import StaffNoteOfAnother
from apps.learning.models import StaffNote
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import Verdict


def write_staff_note(user: AnyUser, course: Course) -> Verdict:
    """Those who teach the course write notes and read them."""
    return hold_right(user, course, Right.TEACH)


def delete_staff_note(user: AnyUser, note: StaffNote) -> Verdict:
    """Its author deletes a note, while they teach the course; so may its instructor, and admins."""
    if hold_right(user, note.course, Right.TEACH) is not None or not isinstance(user, User):
        return NotFound()
    owns = user.is_admin or note.course.instructor_id == user.pk or note.author_id == user.pk
    return None if owns else StaffNoteOfAnother()
