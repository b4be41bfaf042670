"""Payments, refunds and disputes (https://docs.stripe.com/api/payment_intents)."""

import contextlib
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import stripe

from apps.billing.gateway.cards import id_of
from apps.billing.gateway.client import client, iterate_translated, moment, translates_errors
from apps.billing.gateway.objects import ChargeState, DisputeState, Failure, IntentState, Listed, RefundState
from apps.billing.gateway.settlement import fee_of, movements_of_dispute
from apps.billing.provider_amounts import from_provider, to_provider

if TYPE_CHECKING:
    from stripe.params import PaymentIntentCreateParams, PaymentIntentListParams, RefundListParams

_WITH_CHARGE = ["latest_charge.balance_transaction"]


@translates_errors
def create_payment_intent(
    *, customer: str, amount: int, currency: str, description: str, order: str, saves_card: bool, key: str
) -> IntentState:
    """Begin a payment that the customer confirms in the browser. ``saves_card``: for later payments."""
    params: PaymentIntentCreateParams = {
        "customer": customer,
        "amount": to_provider(amount, currency),
        "currency": currency,
        "description": description,
        "metadata": {"order": order},
        "payment_method_types": ["card"],
    }
    if saves_card:
        params["setup_future_usage"] = "off_session"
    try:
        return _intent(client().v1.payment_intents.create(params, {"idempotency_key": key}))
    except stripe.IdempotencyError:
        # An earlier request, whose answer was lost, began it with another choice, or the course had another title.
        found = client().v1.payment_intents.list({"customer": customer, "limit": 100}).auto_paging_iter()
        mine = next((each for each in found if each.metadata.to_dict().get("order") == order), None)
        if mine is None:
            raise
        return _intent(mine)


@translates_errors
def get_payment_intent(intent: str) -> IntentState:
    """Return the present state of a payment."""
    return _intent(client().v1.payment_intents.retrieve(intent, {"expand": _WITH_CHARGE}))


@translates_errors
def cancel_payment_intent(intent: str) -> IntentState:
    """Cancel a payment if that is still possible, and return its state."""
    # Refused if it has succeeded, is being processed or was canceled before: its state says so.
    with contextlib.suppress(stripe.InvalidRequestError):
        client().v1.payment_intents.cancel(intent)
    return get_payment_intent(intent)


@translates_errors
def create_refund(*, intent: str, amount: int, key: str, refund: str) -> str:
    """Return money to the card; ``amount`` as the provider counts it, ``refund`` our own id of it.

    Returns why the provider refuses; "" if it doesn't.
    """
    try:
        client().v1.refunds.create(
            {"payment_intent": intent, "amount": amount, "metadata": {"refund": refund}},
            {"idempotency_key": key},
        )
    except stripe.InvalidRequestError as error:
        return str(error.user_message or error)
    return ""


@translates_errors
def get_refund(refund: str) -> RefundState:
    """Return the present state of a refund."""
    return _refund(client().v1.refunds.retrieve(refund, {"expand": ["balance_transaction"]}))


@translates_errors
def refunds_of(intent: str) -> list[RefundState]:
    """Return all refunds of a payment, also those that an admin made at the provider."""
    expand = ["data.balance_transaction"]
    found = client().v1.refunds.list({"payment_intent": intent, "limit": 100, "expand": expand})
    return [_refund(each) for each in found.auto_paging_iter()]


@translates_errors
def refunds_since(moment: datetime) -> Iterator[Listed[RefundState]]:
    """Return the refunds that were made since then, of all payments."""
    params: RefundListParams = {
        "created": {"gte": int(moment.timestamp())},
        "limit": 100,
        "expand": ["data.balance_transaction"],
    }
    found = iterate_translated(client().v1.refunds.list(params).auto_paging_iter())
    return (Listed(each.id, partial(_refund, each)) for each in found)


@translates_errors
def disputes_of(intent: str) -> list[str]:
    """Return the ids of the disputes of a payment."""
    found = client().v1.disputes.list({"payment_intent": intent, "limit": 100})
    return [each.id for each in found.auto_paging_iter()]


@translates_errors
def get_dispute(dispute: str) -> DisputeState:
    """Return the present state of a dispute."""
    found = client().v1.disputes.retrieve(dispute, {"expand": ["balance_transactions"]})
    moved, fees = movements_of_dispute(found.balance_transactions, amount=found.amount, currency=found.currency)
    return DisputeState(
        id=found.id,
        intent=id_of(found.payment_intent) or "",
        amount=from_provider(found.amount, found.currency),
        currency=found.currency,
        withdrawn=-sum(amount for amount in moved if amount < 0),
        reinstated=sum(amount for amount in moved if amount > 0),
        fee=sum(fee for fee in fees if fee > 0),
        fee_returned=-sum(fee for fee in fees if fee < 0),
        reason=found.reason,
        status=found.status,
        created=moment(found.created),
        answer_by=moment(due) if (due := found.evidence_details.due_by) else None,
    )


def _intent(intent: stripe.PaymentIntent) -> IntentState:
    error = intent.last_payment_error
    charge = intent.latest_charge
    return IntentState(
        id=intent.id,
        status=intent.status,
        client_secret=intent.client_secret or "",
        customer=id_of(intent.customer),
        payment_method=id_of(intent.payment_method),
        amount=from_provider(intent.amount, intent.currency),
        currency=intent.currency,
        charge=charge_state(charge) if isinstance(charge, stripe.Charge) and charge.paid else None,
        failure=Failure(kind=error.type, message=error.message or "") if error else None,
        saves_card=intent.setup_future_usage is not None,
    )


def charge_state(charge: stripe.Charge) -> ChargeState:
    """Translate the provider's object."""
    settled = charge.balance_transaction
    card = charge.payment_method_details.card if charge.payment_method_details else None
    return ChargeState(
        id=charge.id,
        amount=from_provider(charge.amount, charge.currency),
        amount_refunded=from_provider(charge.amount_refunded, charge.currency),
        currency=charge.currency,
        fee=fee_of(settled, amount=charge.amount, currency=charge.currency)
        if isinstance(settled, stripe.BalanceTransaction)
        else None,
        created=moment(charge.created),
        card_brand=(card.brand or "") if card else "",
        card_last4=(card.last4 or "") if card else "",
        card_country=(card.country or "") if card else "",
    )


def _refund(refund: stripe.Refund) -> RefundState:
    taken = refund.balance_transaction
    return RefundState(
        id=refund.id,
        intent=id_of(refund.payment_intent) or "",
        amount=from_provider(refund.amount, refund.currency),
        currency=refund.currency,
        status=refund.status or "",
        failure=refund.failure_reason or "",
        created=moment(refund.created),
        metadata=dict(refund.metadata.to_dict()) if refund.metadata else {},
        is_taken=taken is not None,
        fee=fee_of(taken, amount=refund.amount, currency=refund.currency)
        if isinstance(taken, stripe.BalanceTransaction)
        else 0,
    )


@translates_errors
def intents_since(moment: datetime) -> Iterator[Listed[tuple[str, IntentState]]]:
    """Return the payments that were begun since then, with our own id of the order of each ("" for others)."""
    params: PaymentIntentListParams = {
        "created": {"gte": int(moment.timestamp())},
        "limit": 100,
        "expand": ["data.latest_charge.balance_transaction"],
    }
    found = iterate_translated(client().v1.payment_intents.list(params).auto_paging_iter())
    return (Listed(each.id, partial(_with_order, each)) for each in found)


def _with_order(intent: stripe.PaymentIntent) -> tuple[str, IntentState]:
    return str(intent.metadata.to_dict().get("order", "")), _intent(intent)


@translates_errors
def disputes_since(moment: datetime) -> Iterator[str]:
    """Return the ids of the disputes that were opened since then."""
    found = client().v1.disputes.list({"created": {"gte": int(moment.timestamp())}, "limit": 100})
    return (each.id for each in iterate_translated(found.auto_paging_iter()))
