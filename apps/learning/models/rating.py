"""Ratings of courses."""

from django.db import models
from django.db.models import Q

from apps.courses.models import Course
from apps.learning.models.enrollment import Enrollment


class Rating(models.Model):
    """One learner's rating of a course, with an optional comment."""

    enrollment = models.OneToOneField(Enrollment, models.CASCADE, related_name="rating")
    course = models.ForeignKey(Course, models.CASCADE, related_name="ratings")
    stars = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True, max_length=2000)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(stars__gte=1, stars__lte=5), name="rating_one_to_five")]
        indexes = [models.Index(fields=["course", "-created_at"], name="rating_newest")]

    def __str__(self) -> str:
        return f"{self.stars} for {self.course_id}"
