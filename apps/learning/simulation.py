"""A course as a learner with a given progress would see it, for its staff. Nothing is stored."""

from datetime import datetime, timedelta
from enum import StrEnum

from apps.courses.models import Course
from apps.learning.models import Enrollment
from apps.learning.outline import Outline, Progress, Standing


class Assumed(StrEnum):
    """What the learner has completed."""

    NONE = "none"
    BEFORE = "before"
    ALL = "all"


LATER = timedelta(days=36_500)
"""After every date on which a lesson can open."""


def standing_with(
    course: Course, outline: Outline, lesson_pk: int, assumed: Assumed, *, has_dates_ahead: bool, now: datetime
) -> Standing:
    """Return the standing of a learner who has completed no lesson, those before this one, or all.

    With ``has_dates_ahead`` the learner has enrolled now, so lessons that open later are closed; else all are open.

    Its enrollment is not in the database and has neither key nor user, so nothing of anybody is found by it.
    """
    done = {Assumed.NONE: (), Assumed.BEFORE: outline.before(lesson_pk), Assumed.ALL: outline.entries}[assumed]
    total, counted = outline.required_count, sum(not entry.is_optional for entry in done)
    enrollment = Enrollment(
        course=course,
        enrolled_at=now,
        completed_lessons=counted,
        percent=100 * counted // total if total else 0,
    )
    progress = {entry.pk: Progress(0, 0, is_completed=True) for entry in done}
    return Standing(enrollment, progress, now=now if has_dates_ahead else now + LATER)
