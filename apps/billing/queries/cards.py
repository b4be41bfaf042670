"""A user's saved cards."""

from uuid import UUID

from apps.accounts.models import User
from apps.billing.models import Card
from studyplatform.kit.errors import NotFound


def cards_of(user: User) -> list[Card]:
    """Return the user's saved cards, the default first. One query."""
    return list(Card.objects.usable().of(user.pk).order_by("-is_default", "created_at"))


def card_of(user: User, uid: UUID) -> Card:
    """Return one of the user's saved cards. One query.

    :raises NotFound: there is none.
    """
    card = Card.objects.usable().of(user.pk).filter(uid=uid).first()
    if card is None:
        raise NotFound
    return card
