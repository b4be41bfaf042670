"""Which courses somebody reads figures of: asked of the database each time, as rights end at once."""

from collections.abc import Sequence

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course, Right
from apps.courses.policies import hold_right
from apps.learning.models import CourseDay, TeacherRollup
from studyplatform.kit.policies import enforce


def courses_read_by(user: User) -> QuerySet[Course]:
    """Return the courses that the user teaches or co-teaches (`Right.VIEW`), by title. No working copies.

    Admins, too, see those they teach; `course_read_by` opens them any one.
    """
    if not user.is_active or not user.can_teach:
        return Course.objects.none()
    return Course.objects.taught_by(user.pk, Right.VIEW).order_by("title", "pk")


def course_read_by(user: User, slug: str) -> Course:
    """Return a course of whose learners the user may read. Two queries at most.

    :raises CourseNotFound: there is none.
    :raises NotCourseStaff: the user doesn't teach it.
    """
    course = Course.objects.filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    enforce(hold_right(user, course, Right.VIEW))
    return course


def is_all_of(user: User, courses: Sequence[int]) -> bool:
    """Return whether the counted days of the user are about these courses. Two queries at most.

    They are not for some of them, nor, until the next run of the job, after the user left one or joined one in which
    somebody was active.
    """
    counted = TeacherRollup.objects.filter(user=user.pk).values_list("courses", flat=True).first() or []
    if not set(counted) <= set(courses):
        return False
    others = set(courses) - set(counted)
    return not others or not CourseDay.objects.filter(course__in=others, active_learners__gt=0).exists()
