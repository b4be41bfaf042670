"""The provider's coupons of promo codes for Premium: they take off exactly what the user was shown."""

from apps.billing import gateway
from apps.billing.models import Subscription
from apps.billing.plans import Offer
from apps.billing.services import promo
from apps.billing.services.premium_terms import price_with

COUPON_PREFIX = "promo_"


def coupon_of(row: Subscription, offer: Offer | None = None) -> str:
    """Return the provider's coupon of the subscription's code, for its own plan or another; "" without a code.

    Usually it is the code itself. Where the provider would charge another amount than the user is shown, because
    what the code leaves is too little or between its steps, it is a coupon of exactly the discount shown.
    """
    if row.redemption is None:
        return ""
    code = row.redemption.code
    offer = offer or Offer(plan=row.plan, price=row.price, currency=row.currency)
    shown = price_with(code, offer, row.country).discount
    name = f"{COUPON_PREFIX}{code.uid.hex}"
    if shown == promo.discount_of(code, offer.price):
        return gateway.ensure_coupon(
            coupon=name, name=code.code, percent=code.percent, amount=code.amount, currency=code.currency
        )
    return gateway.ensure_coupon(
        coupon=f"{name}_{offer.currency}_{shown}", name=code.code, percent=None, amount=shown, currency=offer.currency
    )
