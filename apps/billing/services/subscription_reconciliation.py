"""Compare subscriptions and their payments with the provider, for ``manage.py reconcile_billing``."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from apps.billing import gateway
from apps.billing.models import Payment, Subscription
from apps.billing.plans import plan_of
from apps.billing.services import premium, premium_care, subscriptions
from apps.billing.services.differences import Difference, examine

Status = Subscription.Status


def differences(*, since: datetime, now: datetime) -> Iterator[Difference]:
    """Yield what differs about all subscriptions, and about their payments since then.

    One call to the provider per hundred subscriptions or invoices.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    rows = {row.gateway_id: row for row in Subscription.objects.exclude(gateway_id=None)}
    differing: set[str | None] = set()
    seen: set[str | None] = set()
    for listed in gateway.all_subscriptions():
        seen.add(listed.id)
        for found in examine("subscription", listed.id, partial(_of_listed, rows.get(listed.id), listed, now=now)):
            differing.add(listed.id)
            yield found
    for row in rows.values():
        if row.gateway_id not in seen and row.status != Status.ENDED:
            yield Difference("subscription", _name(row), "the provider doesn't know it")
    paid = list(gateway.paid_invoices_since(since))
    known = set(Payment.objects.filter(invoice_id__in=[each.id for each in paid]).values_list("invoice_id", flat=True))
    for listed_invoice in paid:
        if listed_invoice.id in known:
            continue
        work = partial(_of_missing, listed_invoice, rows, differing, now=now)
        yield from examine("invoice", listed_invoice.id, work)


def _of_missing(
    listed: gateway.Listed[gateway.InvoiceState],
    rows: dict[str | None, Subscription],
    differing: set[str | None],
    *,
    now: datetime,
) -> Iterator[Difference]:
    invoice = listed.read()
    is_missing = invoice.intent is not None and invoice.amount_paid > 0
    # One that differs is repaired together with its payments.
    if is_missing and invoice.subscription in rows and invoice.subscription not in differing:
        differing.add(invoice.subscription)
        repair = _syncing(rows[invoice.subscription], now=now)
        yield Difference("subscription", invoice.subscription, "a payment is missing", repair)


def _of_listed(
    row: Subscription | None, listed: gateway.Listed[gateway.SubscriptionState], *, now: datetime
) -> Iterator[Difference]:
    state = listed.read()
    found = _of_known(row, state, now=now) if row is not None else _of_unknown(state, now=now)
    if found is not None:
        yield found


def unfinished(*, now: datetime) -> Iterator[Difference]:
    """Yield subscriptions that should have been begun or given up by their jobs."""
    late = Subscription.objects.filter(
        status=Status.INCOMPLETE, created_at__lt=now - premium_care.GIVE_UP_AFTER - timedelta(minutes=10)
    )
    for row in late:
        repair = lambda row=row: premium_care.follow_subscription(subscription_id=row.pk, now=now)  # noqa: E731
        yield Difference("subscription", _name(row), "was not begun in time", repair)


def _of_known(row: Subscription, state: gateway.SubscriptionState, *, now: datetime) -> Difference | None:
    there = premium.MEANING[state.status]
    repair = _syncing(row, now=now)
    if row.status == Status.ENDED:
        # An ended one is never written again; the provider must not charge it.
        if there == Status.ENDED and state.due_since is None:
            return None
        return Difference("subscription", _name(row), f"has ended here, {state.status} at the provider", repair)
    if row.status != there:
        told = f"is {row.get_status_display().lower()} here, {state.status} at the provider"
        return Difference("subscription", _name(row), told, repair)
    pairs = {
        "plan": (row.plan, plan_of(state.interval)),
        "price": (row.price, state.amount),
        "currency": (row.currency, state.currency),
        "trial": (row.trial_end, state.trial_end),
        "period": (row.period_end, state.period_end),
        "cancellation": (row.cancels_at_period_end, state.cancels_at_period_end),
    }
    wrong = [f"{name}: {here} here, {there} at the provider" for name, (here, there) in pairs.items() if here != there]
    return Difference("subscription", _name(row), "; ".join(wrong), repair) if wrong else None


def _of_unknown(state: gateway.SubscriptionState, *, now: datetime) -> Difference | None:
    """One whose id was never stored, because the process died; others were not made by this site."""
    if not state.reference:
        return None

    def adopt() -> None:
        row = subscriptions.adopt(gateway_id=state.id, reference=state.reference)
        if row is not None:
            premium.sync_subscription(subscription=row, now=now)

    is_ours = subscriptions.is_ours(state.reference)
    if is_ours or premium.MEANING[state.status] != Status.ENDED:
        told = f"is unknown here, {state.status} at the provider"
        return Difference("subscription", state.id, told, adopt if is_ours else None)
    return None


def _syncing(row: Subscription, *, now: datetime) -> Callable[[], object]:
    return lambda: premium.sync_subscription(subscription=row, now=now)


def _name(row: Subscription) -> str:
    return row.gateway_id or str(row.uid)
