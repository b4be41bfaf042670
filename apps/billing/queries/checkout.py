"""The order of a user that their checkout continues."""

from dataclasses import dataclass

from django.db.models import Case, IntegerField, Value, When

from apps.accounts.models import User
from apps.billing.models import Order
from apps.billing.purchases import Purchase


@dataclass(frozen=True)
class Earlier:
    """``live``: the order for the same that isn't settled; ``country``: that of the user's last order, or ""."""

    live: Order | None
    country: str


def earlier_orders(user: User, purchase: Purchase) -> Earlier:
    """Return what the user's earlier orders mean for their checkout of the purchase. One query."""
    same = {"course": purchase.course, "bundle": purchase.bundle, "is_gift": False, "is_for_team": False}
    is_live = When(**same, status__in=Order.LIVE, then=Value(0))
    first = Case(is_live, default=Value(1), output_field=IntegerField())
    last = Order.objects.of(user.pk).select_related("promo_code").order_by(first, "-created_at").first()
    if last is None:
        return Earlier(live=None, country="")
    course, bundle = purchase.course, purchase.bundle
    is_same = (last.course_id, last.bundle_id) == (course and course.pk, bundle and bundle.pk)
    is_other = last.is_gift or last.is_for_team or purchase.is_gift
    continues = is_same and not is_other and last.status in Order.LIVE
    return Earlier(live=last if continues else None, country=last.country)
