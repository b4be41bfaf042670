"""Factories of promo codes, orders and payments, with the rows that the services would write."""

from datetime import UTC, datetime
from typing import Any

from factory.declarations import LazyAttribute, SelfAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory
from factory.helpers import post_generation

from apps.billing.models import Card, Grant, Order, OrderLine, Payment, PromoCode, Subscription
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


class PromoCodeFactory(DjangoModelFactory[PromoCode]):
    class Meta:
        model = PromoCode

    code = Sequence(lambda n: f"CODE{n}")
    created_by = SubFactory(UserFactory)
    scope = PromoCode.Scope.ALL
    percent = LazyAttribute(lambda one: None if one.amount else 10)
    amount = None
    currency = LazyAttribute(lambda one: "usd" if one.amount else "")
    created_at = NOW


class PaidCourseFactory(CourseFactory):
    status = "published"
    pricing = "one_time"
    price = 6400


class OrderFactory(DjangoModelFactory[Order]):
    class Meta:
        model = Order

    user = SubFactory(UserFactory)
    course = SubFactory(PaidCourseFactory)
    list_price = SelfAttribute("course.price")
    total = SelfAttribute("list_price")
    currency = "usd"
    email = SelfAttribute("user.email")
    title = SelfAttribute("course.title")
    status = Order.Status.OPEN
    created_at = NOW

    @post_generation
    def line(self, create: bool, extracted: None, **kwargs: object) -> None:
        """The line of its course."""
        if create and self.course is not None:
            names = ("course", "title", "list_price", "discount", "total", "tax")
            same = {name: getattr(self, name) for name in names}
            OrderLine.objects.create(order=self, position=0, instructor=self.course.instructor, share=7000, **same)


def _paid_order(payment: Any) -> Order | None:
    """The order of a payment for a course, with its line; Premium has none."""
    if payment.course is None:
        return None
    given = {name: getattr(payment, name, 0) for name in ("discount", "tax")}
    order = OrderFactory(
        user=payment.user,
        course=payment.course,
        title=payment.title,
        currency=payment.currency,
        list_price=payment.amount + given["discount"],
        total=payment.amount,
        status=Order.Status.PAID,
        **given,
    )
    order.lines.update(instructor=payment.instructor, share=payment.share)
    return order


class PaymentFactory(DjangoModelFactory[Payment]):
    class Meta:
        model = Payment

    gateway_id = Sequence(lambda n: f"pi_{n}")
    charge_id = Sequence(lambda n: f"ch_{n}")
    kind = Payment.Kind.COURSE
    user = SubFactory(UserFactory)
    course = SubFactory(PaidCourseFactory)
    instructor = SelfAttribute("course.instructor")
    share = 7000
    title = SelfAttribute("course.title")
    list_price = 6400
    amount = SelfAttribute("list_price")
    fee = 216
    currency = "usd"
    card_brand = "visa"
    card_last4 = "4242"
    order = LazyAttribute(lambda payment: _paid_order(payment))
    receipt_number = Sequence(lambda n: f"2026-9{n:05d}")  # not one that a sale gets
    paid_at = NOW


class CardFactory(DjangoModelFactory[Card]):
    class Meta:
        model = Card

    user = SubFactory(UserFactory)
    gateway_id = Sequence(lambda n: f"pm_{n}")
    brand = "visa"
    last4 = "4242"
    exp_month = 12
    exp_year = 2030
    created_at = NOW


class SubscriptionFactory(DjangoModelFactory[Subscription]):
    class Meta:
        model = Subscription

    user = SubFactory(UserFactory)
    gateway_id = Sequence(lambda n: f"sub_{n}")
    plan = Subscription.Plan.MONTHLY
    status = Subscription.Status.ACTIVE
    price = 1400
    currency = "usd"
    created_at = NOW
    started_at = NOW


class GrantFactory(DjangoModelFactory[Grant]):
    class Meta:
        model = Grant

    user = SubFactory(UserFactory)
    course = SubFactory(PaidCourseFactory)
    source = Grant.Source.STAFF
    created_at = NOW
