"""Money back for seats (docs/adr/0055): the owner gives unused ones back, each for its part; admins return any amount.

What an admin, the provider's dashboard or a bank returns in part closes no seat by itself, because nobody can say which
one: the admin says how many free seats end with it, and those that people have go on.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing import policies, seat_policies
from apps.billing.errors import NothingToRefund, RefundTermsChanged, SeatListRefused
from apps.billing.models import Payment, Refund, SeatPack
from apps.billing.queries.seat_packs import LIVE, give_back_until, returned_without_seats, unused_seats
from apps.billing.services import refunds
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import price_step


def worth_of(payment: Payment, pack: SeatPack, count: int) -> int:
    """Return what comes back for this many seats of a pack: their part of what is left of the payment.

    So what an admin returned before makes each seat worth less, and those who keep theirs keep what is paid for them.
    Rounded down to what the currency can pay, except for the last seats of a pack, which bring what is left.
    """
    open_seats = pack.rows.usable().count()
    if count >= open_seats:
        return payment.left
    part = payment.left * count // open_seats
    return part - part % price_step(payment.currency)


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


def refund_seats_by_admin(
    *, admin: User, payment: Payment, count: int, amount: int, reason: str, by_transfer: bool = False, now: datetime
) -> Refund:
    """Return an amount of what seats cost, as an admin decided, and close this many free ones with it; 0 closes none.

    If the refund isn't made, they are free again.

    :raises SeatListRefused: fewer seats are free.
    :raises RefundPending: another refund of this payment is not finished.
    :raises NothingToRefund: the amount is more than what is left, or the card hasn't refused a refund.
    """
    with transaction.atomic():
        row = Payment.objects.select_for_update(of=("self",)).get(pk=payment.pk)
        refund = refunds.begin_refund_by_admin(
            admin=admin, payment=row, amount=amount, reason=reason, by_transfer=by_transfer, now=now
        )
        _close_free_seats(row, count, refund, now=now)
    return refunds.send(refund=refund, now=now)


def close_returned_seats(*, admin: User, payment: Payment, count: int, now: datetime) -> None:
    """Close free seats whose money went back without them: in the provider's dashboard, by a dispute, or by an admin.

    :raises NothingToRefund: no money went back without seats.
    :raises SeatListRefused: fewer seats are free.
    """
    enforce(policies.decide_refunds(admin))
    with transaction.atomic():
        row = Payment.objects.select_for_update(of=("self",)).get(pk=payment.pk)
        if not returned_without_seats(row):
            raise NothingToRefund
        last = row.refunds.filter(status=Refund.Status.DONE, seats=None).order_by("done_at", "pk").last()
        _close_free_seats(row, count, last, now=now)


def _close_free_seats(payment: Payment, count: int, refund: Refund | None, *, now: datetime) -> None:
    """Close free seats, those that nobody has had first. ``refund``: which frees them again if it fails."""
    pack = SeatPack.objects.select_for_update(of=("self",)).get(order=payment.order_id)
    rows = list(pack.rows.select_for_update().order_by("pk"))
    had = set(pack.rows.filter(uses__isnull=False).values_list("pk", flat=True))
    free = [seat for seat in rows if seat.holder_id is None and not seat.email and seat.closed_at is None]
    if not 0 <= count <= len(free):
        are_free = ngettext("%(num)d seat is free.", "%(num)d seats are free.", len(free)) % {"num": len(free)}
        raise SeatListRefused(reason=_("%(free)s Seats that people have can't be closed.") % {"free": are_free})
    free.sort(key=lambda seat: (seat.pk in had, -seat.position))
    pack.rows.filter(pk__in=[seat.pk for seat in free[:count]]).update(refund=refund, closed_at=now)
