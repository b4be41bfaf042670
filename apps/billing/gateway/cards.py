"""Saved cards and the intents that save them (https://docs.stripe.com/api/setup_intents)."""

import stripe

from apps.billing.gateway.client import client, translates_errors
from apps.billing.gateway.objects import CardState, Failure, IntentState


@translates_errors
def create_setup_intent(*, customer: str, key: str) -> IntentState:
    """Begin to save a card for later payments that its owner doesn't confirm."""
    made = client().v1.setup_intents.create(
        {"customer": customer, "usage": "off_session", "payment_method_types": ["card"]}, {"idempotency_key": key}
    )
    return _setup_intent(made)


@translates_errors
def get_setup_intent(intent: str) -> IntentState:
    """Return the present state of a setup intent."""
    return _setup_intent(client().v1.setup_intents.retrieve(intent))


@translates_errors
def get_card(card: str) -> CardState:
    """Return a card."""
    return card_state(client().v1.payment_methods.retrieve(card))


@translates_errors
def attached_cards(customer: str) -> list[CardState]:
    """Return all saved cards of a customer."""
    found = client().v1.customers.payment_methods.list(customer, {"type": "card", "limit": 100})
    return [card_state(each) for each in found.auto_paging_iter()]


@translates_errors
def remove_card(card: str) -> None:
    """Detach a card from its customer. Idempotent."""
    try:
        client().v1.payment_methods.detach(card)
    except stripe.InvalidRequestError:
        if get_card(card).customer is not None:  # else it was detached before
            raise


def card_state(method: stripe.PaymentMethod) -> CardState:
    """Translate the provider's object."""
    card = method.card
    if card is None:
        raise ValueError(f"{method.id} is no card")
    return CardState(
        id=method.id,
        customer=id_of(method.customer),
        brand=card.brand,
        last4=card.last4 or "",
        exp_month=card.exp_month,
        exp_year=card.exp_year,
    )


def id_of(reference: object) -> str | None:
    """The id of an object that the provider names, or includes when it was asked to expand it."""
    if reference is None or isinstance(reference, str):
        return reference
    return str(reference.id)  # type: ignore[attr-defined]


def _setup_intent(intent: stripe.SetupIntent) -> IntentState:
    error = intent.last_setup_error
    return IntentState(
        id=intent.id,
        status=intent.status,
        client_secret=intent.client_secret or "",
        customer=id_of(intent.customer),
        payment_method=id_of(intent.payment_method),
        failure=Failure(kind=error.type, message=error.message or "") if error else None,
    )
