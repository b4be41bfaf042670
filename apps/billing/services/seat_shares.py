"""What payments for seats of Premium bring to the pool: by who held the seats, and for how long (docs/adr/0055)."""

from collections import Counter
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.billing.models import Payment, Seat, SeatUse


def earned_by_holders(
    payment: Payment, amount: int, period: tuple[datetime, datetime], until: datetime
) -> Counter[int]:
    """Return what of a payment for seats has been earned by those who held them, by user, rounded down. Two queries.

    :param amount: what is left of it without tax, minor units: each seat that was not given back has an equal part.
    :param period: from when until when it is earned, evenly.
    """
    start, end = period
    kept = Seat.objects.usable().filter(pack__order=payment.order_id)
    whole = int((end - start).total_seconds()) * kept.count()
    if amount <= 0 or not whole:
        return Counter()
    held: Counter[int] = Counter()
    for use in SeatUse.objects.filter(seat__in=kept).only("user_id", "started_at", "ended_at"):
        since, over = max(use.started_at, start), min(use.ended_at or end, end, until)
        held[use.user_id] += max(0, int((over - since).total_seconds()))
    return Counter({user: amount * seconds // whole for user, seconds in held.items()})


def seats_held(currency: str) -> QuerySet[SeatUse]:
    """Return the seats of Premium, of a payment with money left, that the ``user`` of the outer query held on its day,
    from ``begins`` to ``ends``."""
    paid = Payment.objects.filter(
        order=OuterRef("seat__pack__order"),
        kind=Payment.Kind.PREMIUM,
        currency=currency,
        amount__gt=F("refunded") + F("charged_back"),
    )
    return SeatUse.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=OuterRef("begins")),
        Exists(paid),
        user=OuterRef("user"),
        started_at__lt=OuterRef("ends"),
        seat__pack__starts_at__lt=OuterRef("ends"),
        seat__pack__ends_at__gt=OuterRef("begins"),
    )
