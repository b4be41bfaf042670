"""Orders and refunds by bank transfer, as their buyers and admins see them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.bank_account import BankAccount, bank_account
from apps.billing.models import Deposit, Document, Order, Payment, Refund
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.money import minor_units

MAX_AMOUNT_LENGTH = 12
HELD = Q(returned_on=None, amount__gt=F("applied"))
STATES: dict[str, str | Promise] = {
    "waiting": _("Waiting"),
    "overdue": _("Overdue"),
    "returns": _("To transfer back"),
    "settled": _("Settled"),
}


@dataclass(frozen=True)
class TransferOrder:
    """An order by bank transfer with what has arrived for it. Amounts in minor units."""

    order: Order
    account: BankAccount | None
    documents: list[Document]
    deposits: list[Deposit]
    is_overdue: bool

    @property
    def held(self) -> int:
        """What arrived and hasn't paid the order."""
        return sum(each.rest for each in self.deposits)

    @property
    def missing(self) -> int:
        """What is still to be transferred."""
        return max(0, self.order.total - self.held) if self.order.status in Order.LIVE else 0

    def can_bear(self, gap: int) -> bool:
        """Whether that much of the order can be bank charges: no bank keeps more than arrives."""
        return 0 < gap <= self.order.total // 2

    @property
    def invoice(self) -> Document | None:
        """The invoice, also if it was canceled."""
        return next((each for each in self.documents if each.sign > 0), None)


def transfer_order(order: Order, *, now: datetime) -> TransferOrder:
    """Return an order by bank transfer with its documents and what arrived. Two queries.

    The account is that of the settings; if none is set any more, the one on the invoice.
    """
    documents = list(Document.objects.filter(order=order).order_by("issued_at", "pk"))
    return TransferOrder(
        order=order,
        account=bank_account() or _account_on(documents),
        documents=documents,
        deposits=list(order.deposits.select_related("recorded_by", "returned_by").order_by("pk")),
        is_overdue=order.status == Order.Status.OPEN and order.due_at is not None and order.due_at < now,
    )


def _account_on(documents: list[Document]) -> BankAccount | None:
    for document in documents:
        terms = document.snapshot["facts"].get("terms", {})
        if terms.get("iban"):
            return BankAccount(**{name: terms[name] for name in ("holder", "iban", "bic", "bank")})
    return None


def find_transfer_order(uid: UUID) -> Order:
    """Return any order by bank transfer. One query.

    :raises NotFound: there is none.
    """
    found = Order.objects.select_related("user", "course", "bundle", "canceled_by", "payment__confirmed_by")
    order = found.filter(uid=uid, method=Order.Method.TRANSFER).first()
    if order is None:
        raise NotFound
    return order


def list_transfer_orders(state: str, text: str, *, now: datetime) -> QuerySet[Order]:
    """Return the orders of a state (one of STATES), or of all if there is a text to search for and no state.

    Those that wait come in the order in which they are due, settled ones the latest first.
    """
    found = Order.objects.filter(method=Order.Method.TRANSFER).select_related("user")
    found = found.annotate(held=Count("deposits", filter=Q(deposits__returned_on=None) & _rest("deposits__")))
    if text:
        found = found.filter(_matches(text))
    waiting = Q(status__in=Order.LIVE)
    if state == "waiting" or (not state and not text):
        return found.filter(waiting).order_by("due_at", "pk")
    if state == "overdue":
        return found.filter(waiting, due_at__lt=now).order_by("due_at", "pk")
    if state == "settled":
        return found.exclude(waiting).order_by("-settled_at", "-pk")
    return found.order_by("-created_at", "-pk")


def _rest(prefix: str) -> Q:
    return Q(**{f"{prefix}amount__gt": F(f"{prefix}applied")})


def _matches(text: str) -> Q:
    """By number, name, email, company or amount."""
    number = re.sub(r"[^A-Z0-9]", "", text.upper())
    found = Q(user__email__icontains=text) | Q(user__username__icontains=text) | Q(buyer__name__icontains=text)
    found |= Q(title__icontains=text)
    for word in text.split()[:2]:
        found |= Q(user__first_name__icontains=word) | Q(user__last_name__icontains=word)
    if len(number) == 8:
        found |= Q(number=f"{number[:4]}-{number[4:]}")
    amount = text.replace(",", ".").strip("$€£ ")
    if len(amount) <= MAX_AMOUNT_LENGTH and re.fullmatch(r"\d+(\.\d{1,3})?", amount, re.ASCII):
        found |= _of_amount(amount)
    return found


def _of_amount(amount: str) -> Q:
    """Orders with a total such as "64" or "64.5", each in its own currency. One query."""
    ordered = Order.objects.filter(method=Order.Method.TRANSFER).order_by()
    found = Q(pk__in=[])
    for currency in ordered.values_list("currency", flat=True).distinct():
        minor = Decimal(amount) * minor_units(currency)
        if minor < 2**31 and not minor % 1:
            found |= Q(total=int(minor), currency=currency)
    return found


def count_by_state(*, now: datetime) -> dict[str, int]:
    """Return how many orders wait or are overdue, and how many amounts are to be transferred back. Three queries."""
    live = Order.objects.filter(method=Order.Method.TRANSFER, status__in=Order.LIVE)
    counts = live.aggregate(waiting=Count("pk"), overdue=Count("pk", filter=Q(due_at__lt=now)))
    returns = returns_due().count() + deposits_to_return().count()
    return {**counts, "returns": returns}


def count_open_transfers() -> int:
    """Return how many orders wait for their transfer, and how many amounts are to be transferred back. One query."""
    live = Order.objects.filter(method=Order.Method.TRANSFER, status__in=Order.LIVE).order_by().values("pk")
    due, held = (rows.order_by().values("pk") for rows in (returns_due(), deposits_to_return()))
    return live.union(due, held, all=True).count()


def returns_due() -> QuerySet[Refund]:
    """Return the refunds that an admin has to transfer, the oldest first."""
    due = Refund.objects.filter(method=Payment.Method.TRANSFER, status=Refund.Status.PROCESSING)
    return due.select_related("payment__user", "payment__order").order_by("requested_at", "pk")


def deposits_to_return() -> QuerySet[Deposit]:
    """Return what is held for orders that don't wait for it, the oldest first."""
    held = Deposit.objects.filter(HELD).exclude(order__status__in=Order.LIVE)
    return held.select_related("order__user", "recorded_by").order_by("received_on", "pk")


def returned_by_transfer(payment: Payment) -> list[Any]:
    """Return the refunds of a payment that were transferred, the latest first. The bank can send them back.

    One query.
    """
    done = payment.refunds.filter(method=Payment.Method.TRANSFER, status=Refund.Status.DONE)
    return list(done.order_by("-done_at", "-pk"))
