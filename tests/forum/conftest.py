"""The board of the cast's course, and users who have an account for long."""

import pytest

from apps.courses.models import Course
from apps.forum.models import Board, Topic
from tests.factories.topics import BoardFactory, make_topic


@pytest.fixture
def board(course: Course) -> Board:
    """The board of Ada's course."""
    return BoardFactory(course=course, slug=course.slug, title=course.title)


@pytest.fixture
def general(db: None) -> Board:
    """A board for everyone."""
    return BoardFactory(slug="how-to-study", title="How to study")


@pytest.fixture
def topic(general: Board) -> Topic:
    """A question on the board for everyone."""
    return make_topic(board=general, title="How do you take notes?")
