"""What pages and the API show of billing."""

from apps.billing.queries.cards import (
    SOON,
    SavedCard,
    brand_name,
    card_of,
    cards_of,
    default_card,
    heir_of,
    last_day,
    renews,
    saved_cards,
)
from apps.billing.queries.checkout import earlier_orders
from apps.billing.queries.orders import code_label, course_for_sale, order_of, purchase_named
from apps.billing.queries.payouts import owed_to
from apps.billing.queries.seat_packs import can_cancel_seats

__all__ = [
    "SOON",
    "SavedCard",
    "brand_name",
    "can_cancel_seats",
    "card_of",
    "cards_of",
    "code_label",
    "course_for_sale",
    "default_card",
    "earlier_orders",
    "heir_of",
    "last_day",
    "order_of",
    "owed_to",
    "purchase_named",
    "renews",
    "saved_cards",
]
