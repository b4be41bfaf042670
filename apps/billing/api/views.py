"""Buying, cards and refunds as calls. Each asks, calls one service or query, answers."""

from uuid import UUID

from django.utils import timezone
from django.utils.timezone import localtime
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.billing import policies, queries, services
from apps.billing.api.serializers import (
    CardBegun,
    CardDone,
    CardIn,
    CardOut,
    OrderIn,
    OrderOut,
    OrderPaymentIn,
    QuoteIn,
    QuoteOut,
    VatIdIn,
    VatIdOut,
    buyer_details,
    card_out,
    order_out,
    quote_out,
    quoted_buyer,
)
from apps.billing.browser import country_evidence
from apps.billing.buyer_form import explain_vat_id
from apps.billing.models import Order
from apps.billing.services import buyers, checkout, customers, promo, transfer_cards
from apps.billing.services.gifts import GiftTerms
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated


class VatNumbers(APIView):
    """What the form of buyer details says about a VAT number. Nothing is stored, and no registry is asked."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_check_vat_number", request=VatIdIn, responses={200: VatIdOut})
    def post(self, request: Request) -> Response:
        sent = validated(VatIdIn, request)
        found = explain_vat_id(sent["vat_id"], sent["country"])
        return Response({"passes": found.is_valid, "message": found.message})


class Quotes(APIView):
    """What a course or a bundle costs the user."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_quote", request=QuoteIn, responses={200: QuoteOut})
    def post(self, request: Request) -> Response:
        sent = validated(QuoteIn, request)
        user, now = signed_in_user(request), timezone.now()
        purchase = queries.purchase_named(user, course=sent["course"], bundle=sent["bundle"], is_gift=sent["is_gift"])
        enforce(policies.buy_purchase(user, purchase))
        name = sent["code"].strip()
        code = promo.find_code(text=name, user=user, purchase=purchase, now=now) if name else None
        on = localtime(now).date()
        price = services.price_for(purchase=purchase, code=code, on=on, **quoted_buyer(user, sent))
        label = queries.code_label(code, discount=price.discount) if code else ""
        return Response(quote_out(price, code=code.code if code else "", label=label))


class Orders(APIView):
    """Begin to buy a course or a bundle."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_order", request=OrderIn, responses={201: OrderOut})
    def post(self, request: Request) -> Response:
        sent = validated(OrderIn, request)
        user, now, details = signed_in_user(request), timezone.now(), buyer_details(sent)
        begun = checkout.begin_order(
            user=user,
            purchase=queries.purchase_named(
                user, course=sent["course"], bundle=sent["bundle"], is_gift=sent["is_gift"]
            ),
            code=sent["code"],
            country=sent["country"],
            email=sent["email"],
            expected_total=sent["total"],
            expected_currency=sent["currency"],
            card=str(sent["card"] or ""),
            saves_card=sent["saves_card"],
            agrees=sent["agrees"],
            buyer=buyers.buyer_for(user=user, details=details, now=now),
            evidence=country_evidence(request),
            gift=GiftTerms(**sent["gift"]) if sent["gift"] else None,
            method=Order.Method(sent["method"]),
            now=now,
        )
        return Response(order_out(begun), status.HTTP_201_CREATED)


class OrderPayment(APIView):
    """Begin to pay an order by card that exists: seats of a team, or an invoice that isn't paid yet."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_order_pay", request=OrderPaymentIn, responses={200: OrderOut})
    def post(self, request: Request, uid: UUID) -> Response:
        sent, user = validated(OrderPaymentIn, request), signed_in_user(request)
        order, card = queries.order_of(user, uid), str(sent["card"] or "")
        by_transfer = order.method == Order.Method.TRANSFER
        pay = transfer_cards.pay_by_card if by_transfer else checkout.pay_seats
        begun = pay(user=user, order=order, card=card, now=timezone.now())
        return Response(order_out(begun))


class OrderSync(APIView):
    """Ask the payment provider what became of an order. The browser calls it after it confirmed the payment."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_order_sync", request=None, responses={200: OrderOut})
    def post(self, request: Request, uid: UUID) -> Response:
        order = queries.order_of(signed_in_user(request), uid)
        return Response(order_out(checkout.Begun(order=checkout.sync_order(order=order, now=timezone.now()))))


class Cards(APIView):
    """The user's saved cards."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_cards", responses={200: CardOut(many=True)})
    def get(self, request: Request) -> Response:
        return Response([card_out(each) for each in queries.cards_of(signed_in_user(request))])

    @extend_schema(operation_id="billing_card_begin", request=CardIn, responses={201: CardBegun})
    def post(self, request: Request) -> Response:
        """Begin to save a card. The browser sends its number to the provider, never here."""
        sent = validated(CardIn, request)
        intent = customers.begin_card(user=signed_in_user(request), key=str(sent["key"]), now=timezone.now())
        return Response({"intent": intent.id, "client_secret": intent.client_secret}, status.HTTP_201_CREATED)


class CardsDone(APIView):
    """Store a card that the browser has confirmed."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_card_done", request=CardDone, responses={200: CardOut})
    def post(self, request: Request) -> Response:
        sent = validated(CardDone, request)
        card = customers.finish_card(user=signed_in_user(request), intent=sent["intent"], now=timezone.now())
        return Response(card_out(card))


class CardDetail(APIView):
    """One saved card."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_card_default", request=None, responses={200: CardOut})
    def put(self, request: Request, uid: UUID) -> Response:
        """Make this card the one that Premium is charged to."""
        user = signed_in_user(request)
        card = queries.card_of(user, uid)
        customers.make_default(user=user, card=card)
        return Response(card_out(queries.card_of(user, uid)))

    @extend_schema(operation_id="billing_card_remove", responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        user = signed_in_user(request)
        customers.remove_card(user=user, card=queries.card_of(user, uid), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
