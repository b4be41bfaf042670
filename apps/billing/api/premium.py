"""Premium as calls: what it costs, subscribe, pay what is due, ask what became of it."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.billing import policies, queries
from apps.billing.api.serializers import BuyerIn, CountryField, amounts, buyer_details, quoted_buyer
from apps.billing.browser import country_evidence
from apps.billing.errors import NotSubscribed
from apps.billing.models import Subscription
from apps.billing.queries.next_charge import price_per_period
from apps.billing.queries.premium import overview_of
from apps.billing.services import buyers, premium, subscriptions
from apps.billing.services.premium_terms import Terms, terms_for
from apps.billing.services.subscriptions import Started
from apps.billing.tax import wording_of
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated


class TermsIn(serializers.Serializer[object]):
    plan = serializers.ChoiceField(choices=Subscription.Plan.choices)
    code = serializers.CharField(max_length=40, allow_blank=True, default="")
    country = CountryField()
    vat_id = serializers.CharField(max_length=60, allow_blank=True, default="", help_text="Of a company.")
    postal_code = serializers.CharField(
        max_length=20, allow_blank=True, allow_null=True, default=None, help_text="Of a company; null for a person."
    )


class TermsOut(serializers.Serializer[object]):
    plan = serializers.ChoiceField(choices=Subscription.Plan.choices)
    price = serializers.IntegerField(help_text="Of each period, in minor units.")
    total = serializers.IntegerField(help_text="What is charged for the first period that is paid.")
    discount = serializers.IntegerField(help_text="What the code takes off the first period that is paid.")
    balance = serializers.IntegerField(help_text="Negative: credit that is deducted. Positive: added from before.")
    tax = serializers.IntegerField(help_text="The tax in the total.")
    tax_note = serializers.CharField(help_text="Why there is none, such as reverse charge.", allow_blank=True)
    changes_later = serializers.BooleanField(help_text="Whether later periods cost another amount.")
    currency = serializers.CharField()
    trial_days = serializers.IntegerField(help_text="0 without a trial.")
    code = serializers.CharField(allow_blank=True)
    code_label = serializers.CharField(allow_blank=True)
    texts = serializers.DictField(child=serializers.CharField(), help_text="The amounts as they are shown.")


class SubscribeIn(TermsIn):
    buyer = BuyerIn(allow_null=True, default=None, help_text="The company that buys; none for a person.")
    email = serializers.EmailField(
        max_length=254, allow_blank=True, default="", help_text="Where receipts go; empty: to the user's address."
    )
    card = serializers.UUIDField(help_text="A saved card.")
    total = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="The total that the user was shown.")
    currency = serializers.CharField(max_length=3)
    trial_days = serializers.IntegerField(min_value=0, max_value=3650, help_text="The trial that the user was shown.")
    agrees = serializers.BooleanField(default=False, help_text="To the terms of sale.")


class PayIn(serializers.Serializer[object]):
    card = serializers.UUIDField(help_text="A saved card.")


class SubscriptionOut(serializers.Serializer[object]):
    status = serializers.ChoiceField(choices=Subscription.Status.choices)
    plan = serializers.ChoiceField(choices=Subscription.Plan.choices)
    client_secret = serializers.CharField(allow_blank=True, help_text="Confirms the payment in the browser.")
    payment_method = serializers.CharField(allow_blank=True, help_text="The saved card's id at the provider.")


def terms_out(terms: Terms) -> dict[str, Any]:
    """An offer of Premium as the API returns it."""
    price, offer = terms.price, terms.offer
    shown = amounts(
        price.currency,
        price=price.list_price,
        discount=price.discount,
        balance=abs(terms.balance),
        total=terms.due,
        tax=terms.tax,
        nothing=0,
    )
    shown["later"] = price_per_period(offer.price, offer.currency, offer.plan)
    return {
        "plan": offer.plan,
        "price": offer.price,
        "total": terms.due,
        "discount": price.discount,
        "balance": terms.balance,
        "tax": terms.tax,
        "tax_note": wording_of(price.treatment),
        "changes_later": terms.changes_later,
        "currency": price.currency,
        "trial_days": terms.trial_days,
        "code": terms.code.code if terms.code else "",
        "code_label": queries.code_label(terms.code, discount=price.discount) if terms.code else "",
        "texts": shown,
    }


def _subscription_out(started: Started) -> dict[str, Any]:
    row = started.subscription
    return {
        "status": row.status,
        "plan": row.plan,
        "client_secret": started.client_secret,
        "payment_method": started.card.gateway_id if started.card else "",
    }


class PremiumTerms(APIView):
    """What Premium costs the user."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_premium_terms", request=TermsIn, responses={200: TermsOut})
    def post(self, request: Request) -> Response:
        sent = validated(TermsIn, request)
        user = signed_in_user(request)
        enforce(policies.subscribe(user))
        return Response(
            terms_out(
                terms_for(
                    user=user, plan=sent["plan"], code=sent["code"], now=timezone.now(), **quoted_buyer(user, sent)
                )
            )
        )


class Premium(APIView):
    """Subscribe to Premium."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_subscribe", request=SubscribeIn, responses={201: SubscriptionOut})
    def post(self, request: Request) -> Response:
        sent = validated(SubscribeIn, request)
        user, now, details = signed_in_user(request), timezone.now(), buyer_details(sent)
        started = subscriptions.start(
            user=user,
            plan=sent["plan"],
            code=sent["code"],
            country=sent["country"],
            email=sent["email"],
            card=str(sent["card"]),
            expected_total=sent["total"],
            expected_currency=sent["currency"],
            expected_trial_days=sent["trial_days"],
            agrees=sent["agrees"],
            buyer=buyers.buyer_for(user=user, details=details, now=now),
            evidence=country_evidence(request),
            now=now,
        )
        return Response(_subscription_out(started), status.HTTP_201_CREATED)


class PremiumPay(APIView):
    """Pay what is due for Premium with a saved card."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_premium_pay", request=PayIn, responses={200: SubscriptionOut})
    def post(self, request: Request) -> Response:
        sent = validated(PayIn, request)
        started = subscriptions.pay(user=signed_in_user(request), card=str(sent["card"]), now=timezone.now())
        return Response(_subscription_out(started))


class PremiumSync(APIView):
    """Ask the payment provider what became of the subscription. The browser calls it after a confirmation."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_premium_sync", request=None, responses={200: SubscriptionOut})
    def post(self, request: Request) -> Response:
        member = overview_of(signed_in_user(request))
        if member is None:
            raise NotSubscribed
        row = premium.sync_subscription(subscription=member.subscription, now=timezone.now())
        return Response(_subscription_out(Started(subscription=row)))
