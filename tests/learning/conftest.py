"""Fixtures and helpers shared by the tests of learning."""

from datetime import UTC, datetime

import pytest

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning import services
from apps.learning.models import Enrollment, LessonProgress
from tests.factories.courses import LessonFactory, SectionFactory

NOON = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)


def open_lesson(user: User, lesson: Lesson, now: datetime) -> LessonProgress:
    """Record that the user opened the lesson, as the lesson's page does."""
    enrollment = Enrollment.objects.get(user=user, course=lesson.course)
    return services.open_lesson(enrollment=enrollment, lesson=lesson, now=now)


@pytest.fixture
def now() -> datetime:
    return NOON


@pytest.fixture
def lessons(course: Course) -> list[Lesson]:
    """The six text lessons of Ada's course, in order."""
    return list(course.lessons.order_by("section__position", "position"))


@pytest.fixture
def video_lesson(course: Course) -> Lesson:
    """A video lesson of 100 seconds at the end of Ada's course."""
    section = SectionFactory(course=course)
    return LessonFactory(section=section, course=course, kind=Lesson.Kind.VIDEO, duration=100)
