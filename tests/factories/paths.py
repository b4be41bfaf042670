"""Factories of learning paths."""

from factory.declarations import Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.accounts.models import Role
from apps.courses.models import Course, LearningPath, PathCourse
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN


class LearningPathFactory(DjangoModelFactory[LearningPath]):
    """A published path without courses."""

    class Meta:
        model = LearningPath

    title = Sequence(lambda n: f"Path {n}")
    slug = Sequence(lambda n: f"path-{n}")
    summary = "From the first step to the last."
    owner = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    is_published = True
    created_at = THEN
    updated_at = THEN


def put_in(path: LearningPath, *courses: Course) -> LearningPath:
    """Append these courses to the path."""
    start = path.places.count()
    PathCourse.objects.bulk_create(
        PathCourse(path=path, course=course, position=start + place) for place, course in enumerate(courses, start=1)
    )
    return path
