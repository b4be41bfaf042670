"""What a user paid and got back, in one list by date."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import CharField, F, Q, Value
from django.db.models.functions import Coalesce, ExtractYear
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing.models import Dispute, Document, Payment, Refund
from apps.billing.policies import see_document, see_payment
from apps.billing.queries.cards import brand_name
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money

KINDS = ("course", "premium", "refund")
_WHATS = ("payment", "refund", "dispute")


@dataclass(frozen=True)
class StatementRow:
    """A payment, or what went back of it by a refund or a lost dispute, as lists show it. ``tone``: of its badge.

    ``documents``: the invoice of a payment, or the credit note of what went back. ``moved``: what it added to or took
    from what the user has paid, in minor units: nothing before a refund is done, or if it failed.
    """

    payment: Payment
    refund: Refund | None
    at: datetime
    state: str
    tone: str
    amount: str
    moved: int
    dispute: Dispute | None = None
    documents: tuple[Document, ...] = ()

    @property
    def gives_back(self) -> bool:
        return self.refund is not None or self.dispute is not None

    @property
    def card(self) -> str:
        """Such as "Visa 4417"; empty if nothing was charged to a card."""
        return card_of_payment(self.payment)

    @property
    def method(self) -> str:
        """How the money came or goes back: the card, or "Bank transfer"; empty if nothing was charged."""
        is_transfer = (self.refund or self.payment).method == Payment.Method.TRANSFER
        return _("Bank transfer") if is_transfer else self.card


def card_of_payment(payment: Payment) -> str:
    """Return the card that was charged, such as "Visa 4417"; empty without a card."""
    return f"{brand_name(payment.card_brand)} {payment.card_last4}" if payment.card_last4 else ""


def transactions_of(user: User, *, kind: str = "", year: int | None = None) -> Any:
    """Return keys of the user's payments, refunds and lost disputes, the newest first: rows for :func:`with_details`.

    :param kind: one of KINDS, or "" for all.
    :param year: only this year's, or None.
    """
    payments = Payment.objects.of(user.pk).annotate(at=F("paid_at"), what=Value("payment", CharField()))
    refunds = refunds_of(user).annotate(what=Value("refund", CharField()))
    disputes = disputes_of(user).annotate(what=Value("dispute", CharField()))
    if year is not None:
        payments, refunds = payments.filter(paid_at__year=year), refunds.filter(at__year=year)
        disputes = disputes.filter(at__year=year)
    if kind in {"course", "premium"}:
        payments = payments.filter(kind=kind)
    names = ("what", "pk", "at")
    wanted = {"refund": [refunds, disputes], "": [payments, refunds, disputes]}.get(kind, [payments])
    first, *others = (each.order_by().values(*names) for each in wanted)
    return (first.union(*others, all=True) if others else first).order_by("-at", "-pk")


def with_details(keys: list[dict[str, Any]]) -> list[StatementRow]:
    """Return what the keys of a page stand for, in their order. Six queries."""
    by_kind = {what: [key["pk"] for key in keys if key["what"] == what] for what in _WHATS}
    known = Payment.objects.select_related("course", "order__gift").prefetch_related("refunds", "disputes")
    payments = known.in_bulk(by_kind["payment"])
    refunds = Refund.objects.select_related("payment__course", "payment__order").in_bulk(by_kind["refund"])
    disputes = Dispute.objects.select_related("payment__course", "payment__order").in_bulk(by_kind["dispute"])
    documents = _documents_by_row(payments, [*refunds], [*disputes])
    found = []
    for key in keys:
        if key["what"] == "payment":
            row = of_payment(payments[key["pk"]])
        elif key["what"] == "refund":
            row = of_refund(refunds[key["pk"]], key["at"])
        else:
            row = of_dispute(disputes[key["pk"]], key["at"])
        found.append(replace(row, documents=tuple(documents[key["what"], key["pk"]])))
    return found


def _documents_by_row(
    payments: Mapping[int, Payment], refunds: list[int], disputes: list[int]
) -> dict[tuple[str, int | None], list[Document]]:
    """The invoices of payments, also from before they were paid, and the documents of refunds and disputes. One query.

    Without their snapshots.
    """
    by_order = {each.order_id: pk for pk, each in payments.items() if each.order_id is not None}
    of_orders = Q(order__in=by_order, payment=None)
    of_payments = Q(payment__in=payments, refund=None, dispute=None)
    of_returns = Q(refund__in=refunds) | Q(dispute__in=disputes)
    found = Document.objects.filter(of_payments | of_orders | of_returns)
    by_row: dict[tuple[str, int | None], list[Document]] = defaultdict(list)
    for document in found.defer("snapshot").order_by("issued_at", "pk"):
        if document.refund_id is not None:
            by_row["refund", document.refund_id].append(document)
        elif document.dispute_id is not None:
            by_row["dispute", document.dispute_id].append(document)
        else:
            by_row["payment", document.payment_id or by_order[document.order_id or 0]].append(document)
    return by_row


def years_of(user: User) -> list[int]:
    """Return the years in which the user paid or got something back, the latest first. One query."""
    payments = Payment.objects.of(user.pk).order_by().annotate(year=ExtractYear("paid_at")).values_list("year")
    returned = (
        found.order_by().annotate(year=ExtractYear("at")).values_list("year")
        for found in (refunds_of(user), disputes_of(user))
    )
    return sorted((year for (year,) in payments.union(*returned)), reverse=True)


def refunds_of(user: User) -> Any:  # a query set of refunds with `at`, which types can't name
    """A declined or closed refund moved no money: the page of its payment shows it."""
    unmoved = [Refund.Status.DECLINED, Refund.Status.CLOSED]
    moved = Refund.objects.filter(payment__user_id=user.pk).exclude(status__in=unmoved)
    return moved.annotate(at=Coalesce("done_at", "requested_at"))


def disputes_of(user: User) -> Any:
    """Lost disputes, with the moment from which they took something back as `at`."""
    lost = Dispute.objects.filter(payment__user_id=user.pk, status=Dispute.Status.LOST, lost__gt=0)
    return lost.annotate(at=Coalesce("closed_at", "opened_at"))


def of_payment(payment: Payment) -> StatementRow:
    """Return a payment as lists show it."""
    if payment.is_refunded:
        state, tone = _("Refunded"), ""
    elif payment.is_returned:
        state, tone = _("Returned"), ""
    elif payment.charged_back:
        state, tone = _("Partly returned"), ""
    elif payment.refunded:
        state, tone = _("Partly refunded"), ""
    else:
        state, tone = _("Paid"), "ok"
    amount = money(payment.amount, payment.currency, cents=True)
    return StatementRow(payment, None, payment.paid_at, state, tone, amount, payment.amount)


def of_refund(refund: Refund, at: datetime) -> StatementRow:
    """Return a refund as lists show it."""
    tone = {
        Refund.Status.REQUESTED: "warn",
        Refund.Status.PROCESSING: "info",
        Refund.Status.DONE: "ok",
        Refund.Status.CLOSED: "",
    }.get(Refund.Status(refund.status), "error")
    payment = refund.payment
    amount = money(-refund.amount, payment.currency, cents=True)
    moved = -refund.amount if refund.status == Refund.Status.DONE else 0
    return StatementRow(payment, refund, at, refund.get_status_display(), tone, amount, moved)


def of_dispute(dispute: Dispute, at: datetime) -> StatementRow:
    """Return a dispute that was lost as lists show it: what the bank returned."""
    payment = dispute.payment
    amount = money(-dispute.lost, payment.currency, cents=True)
    return StatementRow(payment, None, at, _("Returned by the bank"), "", amount, -dispute.lost, dispute)


def payment_for(user: User, uid: UUID) -> Payment:
    """Return a payment that the user may see, with its refunds and disputes. Three queries.

    :raises NotFound: there is none, or it is someone else's.
    """
    found = Payment.objects.select_related("user", "course", "instructor", "subscription", "order")
    payment = found.prefetch_related("refunds", "disputes").filter(uid=uid).first()
    if payment is None:
        raise NotFound
    enforce(see_payment(user, payment))
    return payment


def document_for(user: User, uid: UUID) -> Document:
    """Return an invoice or credit note that the user may see. One query.

    :raises NotFound: there is none, or it is someone else's.
    """
    document = Document.objects.filter(uid=uid).first()
    if document is None:
        raise NotFound
    enforce(see_document(user, document))
    return document


def open_refund(payment: Payment) -> Refund | None:
    """Return the refund that waits or is on its way, of a payment of :func:`payment_for`."""
    waiting = {Refund.Status.REQUESTED, Refund.Status.PROCESSING}
    return next((each for each in payment.refunds.all() if each.status in waiting), None)


def can_ask_for_refund(payment: Payment) -> bool:
    """Return whether something is left that its payer could ask for, of a payment of :func:`payment_for`."""
    held = any(each.status != Dispute.Status.WON for each in payment.disputes.all())
    if payment.order is not None and payment.order.is_for_team:
        return False  # seats are given back on the page of their team
    return payment.kind == Payment.Kind.COURSE and payment.left > 0 and not held and open_refund(payment) is None
