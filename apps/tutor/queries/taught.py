"""Courses as those who teach them find them among the tutor's pages."""

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.courses.errors import CourseNotFound, NotCourseStaff
from apps.courses.models import Course
from apps.courses.policies import is_staff_of


def courses_of_staff(user: User) -> QuerySet[Course]:
    """Return the courses whose staff the user is, by title: an instructor's own, for admins all."""
    courses = Course.objects.all() if user.is_admin else Course.objects.taught_by(user.pk)
    return courses.select_related("subject").order_by("title", "pk")


def course_of_staff(user: User, slug: str) -> Course:
    """Return a course, for its staff.

    :raises NotCourseStaff: the user is not staff of it. A missing course is refused in the same way.
    :raises CourseNotFound: there is no such course, and the user is an admin.
    """
    course = Course.objects.select_related("subject", "instructor").filter(slug=slug).first()
    if course is None and user.is_admin:
        raise CourseNotFound
    if course is None or not is_staff_of(user, course):
        raise NotCourseStaff
    return course
