"""The payment provider: the only module that talks to Stripe, or to the stand-in that speaks Stripe's API.

Amounts are integers in minor units. Calls that create something take a ``key``: the provider makes one object per key,
however often it is asked (https://docs.stripe.com/api/idempotent_requests). They raise CardDeclined or
PaymentProcessingError, and PaymentRefused if the provider refuses what it was sent.
"""

from apps.billing.gateway.cards import attached_cards, create_setup_intent, get_card, get_setup_intent, remove_card
from apps.billing.gateway.customers import create_customer, delete_customer, set_default_card
from apps.billing.gateway.endpoints import EVENTS, Endpoint, create_endpoint, delete_endpoint, endpoint_urls
from apps.billing.gateway.objects import (
    CardState,
    ChangePreview,
    ChargeState,
    DisputeState,
    Failure,
    IntentState,
    InvoiceState,
    RefundState,
    SubscriptionState,
)
from apps.billing.gateway.payments import (
    cancel_payment_intent,
    create_payment_intent,
    create_refund,
    disputes_since,
    get_dispute,
    get_payment_intent,
    get_refund,
    intents_since,
    refunds_of,
)
from apps.billing.gateway.subscriptions import (
    change_price,
    change_price_in_trial,
    create_subscription,
    end_subscription,
    ensure_coupon,
    ensure_price,
    find_subscription,
    get_subscription,
    invoices_of,
    preview_change,
    set_cancel_at_period_end,
)
from apps.billing.gateway.transfers import ProviderTransfers

__all__ = [
    "EVENTS",
    "CardState",
    "ChangePreview",
    "ChargeState",
    "DisputeState",
    "Endpoint",
    "Failure",
    "IntentState",
    "InvoiceState",
    "ProviderTransfers",
    "RefundState",
    "SubscriptionState",
    "attached_cards",
    "cancel_payment_intent",
    "change_price",
    "change_price_in_trial",
    "create_customer",
    "create_endpoint",
    "create_payment_intent",
    "create_refund",
    "create_setup_intent",
    "create_subscription",
    "delete_customer",
    "delete_endpoint",
    "disputes_since",
    "end_subscription",
    "endpoint_urls",
    "ensure_coupon",
    "ensure_price",
    "find_subscription",
    "get_card",
    "get_dispute",
    "get_payment_intent",
    "get_refund",
    "get_setup_intent",
    "get_subscription",
    "intents_since",
    "invoices_of",
    "preview_change",
    "refunds_of",
    "remove_card",
    "set_cancel_at_period_end",
    "set_default_card",
]
