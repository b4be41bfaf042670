"""Find a course for its staff: pages get the object only with the permission."""

from django.http import HttpRequest

from apps.accounts.guards import signed_in_user
from apps.accounts.policies import teach
from apps.courses import policies
from apps.courses.errors import CourseNotFound, NotCourseStaff
from apps.courses.models import Course
from studyplatform.kit.policies import enforce


def course_for_staff(request: HttpRequest, slug: str) -> Course:
    """Return the course, for its instructor and for admins.

    :raises NotCourseStaff: the course belongs to another instructor. A missing course is refused in the same way,
        so that the refusal doesn't reveal which courses exist.
    :raises CourseNotFound: there is no such course, and the user is an admin.
    """
    user = signed_in_user(request)
    course = Course.with_working_copies.select_related("subject", "instructor").filter(slug=slug).first()
    if course is None:
        if user.is_admin:
            raise CourseNotFound
        raise NotCourseStaff
    if not policies.is_staff_of(user, course):
        enforce(teach(user))
        raise NotCourseStaff
    return course
