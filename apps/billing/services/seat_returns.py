"""Give seats back that nobody has used, within 14 days: each by its part of the total (docs/adr/0055)."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.billing import seat_policies
from apps.billing.errors import NothingToRefund, RefundTermsChanged
from apps.billing.models import Payment, Refund, SeatPack
from apps.billing.queries.seat_packs import LIVE, give_back_until, unused_seats
from apps.billing.services import refunds
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import price_step


def worth_of(payment: Payment, pack: SeatPack, count: int) -> int:
    """Return what comes back for this many seats of a pack: their part of what was paid, never more than what is left.

    Rounded down to what the currency can pay, except for the last seats of a pack, which bring what is left.
    """
    open_seats = pack.rows.usable().count()
    if count >= open_seats:
        return payment.left
    part = payment.amount * count // pack.seats
    return min(part - part % price_step(payment.currency), payment.left)


def give_back_seats(*, user: User, pack: SeatPack, count: int, expected_amount: int, now: datetime) -> Refund:
    """Close free seats that nobody has used, and return what they cost.

    ``expected_amount``: what the user was shown, in minor units. If the refund fails, the seats are free again.

    :raises NothingToRefund: fewer seats can be given back, it is too late, or the payment is disputed.
    :raises RefundPending: another refund of the payment is on its way.
    :raises RefundTermsChanged: the amount is another one by now.
    """
    enforce(seat_policies.order_seats(user, pack.team, None))
    with transaction.atomic():
        payment = Payment.objects.select_for_update(of=("self",)).filter(order=pack.order_id).first()
        if payment is None:
            raise NothingToRefund
        row = SeatPack.objects.select_for_update(of=("self",)).select_related("order").get(pk=pack.pk)
        list(row.rows.select_for_update().values_list("pk"))
        chosen = unused_seats(row, now=now)[:count]
        if row.state not in LIVE or now > give_back_until(row) or not 0 < count == len(chosen):
            raise NothingToRefund
        amount = worth_of(payment, row, count)
        if amount != expected_amount:
            raise RefundTermsChanged
        refund = refunds.refund_seats(payment, amount=amount, requested_by=user, now=now)
        row.rows.filter(pk__in=[seat.pk for seat in chosen]).update(refund=refund, closed_at=now)
    return refunds.send(refund=refund, now=now)
