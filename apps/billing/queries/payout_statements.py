"""Which entries make up a payout: its statement, to the cent.

A payout takes what its instructor is owed once young sales are left out (`queries.payouts.payable`). So its entries are
those that counted for it and not for the payout before; what that one left over is carried forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.expressions import ExpressionWrapper
from django.db.models.fields import BigIntegerField

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine, Payout
from apps.billing.queries.earnings import EARNING


@dataclass(frozen=True)
class PayoutStatement:
    """``carried``: from earlier payouts, what failed included; ``kept``: stays for the next one. All in minor units.

    ``carried + earned - kept == payout.amount``.
    """

    payout: Payout
    rows: QuerySet[Any]  # lines with `paid` and `share`, which types can't name
    carried: int
    earned: int
    kept: int


def statement_of(payout: Payout) -> PayoutStatement | None:
    """Return what a payout consists of; None if it did not start yet. Five queries.

    Each row of ``rows`` has ``paid`` (by learners, without tax) and ``share`` (the instructor's part), oldest first.
    """
    started = _start_of(payout)
    if started is None:
        return None
    counted = _counted(payout, started)
    before = _payout_before(payout, started)
    rows = counted
    if before is not None:
        rows = counted.exclude(pk__in=_counted(*before).values("pk"))
    rows = rows.filter(entry__kind__in=EARNING)
    owed, earned = -_sum(counted), -_sum(rows)
    share = ExpressionWrapper(-F("amount"), output_field=BigIntegerField())
    detailed = rows.select_related("entry").annotate(paid=F("entry__total") - F("entry__tax"), share=share)
    return PayoutStatement(
        payout=payout,
        rows=detailed.order_by("entry__occurred_at", "entry_id"),
        carried=owed - earned,
        earned=earned,
        kept=owed - payout.amount,
    )


def _payout_before(payout: Payout, started: LedgerEntry) -> tuple[Payout, LedgerEntry] | None:
    """The last payout that started before this one and had not failed by then, with its entry."""
    facts = LedgerEntry.objects.filter(instructor_id=payout.instructor_id, currency=payout.currency, pk__lt=started.pk)
    keys = facts.filter(kind__in=[EntryKind.PAYOUT_STARTED, EntryKind.PAYOUT_FAILED]).values_list("key", flat=True)
    known = set(keys)
    rows = Payout.objects.filter(instructor=payout.instructor_id, currency=payout.currency, started_at__isnull=False)
    for each in rows.exclude(pk=payout.pk).order_by("-started_at", "-pk"):
        if f"payout {each.key}" in known and f"payout {each.key} failed" not in known:
            entry = _start_of(each)
            return (each, entry) if entry is not None else None
    return None


def _start_of(payout: Payout) -> LedgerEntry | None:
    return LedgerEntry.objects.filter(key=f"payout {payout.key}", kind=EntryKind.PAYOUT_STARTED).first()


def _counted(payout: Payout, started: LedgerEntry) -> QuerySet[LedgerLine]:
    """The lines that `payable` added up when this payout started."""
    mine = LedgerLine.objects.filter(
        account__instructor_id=payout.instructor_id, currency=payout.currency, entry__pk__lt=started.pk
    )
    young = _young(payout.instructor_id, payout.sales_until)
    return mine.filter(~Q(entry__payment_key__in=young))


def _young(instructor_id: int, until: datetime) -> QuerySet[LedgerEntry, str]:
    sales = LedgerEntry.objects.filter(kind=EntryKind.SALE, instructor_id=instructor_id, occurred_at__gte=until)
    return sales.values_list("payment_key", flat=True)


def _sum(lines: QuerySet[LedgerLine]) -> int:
    return lines.aggregate(sum=Sum("amount"))["sum"] or 0
