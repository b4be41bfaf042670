"""The courses of which seats can be ordered."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, Q

from apps.courses.models import Course

MAX_COURSES_SHOWN = 6


def _for_sale() -> Any:  # a query set that types can't name
    sold = Course.objects.filter(status=Course.Status.PUBLISHED, pricing=Course.Pricing.ONE_TIME)
    return sold.filter(currency=settings.CURRENCY, price__gt=0).select_related("instructor", "subject")


def course_for_seats(slug: str) -> Course | None:
    """Return a course that is sold, by its slug; None if there is none. At most one query."""
    if not slug or "\x00" in slug:
        return None
    found: Course | None = _for_sale().filter(slug=slug).first()
    return found


def courses_with_seats(text: str) -> list[Course]:
    """Return the first courses that are sold whose title or instructor has all words of a text, by title. One query."""
    found = _for_sale()
    for word in text.replace("\x00", "").split()[:8]:
        is_like = Q(title__icontains=word) | Q(instructor__first_name__icontains=word)
        found = found.filter(is_like | Q(instructor__last_name__icontains=word))
    return list(found.order_by("title", "pk")[:MAX_COURSES_SHOWN])


@dataclass(frozen=True)
class SeatOffer:
    """``premium``: how many courses Premium has; ``lowest``: the least price of a course in minor units, 0 if none."""

    premium: int
    lowest: int


def offer_of_seats() -> SeatOffer:
    """Return what seats are for today. One query."""
    published = Course.objects.filter(status=Course.Status.PUBLISHED)
    is_sold = Q(pricing=Course.Pricing.ONE_TIME, currency=settings.CURRENCY, price__gt=0)
    found = published.aggregate(
        premium=Count("pk", filter=Q(pricing=Course.Pricing.PREMIUM)), lowest=Min("price", filter=is_sold, default=0)
    )
    return SeatOffer(**found)
