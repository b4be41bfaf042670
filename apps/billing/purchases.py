"""What a user is about to buy, and how its price is divided among the courses."""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.conf import settings

from apps.billing.models import Bundle, OrderLine
from apps.billing.prices import Quote
from apps.billing.splits import split_by_weight
from apps.courses.models import Course


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """A course, or the courses of a bundle that the buyer doesn't own yet.

    ``price``: before promo codes. ``owned``: courses of the bundle that are left out. ``is_gift``: it is for someone
    else, so what the buyer owns doesn't matter.
    """

    title: str
    courses: tuple[Course, ...]
    price: int
    currency: str
    course: Course | None = None
    bundle: Bundle | None = None
    owned: tuple[Course, ...] = field(default=())
    is_gift: bool = False

    @property
    def worth(self) -> int:
        """What its courses cost separately."""
        return sum(course.price for course in self.courses)


def purchase_of_course(course: Course, *, is_gift: bool = False) -> Purchase:
    """Return the purchase of one course."""
    return Purchase(
        title=course.title,
        courses=(course,),
        price=course.price,
        currency=course.currency,
        course=course,
        is_gift=is_gift,
    )


def purchase_of_bundle(
    bundle: Bundle, courses: Collection[Course], *, owned: Collection[int] = (), is_gift: bool = False
) -> Purchase:
    """Return the purchase of a bundle. Courses that the buyer owns (their ids) are left out with their part of the
    price, so that each of the others costs what it does in the whole bundle.
    """
    parts = split_by_weight(bundle.price, {number: course.price for number, course in enumerate(courses)})
    left = [(course, parts[number]) for number, course in enumerate(courses) if course.pk not in owned]
    return Purchase(
        title=bundle.title,
        courses=tuple(course for course, _part in left),
        price=sum(part for _course, part in left),
        currency=bundle.currency,
        bundle=bundle,
        owned=tuple(course for course in courses if course.pk in owned),
        is_gift=is_gift,
    )


def list_prices_of(purchase: Purchase, list_price: int) -> dict[int, int]:
    """Return the parts of a price, before promo codes, by course (its id)."""
    parts = split_by_weight(list_price, {n: course.price for n, course in enumerate(purchase.courses)})
    return {course.pk: parts[n] for n, course in enumerate(purchase.courses)}


def lines_of(purchase: Purchase, quote: Quote) -> list[OrderLine]:
    """Return the lines of an order, not saved: price, discount and tax by the list prices of the courses.

    Each amount is divided by the largest remainder, so the lines add up to the quote.
    """
    prices = split_by_weight(quote.list_price, {n: course.price for n, course in enumerate(purchase.courses)})
    discounts = split_by_weight(quote.discount, prices)
    totals = {n: price - discounts.get(n, 0) for n, price in prices.items()}
    taxes = split_by_weight(quote.tax, totals)
    return [
        OrderLine(
            position=n,
            course=course,
            title=course.title,
            instructor_id=course.instructor_id,
            share=settings.INSTRUCTOR_SHARE * 100,
            list_price=prices[n],
            discount=discounts.get(n, 0),
            total=totals[n],
            tax=taxes.get(n, 0),
        )
        for n, course in enumerate(purchase.courses)
    ]
