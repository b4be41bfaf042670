"""A user's customer at the provider, and their saved cards."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.billing import gateway, queries
from apps.billing.errors import CardExpired, CardInUse, PaymentRefused, TooManyCards
from apps.billing.models import BuyerDetails, Card, Customer, Order, Payment, Refund, Subscription
from apps.billing.services.bank_returns import NO_ACCOUNT
from apps.billing.services.gifts import forget_gifts
from studyplatform.kit import jobs
from studyplatform.kit.web.rate_limits import consume

MAX_CARDS = 10


def ensure_customer(user: User) -> Customer:
    """Return the user's customer; the first time it is created at the provider.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    found = Customer.objects.filter(user=user).first()
    if found is not None:
        return found
    made = gateway.create_customer(
        email=user.email, name=user.display_name, user=str(user.uid), key=f"customer {user.uid}"
    )
    # The provider makes one customer per key, so two requests at once store the same id.
    return Customer.objects.get_or_create(user=user, defaults={"gateway_id": made})[0]


def balance_of(user: User, currency: str) -> int:
    """Return what the next invoice adds (a debt) or deducts (credit, negative), as last reported. One query."""
    found = Customer.objects.filter(user=user, balance_currency=currency).values_list("balance", flat=True)
    return found.first() or 0


def sync_balance(*, customer: str) -> None:
    """Store the present balance of a customer. Idempotent; nothing happens if it is none of ours.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    if Customer.objects.filter(gateway_id=customer).exists():
        balance, currency = gateway.get_balance(customer)
        Customer.objects.filter(gateway_id=customer).update(balance=balance, balance_currency=currency)


def begin_card(*, user: User, key: str, now: datetime) -> gateway.IntentState:
    """Begin to save a card. The browser sends its number to the provider and confirms the intent.

    :raises TooManyCards: the user has saved as many as possible.
    """
    if Card.objects.usable().of(user.pk).count() >= MAX_CARDS:
        raise TooManyCards
    consume("card", str(user.pk), now=now)
    customer = ensure_customer(user)
    return gateway.create_setup_intent(customer=customer.gateway_id, key=f"card {user.uid} {key}")


def finish_card(*, user: User, intent: str, now: datetime) -> Card:
    """Store the card that a confirmed intent saved. Idempotent.

    :raises PaymentRefused: the intent belongs to someone else or isn't confirmed.
    """
    customer = ensure_customer(user)
    state = gateway.get_setup_intent(intent)
    if state.customer != customer.gateway_id or state.status != "succeeded" or state.payment_method is None:
        raise PaymentRefused(reason=state.failure.message if state.failure else "")
    return sync_card(card=state.payment_method, now=now) or _gone()


def sync_card(*, card: str, now: datetime) -> Card | None:
    """Store the present state of a card at the provider. Idempotent; None if it is no customer's card of ours."""
    state = gateway.get_card(card)
    customer = Customer.objects.filter(gateway_id=state.customer or "").first()
    if customer is None:  # it was removed there, or it never belonged to one of our customers
        _mark_removed(card, now=now)
        return None
    with transaction.atomic():
        Customer.objects.select_for_update().get(pk=customer.pk)  # one at a time, so there is one default
        fields = {
            "brand": state.brand,
            "last4": state.last4,
            "exp_month": state.exp_month,
            "exp_year": state.exp_year,
            "removed_at": None,
        }
        # A bank that renews a card sends a new expiry date: its owner is warned of that one too.
        Card.objects.filter(gateway_id=card).exclude(exp_month=state.exp_month, exp_year=state.exp_year).update(
            warned_at=None
        )
        row, is_new = Card.objects.update_or_create(
            gateway_id=card,
            defaults=fields,
            create_defaults={**fields, "user_id": customer.user_id, "created_at": now},
        )
        needs_default = not Card.objects.usable().of(customer.user_id).filter(is_default=True).exists()
        if needs_default:
            row.is_default = True
            row.save(update_fields=["is_default"])
    if needs_default and is_new:
        gateway.set_default_card(customer=customer.gateway_id, card=card)
    return row


def make_default(*, user: User, card: Card) -> None:
    """Use this card for Premium from now on.

    :raises CardExpired: the card was removed.
    """
    if card.removed_at is not None or card.user_id != user.pk:
        raise CardExpired
    customer = ensure_customer(user)
    gateway.set_default_card(customer=customer.gateway_id, card=card.gateway_id)
    with transaction.atomic():
        Customer.objects.select_for_update().get(pk=customer.pk)
        mine = Card.objects.usable().of(user.pk)
        mine.filter(is_default=True).exclude(pk=card.pk).update(is_default=False)
        mine.filter(pk=card.pk).update(is_default=True)


def remove_card(*, user: User, card: Card, now: datetime) -> None:
    """Remove a card, here and at the provider; another one becomes the default if it was. Idempotent.

    :raises CardInUse: the user's subscription could not be charged to another card.
    """
    if card.user_id != user.pk:
        raise CardExpired
    if card.is_default and card.removed_at is None:
        heir = queries.heir_of(queries.saved_cards(user, now=now))
        if heir is not None:
            make_default(user=user, card=heir.card)  # before the other one is gone, in case the provider fails now
        elif queries.renews(user):
            raise CardInUse
    gateway.remove_card(card.gateway_id)
    _mark_removed(card.gateway_id, now=now)


def usable_card(*, user: User, uid: str, now: datetime) -> Card:
    """Return one of the user's cards that can be charged.

    :raises CardExpired: it was removed, has expired or is not theirs.
    """
    not_expired = Q(exp_year__gt=now.year) | Q(exp_year=now.year, exp_month__gte=now.month)
    card = Card.objects.usable().of(user.pk).filter(not_expired, uid=uid).first()
    if card is None:
        raise CardExpired
    return card


def forget_user(*, user_id: int) -> None:
    """Delete the cards, buyer details and customer of a deleted account; the books keep payments, without the email.

    Its invoices and credit notes stay as they were issued. Idempotent. Jobs delete the customer at the provider, which
    also ends its subscription, and cancel what the user was about to buy.
    """
    with transaction.atomic():
        Card.objects.of(user_id).delete()
        for customer in Customer.objects.filter(user_id=user_id):
            jobs.enqueue("billing.delete_customer", key=customer.gateway_id, customer=customer.gateway_id)
            customer.delete()
        unfinished = Q(method=Order.Method.TRANSFER) | Q(intent_id__isnull=False)
        for order in Order.objects.live().of(user_id).filter(unfinished):
            jobs.enqueue("billing.abandon_order", key=str(order.pk), order_id=order.pk)
        BuyerDetails.objects.filter(user_id=user_id).delete()
        Order.objects.of(user_id).update(email="", buyer={}, evidence={})
        Subscription.objects.of(user_id).update(email="", buyer={}, evidence={})
        forget_gifts(user_id=user_id)
        Payment.objects.of(user_id).update(email="", buyer={})
        # A refund that is to be transferred keeps the account until it is.
        Refund.objects.filter(payment__user=user_id).exclude(status__in=Refund.OPEN).update(**NO_ACCOUNT)


def _mark_removed(card: str, *, now: datetime) -> None:
    Card.objects.usable().filter(gateway_id=card).update(removed_at=now, is_default=False)


def _gone() -> Card:
    raise CardExpired
