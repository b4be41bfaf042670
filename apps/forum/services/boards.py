"""Boards of courses."""

from apps.courses.models import Course
from apps.forum.models import Board


def create_course_board(*, course_id: int) -> Board:
    """The board of a course; created if there is none. Idempotent."""
    course = Course.objects.get(pk=course_id)
    board, _ = Board.objects.get_or_create(
        course=course, defaults={"slug": course.slug, "title": course.title, "position": 100, "icon": "book-open"}
    )
    return board
