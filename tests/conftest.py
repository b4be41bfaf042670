"""The cast: Ada teaches, Leo and Mia learn, Sam is staff; Eve teaches elsewhere and is curious."""

import pytest

from apps.accounts.models import Role, User
from tests.factories.accounts import UserFactory


@pytest.fixture
def ada(db: None) -> User:
    return UserFactory(username="ada", first_name="Ada", last_name="Byron", role=Role.INSTRUCTOR)


@pytest.fixture
def eve(db: None) -> User:
    """Another instructor, who has no business in Ada's courses."""
    return UserFactory(username="eve", role=Role.INSTRUCTOR)


@pytest.fixture
def leo(db: None) -> User:
    return UserFactory(username="leo", first_name="Leo", last_name="Marsh")


@pytest.fixture
def mia(db: None) -> User:
    return UserFactory(username="mia")


@pytest.fixture
def sam(db: None) -> User:
    return UserFactory(username="sam", first_name="Sam", role=Role.ADMIN, is_staff=True)
