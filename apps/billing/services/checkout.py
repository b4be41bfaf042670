"""Buy a course: quote its price, begin the payment, and do what the payment's present state demands.

The provider is the only one who knows whether a payment succeeded. :func:`sync_order` asks it and acts; the browser
after its confirmation, webhooks, the job that follows each order and ``manage.py reconcile_billing`` all call it, in
any order and any number of times.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.errors import AlreadyOwned, PriceChanged, TermsNotAccepted
from apps.billing.events import OrderPaid
from apps.billing.gateway.errors import payment_message
from apps.billing.models import Card, Order, OrderLine, PromoCode
from apps.billing.prices import Quote, quote
from apps.billing.services import customers, promo
from apps.billing.services.payments import record_sale
from apps.billing.tax import decide_tax
from apps.courses.models import Course
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
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


def price_for(*, course: Course, code: PromoCode | None, country: str, vat_id: str = "", on: date) -> Quote:
    """Return what the course costs with the code on a day, for a buyer in a country, with a VAT number or ""."""
    return quote(
        list_price=course.price,
        discount=promo.discount_of(code, course.price),
        currency=course.currency,
        tax=decide_tax(country=country, vat_id=vat_id, on=on),
    )


def begin_order(
    *,
    user: User,
    course: Course,
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
    now: datetime,
) -> Begun:
    """Make the order and begin its payment, or return the live order of the user if it is the same.

    ``expected_total``: what the user was shown, in minor units. The server computes the price; another total is
    refused, so nobody pays what they didn't see. ``card``: the uid of a saved card, or "". ``buyer``: a snapshot of
    `BuyerDetails`; ``evidence``: what else says in which country the buyer is.

    :raises PriceChanged: the total is not what the user was shown.
    :raises PromoCodeRefused: the code can't be used.
    :raises AlreadyOwned: the course is open to the user, or was just paid.
    """
    enforce(policies.buy(user, course))
    if not agrees:
        raise TermsNotAccepted
    consume("checkout", str(user.pk), now=now)
    saved = customers.usable_card(user=user, uid=card, now=now) if card else None
    wanted = _Wanted(
        user=user,
        course=course,
        code=code.strip().upper(),
        country=country,
        expected=(expected_total, expected_currency),
        buyer=dict(buyer or {}),
        evidence=dict(evidence or {}),
    )
    order = _live_order(wanted, now=now) or _make_order(wanted, email=email, now=now)
    if order.status == Order.Status.PROCESSING:
        return Begun(order=order)
    if order.total == 0:
        return Begun(order=sync_order(order=order, now=now))
    intent = _intent_of(order, saves_card=saves_card)
    if intent.saves_card is not saves_card:
        # The user has changed their mind about saving the card, which an intent can't.
        order = cancel_order(order=order, now=now)
        if order.status == Order.Status.PAID:
            raise AlreadyOwned(course=course.title, slug=course.slug)
        if order.status == Order.Status.PROCESSING:
            return Begun(order=order)
        order = _make_order(wanted, email=email, now=now)
        intent = _intent_of(order, saves_card=saves_card)
    return Begun(order=order, client_secret=intent.client_secret, card=saved)


@dataclass(frozen=True)
class _Wanted:
    user: User
    course: Course
    code: str
    country: str
    expected: tuple[int, str]
    buyer: dict[str, Any]
    evidence: dict[str, str]

    def is_met_by(self, order: Order) -> bool:
        """Whether the order is for the same price, by the same code, and for the same buyer."""
        given = order.promo_code.code if order.promo_code else ""
        if (given, order.country, (order.total, order.currency)) != (self.code, self.country, self.expected):
            return False
        return without_time(order.buyer) == without_time(self.buyer)


def without_time(buyer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the buyer's details without the time of their check, to compare them."""
    return {name: value for name, value in buyer.items() if name != "vat_id_checked_at"}


def _live_order(wanted: _Wanted, *, now: datetime) -> Order | None:
    """The live order of the user for this course, if it is the wanted one; another one is canceled."""
    live = Order.objects.live().of(wanted.user.pk).filter(course=wanted.course).select_related("promo_code").first()
    if live is None:
        return None
    live = sync_order(order=live, now=now)
    if live.status == Order.Status.OPEN and not wanted.is_met_by(live):
        live = cancel_order(order=live, now=now)
    if live.status == Order.Status.PAID:
        raise AlreadyOwned(course=wanted.course.title, slug=wanted.course.slug)
    return None if live.status == Order.Status.CANCELED else live


def _make_order(wanted: _Wanted, *, email: str, now: datetime) -> Order:
    user, course = wanted.user, wanted.course
    code = promo.find_code(text=wanted.code, user=user, course=course, now=now) if wanted.code else None
    price = price_for(
        course=course,
        code=code,
        country=wanted.country,
        vat_id=wanted.buyer.get("vat_id", ""),
        on=localtime(now).date(),
    )
    if (price.total, price.currency) != wanted.expected:
        raise PriceChanged
    try:
        with transaction.atomic():
            order = Order.objects.create(
                user=user,
                course=course,
                title=course.title,
                list_price=price.list_price,
                discount=price.discount,
                total=price.total,
                tax=price.tax,
                tax_rate=price.tax_rate,
                tax_treatment=price.treatment,
                buyer=wanted.buyer,
                evidence=wanted.evidence,
                currency=price.currency,
                country=price.country,
                email=email or user.email,
                promo_code=code,
                redemption=promo.reserve(code=code, user=user, now=now) if code else None,
                created_at=now,
            )
            OrderLine.objects.create(
                order=order,
                position=0,
                course=course,
                title=course.title,
                instructor_id=course.instructor_id,
                share=settings.INSTRUCTOR_SHARE * 100,
                list_price=price.list_price,
                discount=price.discount,
                total=price.total,
                tax=price.tax,
            )
            jobs.enqueue("billing.follow_order", key=str(order.pk), delay=FOLLOW_AFTER, order_id=order.pk)
    except IntegrityError:
        # Another request of the user made an order at the same moment: one of them is enough.
        made = _live_order(wanted, now=now)
        if made is None:
            raise PriceChanged from None
        return made
    return order


def _intent_of(order: Order, *, saves_card: bool = False) -> gateway.IntentState:
    """The payment intent of an order. The provider makes one per order, however often it is asked."""
    if order.intent_id is not None:
        return gateway.get_payment_intent(order.intent_id)
    intent = gateway.create_payment_intent(
        customer=customers.ensure_customer(order.user).gateway_id,
        amount=order.total,
        currency=order.currency,
        description=order.title,
        order=str(order.uid),
        saves_card=saves_card,
        key=f"order {order.uid}",
    )
    Order.objects.filter(pk=order.pk, intent_id=None).update(intent_id=intent.id)
    order.intent_id = intent.id
    return intent


def sync_order(*, order: Order, now: datetime) -> Order:
    """Ask the provider for the state of the order's payment and act on it. Idempotent.

    A payment that failed is canceled: the code goes back, and another attempt makes another order.

    :raises PaymentProcessingError: the provider can't be reached; nothing has changed.
    """
    order = _fresh(order)
    if order.status not in Order.LIVE:
        return order
    if order.total == 0:
        return _settle(order, None, now=now)
    if order.intent_id is None:
        return order
    intent = gateway.get_payment_intent(order.intent_id)
    if intent.status == "requires_payment_method" and intent.failure is not None:
        failure = intent.failure
        intent = gateway.cancel_payment_intent(intent.id)
        if intent.status == "canceled":
            return _settle(order, intent, failure=failure, now=now)
    return _settle(order, intent, now=now)


def cancel_order(*, order: Order, now: datetime) -> Order:
    """Give an order up, unless it turns out to be paid. Idempotent."""
    order = _fresh(order)
    if order.status not in Order.LIVE:
        return order
    if order.total == 0:
        return _settle(order, None, now=now)
    # An intent whose id was not stored (the process died) is found by its key.
    return _settle(order, gateway.cancel_payment_intent(_intent_of(order).id), now=now)


def follow_order(*, order_id: int, now: datetime) -> bool:
    """Settle an order whose browser went away. Returns whether it is settled; one that isn't is given up in time."""
    order = Order.objects.get(pk=order_id)
    if order.status in Order.LIVE and now - order.created_at > GIVE_UP_AFTER:
        return cancel_order(order=order, now=now).status not in Order.LIVE
    return sync_order(order=order, now=now).status not in Order.LIVE


def _settle(
    order: Order, intent: gateway.IntentState | None, *, failure: gateway.Failure | None = None, now: datetime
) -> Order:
    """Write what the state of the payment means. One transaction: paid, in the books, and open to the learner."""
    with transaction.atomic():
        order = _locked(order)
        if order.status not in Order.LIVE:
            return order
        if intent is None or intent.status == "succeeded":
            order.status, order.settled_at = Order.Status.PAID, now
            order.save(update_fields=["status", "settled_at"])
            if order.redemption is not None:
                promo.keep(order.redemption, now=now)
            payment = record_sale(order=order, intent=intent, now=now)
            publish(OrderPaid(order_id=order.pk, payment_id=payment.pk, user_id=order.user_id))
        elif intent.status == "canceled":
            order.status, order.settled_at = Order.Status.CANCELED, now
            if failure is not None:
                order.failure_kind = failure.kind[:40]
                order.failure_message = payment_message(failure.kind, failure.message)[:300]
            order.save(update_fields=["status", "settled_at", "failure_kind", "failure_message"])
            if order.redemption is not None:
                promo.give_back(order.redemption, now=now)
        elif intent.status == "processing" and order.status != Order.Status.PROCESSING:
            order.status = Order.Status.PROCESSING
            order.save(update_fields=["status"])
    return order


def _fresh(order: Order) -> Order:
    related = ("user", "course", "promo_code", "redemption")
    return Order.objects.select_related(*related).get(pk=order.pk)


def _locked(order: Order) -> Order:
    related = ("user", "course", "promo_code", "redemption")
    return Order.objects.select_for_update(of=("self",)).select_related(*related).get(pk=order.pk)
