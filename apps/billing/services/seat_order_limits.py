"""What keeps seats from being ordered: invoices that wait for their payment, and years that no other one can follow."""

from datetime import datetime

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing.errors import SeatsRefused
from apps.billing.models import Order, SeatPack, Team
from apps.billing.queries.seat_packs import LIVE, can_be_renewed
from apps.courses.models import Course

MAX_UNPAID_INVOICES_OF_OWNER = 3


def refuse_more_credit(user: User, team: Team | None, course: Course | None, *, now: datetime) -> None:
    """Who owes money for seats gets a few more on an invoice; not the same order again, and none if it is overdue.

    ``team``: which gets more seats, or another year; None for the first ones. ``course``: None for Premium.

    :raises SeatsRefused: it says why.
    """
    owed = Order.objects.of(user.pk).filter(is_for_team=True, status=Order.Status.OPEN, method=Order.Method.TRANSFER)
    unpaid = list(owed.select_related("seat_pack"))
    if any(each.due_at is not None and each.due_at < now for each in unpaid):
        raise SeatsRefused(reason=_("An earlier invoice is overdue. Pay it first, or pay these seats by card."))
    if len(unpaid) >= MAX_UNPAID_INVOICES_OF_OWNER:
        message = _("%(count)s invoices wait for payment already. Pay one first, or pay by card.")
        raise SeatsRefused(reason=message % {"count": len(unpaid)})
    course_id = course.pk if course else None
    if team is None and any(each.seat_pack.course_id == course_id for each in unpaid):
        message = _("You ordered such seats by invoice already, and it isn't paid yet. Add seats on your team's page.")
        raise SeatsRefused(reason=message)


def refuse_renewal(former: SeatPack | None) -> None:
    """A year is followed by one other. One whose money went back, or that was never paid, is followed by none.

    ``former``: the first seats of the year; None for an order that renews nothing.

    :raises SeatsRefused: it says why.
    """
    if former is None:
        return
    if former.renewals.filter(state__in=LIVE).exists():
        raise SeatsRefused(reason=_("These seats are renewed already."))
    if not can_be_renewed(former):
        raise SeatsRefused(reason=_("These seats were given up. Order new ones instead."))
