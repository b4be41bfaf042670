"""What somebody may do in a course: its instructor everything, co-instructors what their role includes.

Rights are asked of the database each time: they end with the transaction that removes somebody. What changes a course
asks again once it holds the lock of the course, which a removal waits for (docs/adr/0068-co-instructors.md). A working
copy has the rights of the course whose next version it is.
"""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from apps.accounts.models import Role, User
from apps.accounts.policies import AnyUser
from apps.courses.models.co_instructor import CoInstructor, Right, roles_with
from apps.courses.models.course import Course
from apps.files.models import VideoAsset
from apps.files.policies import register_editor


def has_right(user: AnyUser, course: Course, right: Right) -> bool:
    """Return whether the user has a right in the course; admins have all. At most one query, none for learners."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_admin:
        return True
    if not user.can_teach:
        return False
    if course.instructor_id == user.pk:
        return True
    if right is Right.OWN:
        return False
    return CoInstructor.objects.having(right).filter(course=course.live_id, user=user.pk).exists()


def courses_with_right(user: AnyUser, courses: Iterable[Course], right: Right) -> set[int]:
    """Return the ids of those of the courses in which the user has a right. At most one query."""
    found = {course.pk: course for course in courses}
    if not isinstance(user, User) or not user.is_active or not user.can_teach:
        return set()
    if user.is_admin:
        return set(found)
    own = {pk for pk, course in found.items() if course.instructor_id == user.pk}
    others = {course.live_id: pk for pk, course in found.items() if pk not in own}
    if right is Right.OWN or not others:
        return own
    rows = CoInstructor.objects.having(right).filter(user=user.pk, course__in=others)
    return own | {others[pk] for pk in rows.values_list("course", flat=True)}


def people_of(courses: Iterable[int]) -> set[tuple[int, int]]:
    """Return who teaches these courses: pairs of the ids of course and user. One query."""
    ids = list(courses)
    owners = Course.objects.filter(pk__in=ids).order_by().values_list("pk", "instructor")
    others = CoInstructor.objects.active().filter(course__in=ids).values_list("course", "user")
    return set(owners.union(others))


def teachers_of(course: Course, right: Right = Right.TEACH) -> QuerySet[User]:
    """Return those who have a right in the course, its instructor included: active accounts that may teach."""
    rows = CoInstructor.objects.filter(course=course.live_id, removed_at=None, role__in=roles_with(right))
    people = Q(pk=course.instructor_id) | Q(pk__in=rows.values("user"))
    return User.objects.filter(people, is_active=True, role__in=[Role.INSTRUCTOR, Role.ADMIN])


@register_editor
def edit_shown_video(user: User, video: VideoAsset) -> bool:
    """Return whether the user may edit a course whose lessons show the video, and so its captions and cover."""
    shown = Course.with_working_copies.filter(lessons__video=video, lessons__removed_at=None).distinct()
    return any(has_right(user, course, Right.EDIT) for course in shown)
