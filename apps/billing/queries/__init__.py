"""What pages and the API show of billing."""

from apps.billing.queries.cards import card_of, cards_of
from apps.billing.queries.orders import code_label, course_for_sale, order_of

__all__ = ["card_of", "cards_of", "code_label", "course_for_sale", "order_of"]
