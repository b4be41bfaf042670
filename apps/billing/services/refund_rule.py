"""Which refunds are immediate, and why the others need a decision."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from apps.billing import extensions
from apps.billing.models import Gift, Grant, OrderLine, Payment, Refund


class ReviewReason(StrEnum):
    """Why an admin has to decide about a refund."""

    PREMIUM = "premium"
    PARTLY_REFUNDED = "partly_refunded"
    TOO_LATE = "too_late"
    TOO_MUCH_CONSUMED = "too_much_consumed"
    REFUNDED_BEFORE = "refunded_before"
    GIFT_REDEEMED = "gift_redeemed"


def review_reason(*, payment: Payment, now: datetime) -> ReviewReason | None:
    """Return why a refund of this payment needs a decision; None if the learner gets the money back immediately.

    Immediate are refunds of whole orders, soon after the payment, while little of each of their courses is consumed, if
    the learner got no money back for any of these courses before. Each course counts on its own: one that was taken to
    its end is a small part of a large bundle.
    """
    if payment.kind == Payment.Kind.PREMIUM:
        return ReviewReason.PREMIUM
    if payment.refunded or payment.charged_back:
        return ReviewReason.PARTLY_REFUNDED
    if not payment.is_within(settings.REFUND_DAYS, now):
        return ReviewReason.TOO_LATE
    if Gift.objects.filter(order__payment=payment, redeemed_by__isnull=False).exists():
        return ReviewReason.GIFT_REDEEMED
    if most_consumed_percent(payment) >= settings.REFUND_PERCENT:
        return ReviewReason.TOO_MUCH_CONSUMED
    return ReviewReason.REFUNDED_BEFORE if _was_refunded_before(payment) else None


def _was_refunded_before(payment: Payment) -> bool:
    """Whether a course of this payment was opened to the same learner by another one, whose money went back.

    It doesn't matter who paid, or for what else; a payment that opened nothing, such as one made twice, doesn't count.
    """
    opened = Grant.objects.filter(payment=payment, user=OuterRef("user"), course=OuterRef("course"))
    earlier = Grant.objects.filter(Exists(opened)).exclude(payment=None).exclude(payment=payment)
    returned = Q(payment__refunded__gt=0) | Q(payment__refunds__status=Refund.Status.PROCESSING)
    return earlier.filter(returned | Q(end_reason=Grant.End.DISPUTE)).exists()


def consumed_percents(payments: Collection[Payment]) -> dict[int, int]:
    """Return by payment (its id) how much of what it opened was used, in percent. Two queries and one per app.

    Several courses count by their list prices. What opened nothing was not used: 0, as for Premium.
    """
    prices = {
        (line.order_id, line.course_id): line.list_price
        for line in OrderLine.objects.filter(order__payment__in=payments).order_by()
    }
    found = {}
    for payment, percents in _percents_by_payment(payments):
        weights = {pair: prices.get((payment.order_id or 0, pair[1]), 0) for pair in percents}
        consumed = sum(percent * weights[pair] for pair, percent in percents.items())
        found[payment.pk] = consumed // (sum(weights.values()) or 1)
    return found


def most_consumed_percent(payment: Payment) -> int:
    """Return how much was used of the course of a payment that was used most, in percent; 0 if it opened nothing."""
    [(_payment, percents)] = _percents_by_payment([payment])
    return max(percents.values(), default=0)


def _percents_by_payment(payments: Collection[Payment]) -> list[tuple[Payment, dict[tuple[int, int], int]]]:
    """Payments with what was used of each course that they opened, by (user, course). A query and one per app."""
    opened: dict[int, set[tuple[int, int]]] = {payment.pk: set() for payment in payments}
    for payment_id, user_id, course_id in (
        Grant.objects.filter(payment__in=payments).order_by().values_list("payment_id", "user_id", "course_id")
    ):
        opened[payment_id].add((user_id, course_id))
    percents = extensions.consumed_percents({pair for pairs in opened.values() for pair in pairs})
    return [(payment, {pair: percents[pair] for pair in opened[payment.pk]}) for payment in payments]


def is_immediate(*, payment: Payment, now: datetime) -> bool:
    """Return whether the learner gets the money back without a decision."""
    return review_reason(payment=payment, now=now) is None
