"""What learners say of a course."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from apps.courses.models import Course
from apps.learning.models import Rating

SHOWN = 4


@dataclass(frozen=True)
class Words:
    """One learner's words. Of the name only what a stranger may read."""

    stars: int
    text: str
    name: str
    percent: int
    completed_at: datetime | None
    rated_at: datetime


@dataclass(frozen=True)
class Ratings:
    """The stars of a course by number, in percent, and the newest words."""

    shares: Mapping[int, int]
    words: list[Words]


def ratings_of(course: Course) -> Ratings:
    """Two queries; none while nobody has rated."""
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
    words = [
        Words(stars, text, f"{first} {last[:1]}." if first and last else first or username, percent, completed, rated)
        for stars, text, first, last, username, percent, completed, rated in newest
    ]
    return Ratings(shares, words)
