"""Find a course for its staff: pages get the object only with the permission."""

import re

from django.db.models import Q
from django.http import HttpRequest

from apps.accounts.guards import signed_in_user
from apps.accounts.policies import teach
from apps.courses import policies
from apps.courses.errors import CourseNotFound, NotCourseStaff
from apps.courses.models import Course
from studyplatform.kit.policies import enforce


def course_for_staff(request: HttpRequest, slug: str) -> Course:
    """Return the course as its authors write it, for its instructor and for admins: its working copy if it has one.

    An address of a working copy that was published or discarded leads to its course.

    :raises NotCourseStaff: the course belongs to another instructor. A missing course is refused in the same way,
        so that the refusal doesn't reveal which courses exist.
    :raises CourseNotFound: there is no such course, and the user is an admin.
    """
    user = signed_in_user(request)
    course = _find(slug)
    if course is None:
        if user.is_admin:
            raise CourseNotFound
        raise NotCourseStaff
    if not policies.is_staff_of(user, course):
        enforce(teach(user))
        raise NotCourseStaff
    return course


def live_course_for_staff(request: HttpRequest, slug: str) -> Course:
    """Return the course that learners see, for its instructor and for admins. Refuses as `course_for_staff`."""
    return course_for_staff(request, slug).live


def _find(slug: str) -> Course | None:
    courses = Course.with_working_copies.select_related("subject", "instructor", "next_version_of__instructor")
    found = courses.filter(Q(slug=slug) | Q(next_version_of__slug=slug))
    rows = list(found)
    if not rows and (of_version := re.fullmatch(r"(.+)-version-\d+", slug)):
        rows = list(courses.filter(Q(slug=of_version[1]) | Q(next_version_of__slug=of_version[1])))
    return next((row for row in rows if row.is_working_copy), rows[0] if rows else None)
