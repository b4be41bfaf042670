"""What the pages about Premium show."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max, Min, Q, Sum

from apps.accounts.models import User
from apps.billing.models import Card, Grant, Payment, Subscription
from apps.billing.plans import Offer, offers
from apps.courses.models import Course

HOURS_A_WEEK = (1, 3, 5, 10)
SHOWN = 4  # courses on the page that sells Premium


@dataclass(frozen=True)
class HourPrice:
    """``hours`` a week; ``price`` of one of them, minor units; ``share`` of the price of a single hour, in percent."""

    hours: int
    price: int
    share: int


@dataclass(frozen=True)
class Prices:
    """What the plans cost today."""

    monthly: Offer
    yearly: Offer

    @property
    def saved(self) -> int:
        """How much less a year costs than twelve months, in percent, rounded down; 0 if it doesn't."""
        year = 12 * self.monthly.price
        return max(0, 100 * (year - self.yearly.price) // year) if year else 0

    @property
    def per_month(self) -> int:
        """What the yearly plan costs in a month, in minor units, rounded up."""
        return -(-self.yearly.price // 12)

    @property
    def hours(self) -> list[HourPrice]:
        """What an hour costs with the yearly plan, by the hours that somebody learns in each of its 52 weeks."""
        return [HourPrice(count, round(self.yearly.price / 52 / count), 100 // count) for count in HOURS_A_WEEK]


def prices() -> Prices:
    """Return what the plans cost today. No query."""
    monthly, yearly = offers()
    return Prices(monthly=monthly, yearly=yearly)


@dataclass(frozen=True)
class Selling(Prices):
    """What Premium contains today. ``lowest`` and ``highest``: prices of single courses; 0 if none is sold."""

    premium: int
    free: int
    sold: int
    lowest: int
    highest: int
    courses: list[Course]


def selling() -> Selling:
    """Return what Premium contains today. Two queries."""
    published = Course.objects.filter(status=Course.Status.PUBLISHED)
    monthly, yearly = offers()
    is_sold = Q(pricing=Course.Pricing.ONE_TIME, currency=monthly.currency)
    numbers = published.aggregate(
        premium=Count("pk", filter=Q(pricing=Course.Pricing.PREMIUM)),
        free=Count("pk", filter=Q(pricing=Course.Pricing.FREE)),
        sold=Count("pk", filter=is_sold),
        lowest=Min("price", filter=is_sold, default=0),
        highest=Max("price", filter=is_sold, default=0),
    )
    some = published.filter(pricing=Course.Pricing.PREMIUM).select_related("instructor", "subject")
    return Selling(
        **numbers, courses=list(some.order_by("-published_at", "pk")[:SHOWN]), monthly=monthly, yearly=yearly
    )


def wanted_course(slug: str) -> Course | None:
    """Return the published Premium course that a visitor came from. At most one query."""
    if not slug or "\x00" in slug:
        return None
    return Course.objects.filter(slug=slug, status=Course.Status.PUBLISHED, pricing=Course.Pricing.PREMIUM).first()


@dataclass(frozen=True)
class SubscriptionOverview:
    """A user's present or last subscription. ``paid``: net of refunds, minor units; ``opened``: courses it opens."""

    subscription: Subscription
    paid: int
    opened: int
    card: Card | None

    @property
    def first_day(self) -> datetime:
        return self.subscription.started_at or self.subscription.created_at


def overview_of(user: User) -> SubscriptionOverview | None:
    """Return the user's live subscription, or the last one. Four queries; one for a user who never had one."""
    mine = Subscription.objects.of(user.pk)
    row = mine.live().first() or mine.exclude(started_at=None).order_by("-pk").first()
    if row is None:
        return None
    paid = Payment.objects.of(user.pk).filter(subscription__isnull=False, currency=row.currency)
    total = paid.aggregate(total=Sum(F("amount") - F("refunded"), default=0))["total"]
    opened = Grant.objects.active().of(user.pk).filter(source=Grant.Source.PREMIUM).count()
    card = Card.objects.usable().of(user.pk).filter(is_default=True).first()
    return SubscriptionOverview(subscription=row, paid=total, opened=opened, card=card)


def lost_courses(user: User) -> list[Course]:
    """Return the courses that closed when Premium ended. One query."""
    ended = Grant.objects.of(user.pk).filter(source=Grant.Source.PREMIUM, end_reason=Grant.End.PREMIUM_ENDED)
    active = Grant.objects.active().of(user.pk)
    found = Course.objects.filter(pk__in=ended.values("course")).exclude(pk__in=active.values("course"))
    return list(found.order_by("title"))
