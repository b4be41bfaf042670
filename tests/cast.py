"""The users that appear in tests. Each is a fixture, created when a test requests it.

    ada     is the instructor of ``course``
    eve     is another instructor, without access to Ada's courses
    leo     has an ``enrollment`` in ``course``
    mia     has an account and no enrollment
    sam     is an admin
    ben     is blocked

``browser_of(ada)`` is her signed-in browser, for pages and API calls alike; ``client`` is a visitor's.
"""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from apps.accounts.models import Role, User
from apps.courses.models import Course
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory


@pytest.fixture
def ada(db: None) -> User:
    return UserFactory(username="ada", first_name="Ada", last_name="Byron", role=Role.INSTRUCTOR)


@pytest.fixture
def eve(db: None) -> User:
    return UserFactory(username="eve", role=Role.INSTRUCTOR)


@pytest.fixture
def leo(db: None) -> User:
    return UserFactory(username="leo", first_name="Leo", last_name="Marsh")


@pytest.fixture
def mia(db: None) -> User:
    return UserFactory(username="mia")


@pytest.fixture
def sam(db: None) -> User:
    return UserFactory(username="sam", first_name="Sam", role=Role.ADMIN)


@pytest.fixture
def ben(db: None) -> User:
    return UserFactory(username="ben", is_active=False)


@pytest.fixture
def nobody() -> AnonymousUser:
    return AnonymousUser()


@pytest.fixture
def course(ada: User) -> Course:
    """Ada's published free course: two sections of three text lessons."""
    course = CourseFactory(
        instructor=ada, slug="rivers-and-their-work", title="Rivers and Their Work", status="published"
    )
    for number in (1, 2):
        section = SectionFactory(course=course, position=number)
        for place in (1, 2, 3):
            is_last = (number, place) == (2, 3)
            LessonFactory(section=section, course=course, position=place, update_counts=is_last)
    return course


@pytest.fixture
def enrollment(leo: User, course: Course) -> Enrollment:
    return EnrollmentFactory(user=leo, course=course)


@pytest.fixture
def browser_of() -> Callable[[User], Client]:
    """Return a function that signs in a browser as the given user."""

    def sign_in(user: User) -> Client:
        browser = Client()
        browser.force_login(user)
        return browser

    return sign_in
