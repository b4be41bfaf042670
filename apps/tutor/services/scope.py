"""What a chat or a question is about."""

from typing import NamedTuple

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.queries.lessons import find_course, lesson_at, lesson_named
from apps.tutor import policies
from studyplatform.kit.policies import enforce


class About(NamedTuple):
    """A lesson with its course, a course, or (both None) all courses."""

    course: Course | None
    lesson: Lesson | None


def find_scope(user: User, course: str | None, lesson: str | None) -> About:
    """Find the course and the lesson with these slugs; without a course, as ``lesson_named`` does.

    :raises CourseNotFound: the user can't see the course.
    :raises TutorTurnedOff: the course has no tutor.
    :raises AppError: the user may not open the lesson; it says why.
    """
    course, lesson = ((slug or "").replace("\0", "") for slug in (course, lesson))  # PostgreSQL refuses zero bytes
    if lesson:
        found = lesson_at(user, course, lesson) if course else lesson_named(user, lesson)
        enforce(found.verdict)
        return _asked(About(found.course, found.lesson))
    if course:
        return _asked(About(find_course(user, course)[0], None))
    return About(None, None)


def _asked(about: About) -> About:
    enforce(policies.ask_about(about.course))
    return about
