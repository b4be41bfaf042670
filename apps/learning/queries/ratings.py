"""Learners' ratings of a course and their comments."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from apps.courses.models import Course
from apps.learning.models import Rating

SHOWN = 4


@dataclass(frozen=True)
class Comment:
    """One learner's comment. ``name`` contains only what everyone may read."""

    stars: int
    text: str
    name: str
    percent: int
    completed_at: datetime | None
    rated_at: datetime


@dataclass(frozen=True)
class Ratings:
    """The share of each number of stars in percent, and the newest comments."""

    shares: Mapping[int, int]
    comments: list[Comment]


def ratings_of(course: Course) -> Ratings:
    """Return the ratings of a course. Two queries; none if there are no ratings."""
    if not course.rating_count:
        return Ratings({}, [])
    counts = dict(Rating.objects.filter(course=course).values_list("stars").annotate(Count("pk")).order_by())
    total = sum(counts.values()) or 1
    shares = {stars: round(100 * counts.get(stars, 0) / total) for stars in range(5, 0, -1)}
    newest = (
        Rating.objects.filter(course=course)
        .exclude(text="")
        .order_by("-created_at")
        .values_list(
            "stars",
            "text",
            "enrollment__user__first_name",
            "enrollment__user__last_name",
            "enrollment__user__username",
            "enrollment__percent",
            "enrollment__completed_at",
            "updated_at",
        )[:SHOWN]
    )
    comments = [
        Comment(stars, text, f"{first} {last[:1]}." if first and last else first or username, percent, completed, rated)
        for stars, text, first, last, username, percent, completed, rated in newest
    ]
    return Ratings(shares, comments)
