"""Payouts: a monthly run schedules what instructors are owed, and sends each amount once.

A payout is *scheduled* (only its row exists), *processing* (the ledger has taken it from the balance; it may have been
sent), then *sent* or *failed*. What failed belongs to the balance again and is part of the next run. A crash after
"processing" is harmless: the next attempt asks the provider with the same key. Bank transfers are made outside: they
stay in processing until an admin marks them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts import services as people
from apps.billing import transfers
from apps.billing.models import OPEN_STATES, Payout, PayoutAccount, PayoutRun
from apps.billing.queries import payouts as queries
from apps.billing.services.ledger import (
    account_of,
    lock_accounts,
    post_payout_failed,
    post_payout_sent,
    post_payout_started,
)
from apps.billing.services.ledger.posting import BANK, PROVIDER
from studyplatform.kit import jobs
from studyplatform.kit.text.money import money

logger = logging.getLogger(__name__)
EARNINGS_PAGE = "/dashboard/instructor/earnings/"
ATTEMPT = timedelta(minutes=10)  # after which an attempt that did not report counts as lost
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
    open_ = set(
        Payout.objects.filter(instructor__in=instructors, state__in=OPEN_STATES).values_list(
            "instructor_id", "currency"
        )
    )

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
        sent = sender.find(payout.key) or sender.send(
            payout.key, amount=payout.amount, currency=payout.currency, destination=payout.destination
        )
    except transfers.TransferFailed as error:
        return fail(payout.pk, error.failure, detail=error.detail, now=now)
    return mark_sent(payout.pk, gateway_id=sent.gateway_id, now=now)


@transaction.atomic
def _start(payout_id: int, *, now: datetime) -> tuple[Payout | None, bool]:
    """Take the amount from the balance. Returns the payout, and whether this caller is to send it."""
    payout = Payout.objects.select_for_update().filter(pk=payout_id).first()
    if payout is None or payout.state not in OPEN_STATES:
        return payout, False
    if payout.state == State.SCHEDULED:
        lock_accounts([account_of(payout.instructor_id)])  # a refund posted meanwhile is not paid out
        account = _accounts().filter(user=payout.instructor_id).first()
        left = queries.payable(payout.sales_until, instructor_id=payout.instructor_id)
        amount = min(payout.amount, left.get((payout.instructor_id, payout.currency), 0))
        if account is None or amount < queries.minimum(payout.currency):
            payout.delete()  # something was refunded since it was scheduled
            return None, False
        for name, value in {**_route(account), "amount": amount, "state": State.PROCESSING, "started_at": now}.items():
            setattr(payout, name, value)
        post_payout_started(payout.key, payout.instructor_id, amount, payout.currency, occurred_at=now)
    elif payout.attempted_at and payout.attempted_at > now - ATTEMPT:
        return payout, False
    payout.attempted_at = now
    payout.save()
    return payout, True


@transaction.atomic
def mark_sent(payout_id: int, *, now: datetime, gateway_id: str = "") -> Payout:
    """The payout was sent: the provider made the transfer, or an admin says that the bank did."""
    payout = Payout.objects.select_for_update(of=("self",)).select_related("instructor").get(pk=payout_id)
    if payout.state != State.PROCESSING:
        return payout
    payout.state, payout.settled_at, payout.gateway_id = State.SENT, now, gateway_id
    payout.save(update_fields=["state", "settled_at", "gateway_id"])
    source = BANK if payout.method == PayoutAccount.Method.BANK else PROVIDER
    post_payout_sent(payout.key, source=source, gateway_id=gateway_id, occurred_at=now)
    PayoutAccount.objects.filter(user=payout.instructor, last4=payout.last4, verified_at=None).update(verified_at=now)
    params = {"amount": money(payout.amount, payout.currency), "account": payout.last4}
    people.notify("billing.payout_sent", payout.instructor, EARNINGS_PAGE, payout.key, now=now, **params)
    return payout


@transaction.atomic
def fail(payout_id: int, failure: Payout.Failure, *, now: datetime, detail: str = "") -> Payout:
    """The payout did not arrive, perhaps after it was sent: the amount is in the balance again."""
    payout = Payout.objects.select_for_update(of=("self",)).select_related("instructor").get(pk=payout_id)
    if payout.state not in (State.PROCESSING, State.SENT):
        return payout
    payout.state, payout.settled_at = State.FAILED, now
    payout.failure, payout.failure_detail = failure, detail[:300]
    payout.save(update_fields=["state", "settled_at", "failure", "failure_detail"])
    post_payout_failed(payout.key, occurred_at=now)
    params = {
        "amount": money(payout.amount, payout.currency),
        "reason": str(Payout.Failure(failure).label),
        "what_to_do": str(queries.WHAT_TO_DO[failure]),
    }
    people.notify("billing.payout_failed", payout.instructor, EARNINGS_PAGE, payout.key, now=now, **params)
    return payout


def run(day: date, *, now: datetime, extend_lease: Callable[[], None] = lambda: None) -> tuple[PayoutRun, int]:
    """Schedule the payouts of a day and send what is open, also of earlier runs.

    Returns the run, and how many payouts nobody knows to be sent: an attempt failed without an answer.
    """
    this_run = schedule(day, now=now)
    unknown = 0
    for pk in Payout.objects.filter(state__in=OPEN_STATES).order_by("pk").values_list("pk", flat=True):
        extend_lease()
        try:
            send(pk, now=now)
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
    return {"method": account.method, "destination": account.gateway_id, "last4": account.last4}
