"""Figures that other apps count and a course stores, so that lists need no aggregation.

The course is locked before counting, so that a count includes what other transactions have just committed.
"""

from collections.abc import Callable

from django.db.models import QuerySet

from apps.courses.models import Course


def count_learners(*, course_id: int, count: Callable[[], int]) -> None:
    """Store how many learners are enrolled, as ``count`` returns it. Call it inside a transaction."""
    course = _locked(course_id)
    course.update(learner_count=count())


def count_ratings(*, course_id: int, count: Callable[[], tuple[int, int]]) -> None:
    """Store the number of ratings and the sum of their stars, as ``count`` returns them. Needs a transaction."""
    course = _locked(course_id)
    number, stars = count()
    course.update(rating_count=number, rating_sum=stars)


def _locked(course_id: int) -> QuerySet[Course]:
    """Lock the course until the transaction ends. Rows that refer to it can still be added (``no_key``)."""
    course = Course.objects.filter(pk=course_id)
    course.select_for_update(no_key=True).values_list("pk").first()
    return course
