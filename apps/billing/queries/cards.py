"""A user's saved cards."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing.models import Card, Subscription
from studyplatform.kit.errors import NotFound

SOON = timedelta(days=30)
_BRANDS = {
    "amex": "American Express",
    "cartes_bancaires": "Cartes Bancaires",
    "diners": "Diners Club",
    "discover": "Discover",
    "eftpos_au": "eftpos",
    "jcb": "JCB",
    "mastercard": "Mastercard",
    "unionpay": "UnionPay",
    "visa": "Visa",
}


@dataclass(frozen=True)
class SavedCard:
    """A card as pages show it. ``expiry``: such as "04/27"; the card is valid until the end of that month."""

    card: Card
    brand: str
    expiry: str
    is_expired: bool
    expires_soon: bool


def cards_of(user: User) -> list[Card]:
    """Return the user's saved cards, the default first. One query."""
    return list(Card.objects.usable().of(user.pk).order_by("-is_default", "created_at"))


def saved_cards(user: User, *, now: datetime) -> list[SavedCard]:
    """Return the user's saved cards as pages show them, the default first. One query."""
    today = localtime(now).date()
    return [_saved(card, today) for card in cards_of(user)]


def renews(user: User) -> bool:
    """Return whether the user has a subscription that will be charged again. One query."""
    return Subscription.objects.of(user.pk).live().filter(cancels_at_period_end=False).exists()


def heir_of(cards: list[SavedCard]) -> SavedCard | None:
    """Return the card that becomes the default when the present one is removed: the oldest that can be charged."""
    others = [each for each in cards if not each.card.is_default and not each.is_expired]
    return min(others, key=lambda each: each.card.declined_at is not None, default=None)


def default_card(user_id: int) -> Card | None:
    """Return the card that Premium is charged to. One query."""
    return Card.objects.usable().of(user_id).filter(is_default=True).first()


def _saved(card: Card, today: date) -> SavedCard:
    last = last_day(card)
    return SavedCard(
        card=card,
        brand=brand_name(card.brand),
        expiry=f"{card.exp_month:02}/{card.exp_year % 100:02}",
        is_expired=last < today,
        expires_soon=today <= last <= today + SOON,
    )


def last_day(card: Card) -> date:
    """Return the last day on which the card can be charged."""
    return date(card.exp_year, card.exp_month, monthrange(card.exp_year, card.exp_month)[1])


def brand_name(brand: str) -> str:
    """Return a brand of the provider as people write it: "visa" -> "Visa"."""
    return _BRANDS.get(brand, brand.replace("_", " ").capitalize())


def card_of(user: User, uid: UUID) -> Card:
    """Return one of the user's saved cards. One query.

    :raises NotFound: there is none.
    """
    card = Card.objects.usable().of(user.pk).filter(uid=uid).first()
    if card is None:
        raise NotFound
    return card
