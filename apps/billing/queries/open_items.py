"""What is not settled yet: refunds, disputes and payouts on their way, and what is owed. One currency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.models import Dispute, LedgerLine, Order, Payment, Payout, Refund
from apps.billing.services.ledger.posting import DEPOSITS, PREMIUM, TAX, UNEXPLAINED


@dataclass(frozen=True)
class OpenItem:
    """A line of the list: how many there are, their sum in minor units, and the address of the page that lists them."""

    label: str | Promise
    count: int
    amount: int
    address: str


def open_items(currency: str) -> list[OpenItem]:
    """Return what is not settled. Five queries."""
    refunds = _sums(
        Refund.objects.filter(payment__currency=currency),
        requested=Q(status=Refund.Status.REQUESTED),
        processing=Q(status=Refund.Status.PROCESSING, method=Payment.Method.CARD),
        to_transfer=Q(status=Refund.Status.PROCESSING, method=Payment.Method.TRANSFER),
    )
    expected = Order.objects.filter(currency=currency, method=Order.Method.TRANSFER, status__in=Order.LIVE)
    orders = expected.aggregate(count=Count("pk"), sum=Sum("total", default=0))
    disputes = _sums(Dispute.objects.filter(payment__currency=currency), open=Q(status=Dispute.Status.OPEN))
    payouts = _sums(
        Payout.objects.filter(currency=currency),
        scheduled=Q(state=Payout.State.SCHEDULED),
        processing=Q(state=Payout.State.PROCESSING),
    )
    owed = LedgerLine.objects.filter(currency=currency).aggregate(
        instructors=Sum("amount", filter=Q(account__instructor_id__isnull=False), default=0),
        people=Count("account", filter=Q(account__instructor_id__isnull=False), distinct=True),
        tax=Sum("amount", filter=Q(account__code=TAX), default=0),
        premium=Sum("amount", filter=Q(account__code=PREMIUM), default=0),
        deposits=Sum("amount", filter=Q(account__code=DEPOSITS), default=0),
        unexplained=Sum("amount", filter=Q(account__code=UNEXPLAINED), default=0),
    )
    everything = f"?currency={currency}&period=all"
    queue, sent = reverse("billing:admin-refunds"), reverse("billing:admin-payouts")
    tax, pool, held = (reverse("billing:admin-account", args=[code]) for code in (TAX, PREMIUM, DEPOSITS))
    transfers = reverse("billing:admin-transfers")
    people = reverse("billing:admin-instructor-accounts")
    found = [
        OpenItem(_("Refund requests without a decision"), *refunds["requested"], queue),
        OpenItem(_("Refunds on their way"), *refunds["processing"], queue),
        OpenItem(_("Refunds to transfer"), *refunds["to_transfer"], f"{transfers}?state=returns"),
        OpenItem(_("Orders that wait for a bank transfer"), orders["count"], orders["sum"], transfers),
        OpenItem(_("Transfers held for buyers"), int(owed["deposits"] != 0), -owed["deposits"], f"{held}{everything}"),
        OpenItem(_("Open disputes"), *disputes["open"], reverse("billing:admin-disputes")),
        OpenItem(_("Payouts that are scheduled"), *payouts["scheduled"], f"{sent}?state=scheduled"),
        OpenItem(_("Payouts on their way"), *payouts["processing"], f"{sent}?state=processing"),
        OpenItem(_("Owed to instructors"), owed["people"], -owed["instructors"], f"{people}{everything}"),
        OpenItem(_("Tax to be paid"), int(owed["tax"] != 0), -owed["tax"], f"{tax}{everything}"),
        OpenItem(_("Premium not yet shared"), int(owed["premium"] != 0), -owed["premium"], f"{pool}{everything}"),
    ]
    unexplained = -owed["unexplained"]
    books = reverse("billing:admin-reconciliation")
    found.append(OpenItem(_("Unexplained at the payment provider"), int(unexplained != 0), unexplained, books))
    return [each for each in found if each.count or each.amount]


def _sums(rows: QuerySet[Any], **states: Q) -> dict[str, tuple[int, int]]:
    """The number and the sum of the rows in each state. One query."""
    wanted: dict[str, Any] = {}
    for name, condition in states.items():
        wanted[f"{name}_count"] = Count("pk", filter=condition)
        wanted[f"{name}_sum"] = Sum("amount", filter=condition, default=0)
    found = rows.aggregate(**wanted)
    return {name: (found[f"{name}_count"], found[f"{name}_sum"]) for name in states}
