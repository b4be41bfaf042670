"""Complete the names of courses and lessons, of those that the user may open."""

from collections.abc import Mapping

from apps.courses.models import Course
from apps.learning.models import Enrollment
from apps.learning.outline import place_all
from apps.learning.queries.outline import outlines_of, standing_of
from apps.tutor.mcp.addresses import lesson_name
from apps.tutor.mcp.callers import Caller

MAX_COURSES = 200
MAX_COURSES_WITH_LESSONS = 5
"""Courses whose lessons are completed: each takes queries of its own."""


def complete_course(caller: Caller, typed: str, _known: Mapping[str, str]) -> list[str]:
    """Return the slugs of the user's courses that contain what was typed, those that begin with it first. One query."""
    return _matching([one.slug for one in _courses_of(caller)], typed)


def complete_lesson(caller: Caller, typed: str, known: Mapping[str, str]) -> list[str]:
    """Return ``course/lesson`` of the lessons that the user may open, of the course that is known, or that is typed.

    At most twenty queries.
    """
    wanted = known.get("course") or typed.partition("/")[0]
    courses = [one for one in _courses_of(caller) if wanted.lower() in one.slug][:MAX_COURSES_WITH_LESSONS]
    return _matching([lesson_name(course.slug, slug) for course in courses for slug in _open_in(caller, course)], typed)


def complete_slug(caller: Caller, typed: str, known: Mapping[str, str]) -> list[str]:
    """Return the slugs of the lessons that the user may open in the course that is known."""
    course = next((one for one in _courses_of(caller) if one.slug == known.get("course")), None)
    return _matching(_open_in(caller, course), typed) if course is not None else []


def _courses_of(caller: Caller) -> list[Course]:
    rows = Enrollment.objects.active().of(caller.user.pk).select_related("course").order_by("-pk")
    return [row.course for row in rows[:MAX_COURSES]]


def _open_in(caller: Caller, course: Course) -> list[str]:
    placed = place_all(course, outlines_of([course])[course.pk], standing_of(caller.user, course))
    return [one.entry.slug for one in placed if one.is_open]


def _matching(names: list[str], typed: str) -> list[str]:
    wanted = typed.lower()
    found = [one for one in names if wanted in one]
    return sorted(found, key=lambda one: not one.startswith(wanted))
