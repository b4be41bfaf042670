"""Compare payouts to connected accounts with the provider's transfers, for `manage.py reconcile_billing`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from apps.billing import gateway
from apps.billing.models import LedgerEntry, Payout, PayoutAccount
from apps.billing.services.differences import Difference, examine
from apps.billing.services.payout_outcomes import sync
from apps.billing.services.payouts import send

PAYOUT_OVERDUE_AFTER = timedelta(hours=1)  # after which a payout should have been sent
State = Payout.State


def differences(*, since: datetime, now: datetime) -> Iterator[Difference]:
    """Yield what differs about the transfers that were made since then. One call per hundred transfers.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    transfers: dict[UUID, list[gateway.TransferSummary]] = defaultdict(list)
    for listed in gateway.transfers_since(since):
        yield from examine("transfer", listed.id, partial(_add_transfer, listed, transfers))
    rows = Payout.objects.filter(uid__in=transfers).exclude(state=State.SCHEDULED)
    for row in rows:
        yield from examine("payout", row.key, partial(_of_payout, row, transfers[row.uid], now=now))


def _add_transfer(
    listed: gateway.Listed[gateway.TransferSummary], transfers: dict[UUID, list[gateway.TransferSummary]]
) -> Iterator[Difference]:
    """Add a transfer to those of its payout; nothing differs about it yet."""
    transfer = listed.read()
    if uid := _uid(transfer.key):  # others were made in the dashboard: their movements of the balance are unexplained
        transfers[uid].append(transfer)
    yield from ()


def _of_payout(row: Payout, transfers: list[gateway.TransferSummary], *, now: datetime) -> Iterator[Difference]:
    reversed_ = sum(each.amount_reversed for each in transfers)
    is_out = sum(each.amount for each in transfers) > reversed_
    posted = LedgerEntry.objects.filter(gateway_id__in=[each.gateway_id for each in transfers]).count()
    state = State.SENT if is_out else State.FAILED
    if (row.state, row.amount_reversed, posted) != (state, reversed_, len(transfers)):
        text = f"is {row.get_state_display().lower()} here with {row.amount_reversed} taken back; at the provider"
        told = f"{text} {len(transfers)} transfers were made and {reversed_} was taken back"
        yield Difference("payout", row.key, told, partial(sync, row.pk, now=now))


def unfinished(*, now: datetime) -> Iterator[Difference]:
    """Yield payouts to connected accounts that should have been sent by the job of their run."""
    waiting = Payout.objects.filter(
        method=PayoutAccount.Method.CONNECTED,
        state__in=[State.SCHEDULED, State.PROCESSING],
        created_at__lt=now - PAYOUT_OVERDUE_AFTER,
    )
    for row in waiting:
        told = f"was not sent in time {row.failure_detail}".strip()[:300]
        yield Difference("payout", row.key, told, partial(send, row.pk, now=now), partial(_waits, row.pk))


def _waits(payout_id: int) -> bool:
    return Payout.objects.filter(pk=payout_id, state__in=[State.SCHEDULED, State.PROCESSING]).exists()


def _uid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
