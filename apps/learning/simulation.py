"""A course as a learner with a given progress would see it, for its staff. Nothing is stored."""

from enum import StrEnum

from apps.courses.models import Course
from apps.learning.models import Enrollment
from apps.learning.outline import Outline, Progress, Standing


class Assumed(StrEnum):
    """What the learner has completed."""

    NONE = "none"
    BEFORE = "before"
    ALL = "all"


def standing_with(course: Course, outline: Outline, lesson_pk: int, assumed: Assumed) -> Standing:
    """Return the standing of a learner who has completed no lesson, those before this one, or all.

    Its enrollment is not in the database and has neither key nor user, so nothing of anybody is found by it.
    """
    done = {Assumed.NONE: (), Assumed.BEFORE: outline.before(lesson_pk), Assumed.ALL: outline.entries}[assumed]
    total = len(outline.entries)
    enrollment = Enrollment(
        course=course,
        completed_lessons=len(done),
        percent=round(100 * len(done) / total) if total else 0,
    )
    return Standing(enrollment, {entry.pk: Progress(0, 0, is_completed=True) for entry in done})
