"""How the next payout of an instructor adds up, and the entries of each of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    Count,
    ExpressionWrapper,
    F,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.utils.translation import gettext_lazy as _

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine, Payout
from apps.billing.queries.earnings import EARNING, Earned

PARTS = {
    "sales": _("Sales"),
    "refunds": _("Refunds"),
    "premium": _("Premium"),
    "carried": _("From earlier months"),
    "waiting": _("Later"),
}
"""What `Pending` consists of; "waiting" isn't part of its amount."""


_NOTHING = Earned()


@dataclass(frozen=True)
class Pending:
    """What the next payout will be, in minor units of the instructor's share unless said otherwise.

    ``sales`` and ``refunds`` since the last payout, with what learners paid; ``waiting``: sales that may still be
    refunded, for a later payout; ``carried``: what was left of earlier months, and payouts that failed.
    """

    sales: Earned = _NOTHING
    refunds: Earned = _NOTHING
    premium: Earned = _NOTHING
    waiting: Earned = _NOTHING
    carried: int = 0

    @property
    def paid(self) -> int:
        """What learners paid of it."""
        return self.sales.paid + self.refunds.paid + self.premium.paid

    @property
    def platform(self) -> int:
        """The platform's part of what learners paid."""
        return self.paid - self.sales.share - self.refunds.share - self.premium.share

    @property
    def amount(self) -> int:
        """What will be paid out."""
        return self.sales.share + self.refunds.share + self.premium.share + self.carried


def pending_payout(instructor_id: int, currency: str, *, until: datetime, last: Payout | None) -> Pending:
    """How the payout with the sales before ``until`` adds up. ``last``: the last payout that did not fail. One query.

    Its amount is that of `queries.payouts.payable`.
    """
    rows = (
        _lines(instructor_id, currency)
        .order_by()
        .values_list(_part_of_line(instructor_id, until, last))
        .annotate(paid=Sum(F("entry__total") - F("entry__tax")), earned=Sum("amount"), entries=Count("pk"))
    )
    found = {kind: Earned(paid, -share, count) for kind, paid, share, count in rows}
    carried = found.pop("carried", Earned()).share
    return Pending(**found, carried=carried)


def pending_rows(
    instructor_id: int, currency: str, part: str, *, until: datetime, last: Payout | None
) -> QuerySet[Any]:  # lines with `paid` and `share`, which types can't name
    """Return the lines of a part of the next payout, newest first; ``part``: one of `PARTS`, or "" for all of it."""
    share = ExpressionWrapper(-F("amount"), output_field=BigIntegerField())
    lines = _lines(instructor_id, currency).annotate(
        part=_part_of_line(instructor_id, until, last), paid=F("entry__total") - F("entry__tax"), share=share
    )
    wanted = lines.filter(part=part) if part else lines.exclude(part="waiting")
    return wanted.select_related("entry").order_by("-entry__occurred_at", "-entry_id")


def _lines(instructor_id: int, currency: str) -> QuerySet[LedgerLine]:
    return LedgerLine.objects.filter(account__instructor_id=instructor_id, currency=currency)


def _part_of_line(instructor_id: int, until: datetime, last: Payout | None) -> Case:
    """Which of `PARTS` a line belongs to."""
    sales = LedgerEntry.objects.filter(kind=EntryKind.SALE, instructor_id=instructor_id).order_by()
    young = Q(entry__payment_key__in=sales.filter(occurred_at__gte=until).values("payment_key"))
    old = Q(entry__kind__in=[])
    if last is not None:
        paid_out = sales.filter(occurred_at__lt=last.sales_until).values("payment_key")
        began = last.started_at or last.created_at
        old = Q(entry__kind=EntryKind.SALE, entry__occurred_at__lt=last.sales_until) | (
            ~Q(entry__kind=EntryKind.SALE)
            & Q(entry__occurred_at__lt=began)
            & (Q(entry__payment_key__in=paid_out) | Q(entry__payment_key=""))
        )
    return Case(
        When(young, then=Value("waiting")),
        When(~Q(entry__kind__in=EARNING) | old, then=Value("carried")),
        When(entry__kind=EntryKind.SALE, then=Value("sales")),
        When(entry__kind=EntryKind.PREMIUM_SHARE, then=Value("premium")),
        default=Value("refunds"),
        output_field=CharField(),
    )
