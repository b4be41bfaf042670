"""Payments that are kept although they open nothing, because another payment opens the same courses."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Prefetch, Q

from apps.billing.models import Grant, OrderLine, Payment, Refund


@dataclass(frozen=True)
class DoublePayment:
    """``amount``: what an admin should return of it, in minor units of its currency."""

    payment: Payment
    amount: int


def double_payments() -> list[DoublePayment]:
    """Return the payments of which something must be returned, the oldest first. Three queries.

    This happens when a refund fails after the course was bought again, or when the refund of a duplicate fails. What a
    refund on its way returns is not counted.
    """
    active = Grant.objects.active().filter(source=Grant.Source.PURCHASE)
    lines = OrderLine.objects.filter(total__gt=0)
    failed = Refund.objects.filter(status=Refund.Status.FAILED)
    kept = Payment.objects.filter(
        Q(amount__gt=F("refunded") + F("charged_back")),
        kind=Payment.Kind.COURSE,
        order__gift=None,
        order__is_for_team=False,
        pk__in=failed.values("payment"),
    )
    rows = list(
        kept.exclude(refunds__status__in=Refund.OPEN)
        .select_related("user", "order")
        .prefetch_related(Prefetch("order__lines", lines, to_attr="paid_lines"))
        .order_by("paid_at", "pk")
    )
    users = {row.user_id for row in rows}
    opened = {
        (user_id, course_id): payment_id
        for user_id, course_id, payment_id in active.filter(user__in=users)
        .order_by()
        .values_list("user_id", "course_id", "payment_id")
    }
    found = []
    for row in rows:
        doubled = sum(
            line.total
            for line in (row.order.paid_lines if row.order else [])  # type: ignore[attr-defined]  # prefetched
            if opened.get((row.user_id, line.course_id), row.pk) != row.pk
        )
        # What was returned so far was returned of the duplicate.
        amount = doubled - row.refunded - row.charged_back
        if amount > 0:
            found.append(DoublePayment(row, amount))
    return found
