"""Decide about the tutor of a course."""

from apps.accounts.models import User
from apps.courses.models import Course, Right
from apps.courses.policies import hold_right
from apps.tutor.models import CourseTutor
from studyplatform.kit.policies import enforce


def set_switches(*, course: Course, by: User, is_enabled: bool, demands_grounding: bool) -> CourseTutor:
    """Turn the tutor of a course on or off, and say whether it must find its answers in the course. Idempotent.

    :raises NotCourseStaff: the user is not staff of the course.
    """
    enforce(hold_right(by, course, Right.EDIT))
    switches = {"is_enabled": is_enabled, "demands_grounding": demands_grounding}
    return CourseTutor.objects.update_or_create(course=course, defaults=switches)[0]


def copy_switches(*, course_id: int, source_id: int) -> None:
    """Decide for a copy of a course what was decided for its original. Idempotent."""
    decided = CourseTutor.objects.filter(course=source_id).first()
    if decided is not None:
        switches = {"is_enabled": decided.is_enabled, "demands_grounding": decided.demands_grounding}
        CourseTutor.objects.get_or_create(course_id=course_id, defaults=switches)
