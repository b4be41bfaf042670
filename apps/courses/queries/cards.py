"""Courses as cards of a list."""

from typing import Any, NamedTuple

from django.db.models import QuerySet

from apps.courses.models import Availability, Course, availability_of


class Card(NamedTuple):
    """A course as lists show it."""

    pk: int
    slug: str
    title: str
    subject: str
    subject_name: str
    instructor: str
    status: str
    difficulty: str
    pricing: str
    price: int
    currency: str
    lesson_count: int
    duration: int
    rating_count: int
    rating_sum: int
    plate: str

    @property
    def rating(self) -> float:
        return self.rating_sum / self.rating_count if self.rating_count else 0.0

    def availability_for(self, *, is_enrolled: bool) -> Availability:
        """Return how the course's status appears to a user who is or isn't enrolled."""
        return availability_of(self.status, is_enrolled=is_enrolled)


_CARD_FIELDS = (
    "pk",
    "slug",
    "title",
    "subject__slug",
    "subject__name",
    "instructor__first_name",
    "instructor__last_name",
    "instructor__username",
    "status",
    "difficulty",
    "pricing",
    "price",
    "currency",
    "lesson_count",
    "duration",
    "rating_count",
    "rating_sum",
    "plate",
)


def _card(
    pk: int, slug: str, title: str, subject: str, name: str, first: str, last: str, user: str, *rest: Any
) -> Card:
    return Card(pk, slug, title, subject, name, name_of(first, last, user), *rest)


def name_of(first: str, last: str, user: str) -> str:
    """Return a user's full name, or the username if there is none."""
    return f"{first} {last}".strip() or user


def cards(courses: QuerySet[Course]) -> list[Card]:
    """Return these courses as cards, in their order. One query."""
    return [_card(*row) for row in courses.values_list(*_CARD_FIELDS)]
