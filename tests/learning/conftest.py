"""Fixtures and helpers shared by the tests of learning."""

import json
from datetime import UTC, datetime

import pytest
from django.test import Client

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


@pytest.fixture
def call_as(request, browser_of):
    """Make a call as a user of the cast; return the status, the error code and the data."""

    def call(user_name, method, path, data=None):
        user = request.getfixturevalue(user_name)
        client = Client() if user_name == "nobody" else browser_of(user)
        body = None if data is None else json.dumps(data)
        answer = client.generic(method, f"/api/v1{path}", body or "", "application/json")
        found = json.loads(answer.content) if answer.content else {}
        return answer.status_code, found.get("code") if answer.status_code >= 400 else None, found

    return call
