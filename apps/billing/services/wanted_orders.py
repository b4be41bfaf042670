"""What a user wants to buy at which terms: its price, and whether their order says the same."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from apps.accounts.models import User
from apps.billing.errors import AlreadyOwned, BundleOwned
from apps.billing.models import Order, PromoCode
from apps.billing.prices import Quote, quote
from apps.billing.purchases import Purchase, list_prices_of
from apps.billing.services import promo
from apps.billing.services.buyers import is_same_buyer
from apps.billing.services.gifts import GiftTerms
from apps.billing.tax import decide_tax
from studyplatform.kit.errors import AppError


def price_for(
    *, purchase: Purchase, code: PromoCode | None, country: str, vat_id: str = "", postal_code: str = "", on: date
) -> Quote:
    """Return what the purchase costs with the code on a day, for a buyer in a country, with a VAT number or ""."""
    return quote(
        list_price=purchase.price,
        discount=promo.discount_of(code, purchase.price),
        currency=purchase.currency,
        tax=decide_tax(country=country, vat_id=vat_id, postal_code=postal_code, on=on),
    )


@dataclass(frozen=True)
class WantedOrder:
    """An order as the user asked for it. ``expected``: the total and currency that they were shown."""

    user: User
    purchase: Purchase
    code: str
    country: str
    expected: tuple[int, str]
    buyer: dict[str, Any]
    evidence: dict[str, str]
    gift: GiftTerms | None = None
    method: Order.Method = Order.Method.CARD

    def is_met_by(self, order: Order) -> bool:
        """Whether the order is for the same price, by the same code, and for the same buyer."""
        given = order.promo_code.code if order.promo_code else ""
        is_same = (given, order.country, (order.total, order.currency)) == (self.code, self.country, self.expected)
        if not is_same or not is_same_buyer(order.buyer, self.buyer):
            return False
        # What each instructor gets is a part of the order as well.
        wanted = list_prices_of(self.purchase, order.list_price)
        return wanted == {line.course_id: line.list_price for line in order.lines.all()}

    def owned(self) -> AppError:
        """The refusal of a second payment."""
        purchase = self.purchase
        if purchase.course is None:
            return BundleOwned(bundle=purchase.title)
        return AlreadyOwned(course=purchase.course.title, slug=purchase.course.slug)
