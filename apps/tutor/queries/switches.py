"""What instructors decided about the tutor of their courses."""

from collections.abc import Iterable, Sequence

from apps.courses.models import Course
from apps.tutor.models import CourseTutor
from studyplatform.kit.caching.versioned import VersionedCache

VERSION = "tutors"  # see receivers.py
_turned_off: VersionedCache[frozenset[int]] = VersionedCache(VERSION)


def turned_off() -> frozenset[int]:
    """Return the primary keys of the courses without a tutor. They are cached until a switch changes."""
    return _turned_off.get("", _read)


def is_off(course: Course | None) -> bool:
    """Return whether the course has no tutor. None stands for all courses, which always have one."""
    return course is not None and course.pk in turned_off()


def demands_grounding(course_ids: Iterable[int]) -> bool:
    """Return whether one of the courses refuses answers that none of its passages supports. One query."""
    return CourseTutor.objects.filter(course__in=set(course_ids), demands_grounding=True).exists()


def switches_of(course: Course) -> CourseTutor:
    """Return the switches of a course; without a row the defaults, unsaved. One query."""
    return CourseTutor.objects.filter(course=course).first() or CourseTutor(course=course)


def _read() -> frozenset[int]:
    return frozenset(CourseTutor.objects.filter(is_enabled=False).values_list("course_id", flat=True))


def with_switches(courses: Sequence[Course]) -> list[tuple[Course, CourseTutor]]:
    """Return the courses with their switches, in their order. One query."""
    known = CourseTutor.objects.in_bulk([course.pk for course in courses])
    return [(course, known.get(course.pk) or CourseTutor(course=course)) for course in courses]
