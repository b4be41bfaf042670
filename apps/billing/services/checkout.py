"""Buy a course or a bundle: quote its price, begin the payment, and do what the payment's present state demands.

The provider is the only one who knows whether a payment succeeded. :func:`sync_order` asks it and acts; the browser
after its confirmation, webhooks, the job that follows each order and ``manage.py reconcile_billing`` all call it, in
any order and any number of times.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.bank_account import offers_transfer
from apps.billing.errors import OrderSettled, PriceChanged, TermsNotAccepted, TransferExpected, TransferNotOffered
from apps.billing.models import Card, Order, OrderLine
from apps.billing.purchases import Purchase, lines_of
from apps.billing.services import customers, gifts, promo
from apps.billing.services.gifts import GiftTerms
from apps.billing.services.order_intents import intent_of, note_card_state
from apps.billing.services.order_states import fresh_order, locked_order, mark_canceled, mark_paid
from apps.billing.services.transfer_orders import due_time, place_transfer_order
from apps.billing.services.wanted_orders import WantedOrder, price_for
from apps.billing.tax import check_country, postal_code_in
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

FOLLOW_AFTER = timedelta(minutes=2)
GIVE_UP_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class Begun:
    """An order and what the browser needs to confirm its payment; no secret if it is settled."""

    order: Order
    client_secret: str = ""
    card: Card | None = None


def begin_order(
    *,
    user: User,
    purchase: Purchase,
    code: str,
    country: str,
    email: str,
    expected_total: int,
    expected_currency: str,
    card: str,
    saves_card: bool,
    agrees: bool,
    buyer: Mapping[str, Any] | None = None,
    evidence: Mapping[str, str] | None = None,
    gift: GiftTerms | None = None,
    method: Order.Method = Order.Method.CARD,
    now: datetime,
) -> Begun:
    """Make the order and begin its payment, or return the live order of the user if it is the same.

    ``expected_total``: what the user was shown, in minor units. The server computes the price; another total is
    refused, so nobody pays what they didn't see. ``card``: the uid of a saved card, or "". ``buyer``: a snapshot of
    `BuyerDetails`; ``evidence``: what else says in which country the buyer is.

    ``gift``: to whom it goes, if the purchase is a gift. A user may buy several at the same time. ``method``: how it is
    to be paid; an order by bank transfer is placed at once, and waits.

    :raises CountryMissing: it decides about the tax in the price, and the user named none.
    :raises GiftRefused: the day isn't one on which the gift can be sent.
    :raises TransferNotOffered: the site has no bank account to transfer to.
    :raises TransferExpected: the user has ordered the same by bank transfer.
    :raises PriceChanged: the total is not what the user was shown.
    :raises PromoCodeRefused: the code can't be used.
    :raises AlreadyOwned: the course is open to the user, or was just paid.
    :raises BundleOwned: every course of the bundle is open to the user, or it was just paid.
    :raises BundleNotForSale: the bundle was withdrawn, or one of its courses can't be bought.
    """
    enforce(policies.buy_purchase(user, purchase))
    if not agrees:
        raise TermsNotAccepted
    if gift is not None:
        gifts.check_terms(gift, user=user, now=now)
    if purchase.is_gift is not (gift is not None):
        raise ValueError("a purchase that is a gift needs its terms, and no other does")
    if method == Order.Method.TRANSFER and not offers_transfer():
        raise TransferNotOffered
    consume("checkout", str(user.pk), now=now)
    saved = customers.usable_card(user=user, uid=card, now=now) if card else None
    wanted = WantedOrder(
        user=user,
        purchase=purchase,
        code=code.strip().upper(),
        country=country,
        expected=(expected_total, expected_currency),
        buyer=dict(buyer or {}),
        evidence=dict(evidence or {}),
        gift=gift,
        method=method,
    )
    order = _live_order(wanted, now=now) or _make_order(wanted, email=email, now=now)
    if order.status == Order.Status.PROCESSING:
        return Begun(order=order)
    if order.total == 0:
        return Begun(order=sync_order(order=order, now=now))
    if order.method == Order.Method.TRANSFER:
        return Begun(order=order)
    intent = intent_of(order, saves_card=saves_card)
    if intent.saves_card is not saves_card:
        # The user has changed their mind about saving the card, which an intent can't.
        order = cancel_order(order=order, now=now)
        if order.status == Order.Status.PAID:
            raise wanted.owned()
        if order.status == Order.Status.PROCESSING:
            return Begun(order=order)
        order = _make_order(wanted, email=email, now=now)
        intent = intent_of(order, saves_card=saves_card)
    return Begun(order=order, client_secret=intent.client_secret, card=saved)


def _live_order(wanted: WantedOrder, *, now: datetime) -> Order | None:
    """The live order of the user for this course or bundle, if it is the wanted one; another one is canceled."""
    same = {"course": wanted.purchase.course, "bundle": wanted.purchase.bundle}
    orders = Order.objects.live().of(wanted.user.pk).filter(**same).select_related("promo_code")
    if wanted.gift is not None:
        # Other gifts of the same are other purchases: only the very same one is continued.
        mine = orders.filter(is_gift=True, gift__in=gifts.gifts_like(wanted.gift, user=wanted.user))
        live = next((order for order in mine if wanted.is_met_by(order)), None)
    else:
        live = orders.filter(is_gift=False, is_for_team=False).first()
    if live is None:
        return None
    live = sync_order(order=live, now=now)
    if live.method == Order.Method.TRANSFER and live.status == Order.Status.OPEN:
        if wanted.method == Order.Method.TRANSFER and wanted.is_met_by(live):
            return live
        raise TransferExpected(order=str(live.uid))  # the money may be on its way: nothing cancels it unasked
    if live.status == Order.Status.OPEN and not wanted.is_met_by(live):
        live = cancel_order(order=live, now=now)
    if live.status == Order.Status.PAID:
        raise wanted.owned()
    return None if live.status == Order.Status.CANCELED else live


def _make_order(wanted: WantedOrder, *, email: str, now: datetime) -> Order:
    user, purchase = wanted.user, wanted.purchase
    code = promo.find_code(text=wanted.code, user=user, purchase=purchase, now=now) if wanted.code else None
    price = price_for(
        purchase=purchase,
        code=code,
        country=wanted.country,
        vat_id=wanted.buyer.get("vat_id", ""),
        postal_code=postal_code_in(wanted.buyer, wanted.country),
        on=localtime(now).date(),
    )
    if (price.total, price.currency) != wanted.expected:
        raise PriceChanged
    if price.total:
        check_country(wanted.country)
    try:
        with transaction.atomic():
            order = Order.objects.create(
                user=user,
                course=purchase.course,
                bundle=purchase.bundle,
                is_gift=purchase.is_gift,
                title=purchase.title,
                list_price=price.list_price,
                discount=price.discount,
                total=price.total,
                tax=price.tax,
                tax_rate=price.tax_rate,
                tax_treatment=price.treatment,
                buyer=wanted.buyer,
                evidence=wanted.evidence,
                currency=price.currency,
                country=wanted.country,
                email=email or user.email,
                promo_code=code,
                redemption=promo.reserve(code=code, user=user, now=now) if code else None,
                created_at=now,
            )
            lines = lines_of(purchase, price)
            for line in lines:
                line.order = order
            OrderLine.objects.bulk_create(lines)
            if wanted.gift is not None:
                gifts.create_gift(order=order, terms=wanted.gift, now=now)
            if wanted.method == Order.Method.TRANSFER and order.total:
                return place_transfer_order(order=order, due_at=due_time(now), now=now)
            jobs.enqueue("billing.follow_order", key=str(order.pk), delay=FOLLOW_AFTER, order_id=order.pk)
    except IntegrityError:
        # Another request of the user made an order at the same moment: one of them is enough.
        made = _live_order(wanted, now=now)
        if made is None:
            raise PriceChanged from None
        return made
    return order


def sync_order(*, order: Order, now: datetime) -> Order:
    """Ask the provider for the state of the order's payment and act on it. Idempotent.

    A payment that failed is canceled: the code goes back, and another attempt makes another order.

    :raises PaymentProcessingError: the provider can't be reached; nothing has changed.
    """
    order = fresh_order(order)
    if order.status not in Order.LIVE:
        return order
    if order.total == 0:
        return _settle(order, None, now=now)
    if order.intent_id is None:
        return order
    intent = gateway.get_payment_intent(order.intent_id)
    if order.method == Order.Method.TRANSFER and intent.status != "succeeded":
        return note_card_state(order, intent)  # the transfer is still expected
    if intent.status == "requires_payment_method" and intent.failure is not None and not order.is_for_team:
        failure = intent.failure
        intent = gateway.cancel_payment_intent(intent.id)
        if intent.status == "canceled":
            return _settle(order, intent, failure=failure, now=now)
    return _settle(order, intent, now=now)


def cancel_order(*, order: Order, now: datetime) -> Order:
    """Give a card payment up, unless it turns out to be paid. Idempotent.

    An order that is to be transferred stays: `cancel_transfer_order` gives it up.
    """
    order = fresh_order(order)
    if order.status not in Order.LIVE or order.method == Order.Method.TRANSFER:
        return order
    if order.total == 0:
        return _settle(order, None, now=now)
    # An intent whose id was not stored (the process died) is found by its key.
    return _settle(order, gateway.cancel_payment_intent(intent_of(order).id), now=now)


def follow_order(*, order_id: int, now: datetime) -> bool:
    """Settle an order whose browser went away. Returns whether it is settled; one that isn't is given up in time."""
    order = Order.objects.get(pk=order_id)
    if order.method == Order.Method.TRANSFER:  # it has weeks: only a card payment of it is followed
        return sync_order(order=order, now=now).status != Order.Status.PROCESSING
    if order.status in Order.LIVE and now - order.created_at > GIVE_UP_AFTER:
        return cancel_order(order=order, now=now).status not in Order.LIVE
    return sync_order(order=order, now=now).status not in Order.LIVE


def _settle(
    order: Order, intent: gateway.IntentState | None, *, failure: gateway.Failure | None = None, now: datetime
) -> Order:
    """Write what the state of the payment means. One transaction: paid, in the books, and open to the learner."""
    with transaction.atomic():
        order = locked_order(order)
        if order.status not in Order.LIVE:
            return order
        if intent is None or intent.status == "succeeded":
            mark_paid(order, intent=intent, now=now)
        elif intent.status == "canceled":
            mark_canceled(order, failure=failure, now=now)
        elif intent.status == "processing" and order.status != Order.Status.PROCESSING:
            order.status = Order.Status.PROCESSING
            order.save(update_fields=["status"])
        elif order.status == Order.Status.PROCESSING and order.is_for_team and intent.status != "processing":
            order.status = Order.Status.OPEN  # another card can pay it
            order.save(update_fields=["status"])
    return order


def pay_seats(*, user: User, order: Order, card: str, now: datetime) -> Begun:
    """Begin to pay an order of seats by card, or continue. A declined card leaves it open for another one.

    ``card``: the uid of a saved card, or "".

    :raises OrderSettled: it was canceled in the meantime.
    """
    enforce(policies.see_order(user, order))
    consume("checkout", str(user.pk), now=now)
    saved = customers.usable_card(user=user, uid=card, now=now) if card else None
    order = sync_order(order=order, now=now)
    if order.status in {Order.Status.PAID, Order.Status.PROCESSING}:
        return Begun(order=order)
    if order.status != Order.Status.OPEN or not order.is_for_team:
        raise OrderSettled
    return Begun(order=order, client_secret=intent_of(order).client_secret, card=saved)
