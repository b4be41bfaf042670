"""Payouts: a monthly run schedules what instructors are owed, and sends each amount once.

A payout is *scheduled* (only its row exists), *processing* (the ledger has taken it from the balance; it may have been
sent), then *sent* or *failed*. What failed belongs to the balance again and is part of the next run. A crash after
"processing" is harmless: the next attempt asks the provider first. Bank transfers are made outside: they stay in
processing until an admin marks them, and hold up no later payout. What becomes of a payout: `payout_outcomes`.

A process can be held up at any point, also right before its request, and go on when others have decided meanwhile.
So an attempt is closed at the provider before another one may replace it or the amount returns to the balance: its
request is refused if it comes later. And what an attempt learned counts only while it is the latest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import QuerySet

from apps.billing import transfers
from apps.billing.models import OPEN_STATES, Payout, PayoutAccount, PayoutRun
from apps.billing.queries import payouts as queries
from apps.billing.services.ledger import account_of, lock_accounts, post_payout_started
from apps.billing.services.payout_outcomes import (
    ATTEMPT_TIMEOUT,
    DETAIL_LENGTH,
    close_attempt,
    return_amount,
    write_transfers,
)
from studyplatform.kit import jobs

logger = logging.getLogger(__name__)
State = Payout.State


@dataclass(frozen=True)
class Planned:
    """A payout that a run would make. ``hindrance`` says why not: "minimum", "no_account" or "open"."""

    instructor_id: int
    currency: str
    amount: int
    hindrance: str = ""


def plan(day: date) -> list[Planned]:
    """What a run on this day would pay, and what it would not, largest amount first. Three queries."""
    owed = {key: amount for key, amount in queries.payable(queries.sales_until(day)).items() if amount > 0}
    instructors = {instructor_id for instructor_id, _ in owed}
    ready = set(_accounts().filter(user__in=instructors).values_list("user_id", flat=True))
    # One that is processing has left the balance, so that it holds up nothing.
    scheduled = Payout.objects.filter(instructor__in=instructors, state=State.SCHEDULED)
    open_ = set(scheduled.values_list("instructor_id", "currency"))

    def hindrance(instructor_id: int, currency: str, amount: int) -> str:
        if (instructor_id, currency) in open_:
            return "open"
        if amount < queries.minimum(currency):
            return "minimum"
        return "" if instructor_id in ready else "no_account"

    found = [Planned(*key, amount, hindrance(*key, amount)) for key, amount in owed.items()]
    return sorted(found, key=lambda each: (-each.amount, each.instructor_id, each.currency))


def schedule(day: date, *, now: datetime) -> PayoutRun:
    """Write the payouts of a day. A second call, also at the same time, adds nothing to it."""
    with transaction.atomic():
        run, _ = PayoutRun.objects.get_or_create(day=day, defaults={"created_at": now})
        planned = [each for each in plan(day) if not each.hindrance]
        accounts = {
            each.user_id: each for each in _accounts().filter(user__in=[each.instructor_id for each in planned])
        }
        earlier = Payout.objects.filter(state__in=[State.PROCESSING, State.SENT]).order_by("sales_until")
        rows = earlier.values_list("instructor_id", "currency", "sales_until")
        last = {(instructor_id, currency): until for instructor_id, currency, until in rows}
        Payout.objects.bulk_create(
            [
                Payout(
                    run=run,
                    instructor_id=each.instructor_id,
                    amount=each.amount,
                    currency=each.currency,
                    sales_from=last.get((each.instructor_id, each.currency)),
                    sales_until=queries.sales_until(day),
                    created_at=now,
                    **_route(accounts[each.instructor_id]),
                )
                for each in planned
            ],
            ignore_conflicts=True,
        )
    return run


def send(payout_id: int, *, now: datetime) -> Payout | None:
    """Send a scheduled payout, or resume one whose attempt was lost. Returns the payout; None if it is no longer due.

    Another attempt that began within ten minutes is left alone.
    """
    payout, is_ours = _start(payout_id, now=now)
    if payout is None or not is_ours or payout.method == PayoutAccount.Method.BANK:
        return payout
    sender = transfers.current()
    if sender is None:
        logger.warning("Payout %s waits: nothing sends to connected accounts", payout.uid)
        return payout
    try:
        # Asked first: the provider forgets what it did with a key after a day.
        found = sender.find(payout.key)
        if not found:
            if not Payout.objects.filter(pk=payout.pk, state=State.PROCESSING, attempted_at=now).exists():
                return Payout.objects.get(pk=payout.pk)  # this process was held up, and another one took over
            found = [
                sender.send(
                    payout.key,
                    attempt=payout.refusals,
                    amount=payout.amount,
                    currency=payout.currency,
                    destination=payout.destination,
                )
            ]
    except (transfers.TransferFailed, transfers.TransferDelayed) as error:
        found = close_attempt(payout)
        if not found:
            return _note_refusal(payout, error, now=now)
    return write_transfers(payout.pk, found, now=now)


def _note_refusal(
    payout: Payout, refusal: transfers.TransferFailed | transfers.TransferDelayed, *, now: datetime
) -> Payout:
    """The provider sent nothing. The amount returns, or the next attempt is another one to it, not a repetition."""
    if isinstance(refusal, transfers.TransferFailed):
        return return_amount(payout.pk, refusal.failure, detail=refusal.detail, attempted_at=now, now=now)
    detail = refusal.detail
    logger.warning("Payout %s waits, the provider refused it: %s", payout.uid, detail)
    waiting = Payout.objects.filter(pk=payout.pk, state=State.PROCESSING, refusals=payout.refusals)
    waiting.update(refusals=payout.refusals + 1, failure_detail=detail[:DETAIL_LENGTH])
    return Payout.objects.get(pk=payout.pk)


@transaction.atomic
def _start(payout_id: int, *, now: datetime) -> tuple[Payout | None, bool]:
    """Take the amount from the balance. Returns the payout, and whether this caller is to send it."""
    payout = Payout.objects.select_for_update().filter(pk=payout_id).first()
    if payout is None or payout.state not in OPEN_STATES:
        return payout, False
    if payout.state == State.SCHEDULED:
        lock_accounts([account_of(payout.instructor_id)])  # a refund posted meanwhile is not paid out
        # Locked: what the instructor saves meanwhile counts from the next payout on.
        account = _accounts().select_for_update(of=("self",)).filter(user=payout.instructor_id).first()
        left = queries.payable(payout.sales_until, instructor_id=payout.instructor_id)
        amount = min(payout.amount, left.get((payout.instructor_id, payout.currency), 0))
        if account is None or amount < queries.minimum(payout.currency):
            payout.delete()  # something was refunded since it was scheduled
            return None, False
        for name, value in {**_route(account), "amount": amount, "state": State.PROCESSING, "started_at": now}.items():
            setattr(payout, name, value)
        post_payout_started(payout.key, payout.instructor_id, amount, payout.currency, occurred_at=now)
    elif payout.attempted_at and payout.attempted_at > now - ATTEMPT_TIMEOUT:
        return payout, False
    payout.attempted_at = now
    payout.save()
    return payout, True


def run(day: date, *, now: datetime, extend_lease: Callable[[], None] = lambda: None) -> tuple[PayoutRun, int]:
    """Schedule the payouts of a day and send what is open, also of earlier runs.

    Returns the run, and how many payouts to connected accounts are not known to be sent: the provider did not answer,
    or cannot send them at the moment.
    """
    this_run = schedule(day, now=now)
    unknown = 0
    waiting = {"state": State.PROCESSING, "method": PayoutAccount.Method.CONNECTED, "attempted_at": now}
    for pk in Payout.objects.filter(state__in=OPEN_STATES).order_by("pk").values_list("pk", flat=True):
        extend_lease()
        try:
            payout = send(pk, now=now)
            unknown += payout is not None and Payout.objects.filter(pk=payout.pk, **waiting).exists()
        except Exception:
            logger.exception("Payout %s: nobody knows whether it was sent; the next attempt finds out", pk)
            unknown += 1
    return this_run, unknown


def plan_next_run(*, now: datetime) -> None:
    """Enqueue the next monthly run; it is enqueued once."""
    day = queries.next_payout_day(now.date())
    jobs.enqueue("billing.run_payouts", key=day.isoformat(), delay=queries.run_time(day) - now, day=day.isoformat())


def _accounts() -> QuerySet[PayoutAccount]:
    """Where payouts can go: not to users who are blocked."""
    return PayoutAccount.objects.filter(user__is_active=True)


def _route(account: PayoutAccount) -> dict[str, str]:
    """What a payout keeps of the account to which it goes."""
    return {
        "method": account.method,
        "destination": account.gateway_id,
        "last4": account.last4,
        "holder": account.holder,
        "encrypted_number": account.encrypted_number,
        "bank_code": account.bank_code,
    }
