"""Counts that a course keeps of what happens to the right of it, so that lists need no aggregation."""

from apps.courses.models import Course


def count_learners(*, course_id: int, count: int) -> None:
    """Keep how many people hold a seat."""
    Course.objects.filter(pk=course_id).update(learner_count=count)


def count_ratings(*, course_id: int, count: int, stars: int) -> None:
    """Keep how many ratings there are and the sum of their stars."""
    Course.objects.filter(pk=course_id).update(rating_count=count, rating_sum=stars)
