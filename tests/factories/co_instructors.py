"""Factories of co-instructors and their shares."""

from datetime import UTC, datetime

from factory.declarations import SubFactory
from factory.django import DjangoModelFactory

from apps.accounts.models import Role
from apps.courses.models import CoInstructor, RevenueShare
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory

THEN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


class CoInstructorFactory(DjangoModelFactory[CoInstructor]):
    class Meta:
        model = CoInstructor

    course = SubFactory(CourseFactory)
    user = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    role = CoInstructor.Role.EDIT
    joined_at = THEN


class RevenueShareFactory(DjangoModelFactory[RevenueShare]):
    class Meta:
        model = RevenueShare

    course = SubFactory(CourseFactory)
    user = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    percent = 25
    since = THEN
