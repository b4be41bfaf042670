"""Counts that a course keeps of what happens to the right of it, so that lists need no aggregation.

Whoever counts must not miss what another transaction has just committed, so the course's row is locked first and the
rows are counted then: counted before, twelve people who enroll at the same moment would leave a count of four.
"""

from collections.abc import Callable

from django.db.models import QuerySet

from apps.courses.models import Course


def count_learners(*, course_id: int, count: Callable[[], int]) -> None:
    """Keep how many people are enrolled, as ``count`` finds it. Within a transaction."""
    course = _locked(course_id)
    course.update(learner_count=count())


def count_ratings(*, course_id: int, count: Callable[[], tuple[int, int]]) -> None:
    """Keep how many ratings there are and the sum of their stars, as ``count`` finds them. Within a transaction."""
    course = _locked(course_id)
    number, stars = count()
    course.update(rating_count=number, rating_sum=stars)


def _locked(course_id: int) -> QuerySet[Course]:
    """The course, locked until the transaction ends; rows that refer to it can still be added (``no_key``)."""
    course = Course.objects.filter(pk=course_id)
    course.select_for_update(no_key=True).values_list("pk").first()
    return course
