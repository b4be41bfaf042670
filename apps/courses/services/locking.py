"""Lock the rows of courses: a live course before its working copy, so that two requests never wait in a circle."""

from collections.abc import Collection

from apps.accounts.models import User
from apps.courses.errors import DraftClosed
from apps.courses.models import CoInstructor, Course, Right


def lock_course_row(pk: int) -> Course:
    """Lock a course or a working copy until the transaction ends, and return it as it is now.

    :raises DraftClosed: it was deleted, or the version was published or discarded meanwhile.
    """
    course = Course.with_working_copies.select_for_update().filter(pk=pk).first()
    if course is None:
        raise DraftClosed
    return course


def lock_versions(course: Course) -> tuple[Course, Course]:
    """Lock the live course, and its working copy if there is one. Both are the live course where there is none.

    :raises DraftClosed: the course is a working copy that was published or discarded meanwhile.
    """
    live = lock_course_row(course.live_id)
    copy = Course.with_working_copies.select_for_update().filter(next_version_of=live).first()
    if course.is_working_copy and (copy is None or copy.pk != course.pk):
        raise DraftClosed
    if copy is not None:
        copy.next_version_of = live
    return live, copy or live


def hold_rights(user: User, courses: Collection[int], right: Right) -> None:
    """Keep the user from being removed as co-instructor of live courses, by primary key, until the transaction ends.

    A removal that was first takes effect before this returns, so the caller asks for the right after it. For what
    co-instructors do to many learners at once, without the lock of the course that every change of the course needs.
    """
    held = CoInstructor.objects.having(right).filter(user=user.pk, course__in=courses)
    list(held.select_for_update().order_by("pk").values_list("pk"))
