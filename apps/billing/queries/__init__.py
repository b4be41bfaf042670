"""What pages and the API show of billing."""

from apps.billing.queries.cards import SavedCard, brand_name, card_of, cards_of, saved_cards
from apps.billing.queries.checkout import earlier_orders
from apps.billing.queries.orders import code_label, course_for_sale, order_of

__all__ = [
    "SavedCard",
    "brand_name",
    "card_of",
    "cards_of",
    "code_label",
    "course_for_sale",
    "earlier_orders",
    "order_of",
    "saved_cards",
]
