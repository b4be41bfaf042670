"""Packs of seats: which of them were used, which can be given back, added to and renewed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Q, Sum
from django.utils import timezone

from apps.accounts.models import User
from apps.billing import extensions
from apps.billing.models import Grant, Order, Payment, Refund, Seat, SeatPack, Team
from apps.billing.seat_prices import DAYS_UNTIL_PAUSE, GIVE_BACK_DAYS, RENEW_DAYS
from apps.courses.models import Course
from studyplatform.kit.errors import NotFound

LIVE = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
GIVEN_UP = (SeatPack.End.RETURNED, SeatPack.End.CANCELED)
"""Why seats end before their year does."""


def pack_for(user: User, team: UUID, pack: UUID) -> SeatPack:
    """Return a pack of a team of the user. One query.

    :raises NotFound: there is none, or it is someone else's.
    """
    found = SeatPack.objects.begun().select_related("team", "course", "order", "extends")
    row = found.filter(uid=pack, team__uid=team, team__owner=user).first()
    if row is None:
        raise NotFound
    return row


def seats_of_year(pack: SeatPack) -> int:
    """Return how many seats end with those of a pack: its own, and those that were added to it. One query."""
    own = Q(pack=pack) & ~Q(pack__end_reason__in=GIVEN_UP)
    of_year = own | Q(pack__extends=pack, pack__state__in=LIVE)
    return max(1, Seat.objects.usable().filter(of_year).count())


def is_year_live(pack: SeatPack) -> bool:
    """Return whether seats of a year haven't ended: the first ones, or those that were added to them. One query."""
    return SeatPack.objects.filter(Q(pk=pack.pk) | Q(extends=pack), state__in=LIVE).exists()


def can_be_renewed(pack: SeatPack) -> bool:
    """Return whether another year can follow the one of these first seats: not if all were given up. One query."""
    return pack.end_reason not in GIVEN_UP or is_year_live(pack)


def is_used(seat: Seat, *, now: datetime) -> bool:
    """Return whether someone opened a lesson with a seat. One query if nobody ever had it, else two for each holder."""
    return any(
        extensions.has_opened_lesson(
            use.user_id, _courses_of(seat.pack, use.user_id), use.started_at, use.ended_at or now
        )
        for use in seat.uses.order_by("pk")
    )


def _courses_of(pack: SeatPack, user_id: int) -> list[int]:
    """The courses that a seat could open to its holder: of Premium, those that the holder has opened by it."""
    if pack.course_id is not None:
        return [pack.course_id]
    opened = Grant.objects.of(user_id).filter(source=Grant.Source.PREMIUM)
    return list(opened.order_by().values_list("course_id", flat=True).distinct())


def give_back_until(pack: SeatPack) -> datetime:
    """Return until when seats of a pack can be given back."""
    return pack.order.created_at + timedelta(days=GIVE_BACK_DAYS)


def unused_seats(pack: SeatPack, *, now: datetime) -> list[Seat]:
    """Return the free seats of a pack that nobody has used, which can be given back; the last ones first."""
    free = pack.rows.free().select_related("pack").order_by("-position")
    return [seat for seat in free if not is_used(seat, now=now)]


def can_cancel_seats(order: Order) -> bool:
    """Return whether the buyer can give up an unpaid order of seats: soon after it, while nobody has used one."""
    pack = SeatPack.objects.select_related("order").filter(order=order).first()
    now = timezone.now()
    if pack is None or now > give_back_until(pack):
        return False
    return not any(is_used(seat, now=now) for seat in pack.rows.usable().select_related("pack"))


def unpaid_seat_order(user: User) -> Order | None:
    """Return the oldest order of seats with an invoice that the user hasn't paid. One query."""
    owed = Order.objects.live().of(user.pk).filter(is_for_team=True, method=Order.Method.TRANSFER)
    return owed.order_by("created_at", "pk").first()


def team_in_use(user: User) -> Team | None:
    """Return a team of the user with seats that others have or are invited to. One query."""
    assigned = Seat.objects.usable().exclude(holder=None, email="").exclude(holder=user).filter(pack__state__in=LIVE)
    return Team.objects.of(user.pk).filter(pk__in=assigned.values("pack__team")).order_by("pk").first()


@dataclass(frozen=True)
class PaidSeats:
    """The seats of a payment that exist, for an admin who returns money. ``returned``: what went back without seats."""

    pack: SeatPack
    assigned: int
    free: int
    closed: int
    returned: int

    @property
    def open(self) -> int:
        return self.assigned + self.free


def paid_seats(payment: Payment) -> PaidSeats | None:
    """Return the seats of a payment; None if it isn't for seats, or they have ended. Three queries."""
    if payment.order is None or not payment.order.is_for_team:
        return None
    pack = SeatPack.objects.filter(order=payment.order_id, state__in=LIVE).first()
    if pack is None:
        return None
    is_free = Q(holder=None, email="", closed_at=None)
    found = pack.rows.order_by().aggregate(
        free=Count("pk", filter=is_free),
        closed=Count("pk", filter=Q(closed_at__isnull=False)),
        assigned=Count("pk", filter=Q(closed_at=None) & ~is_free),
    )
    return PaidSeats(pack, returned=returned_without_seats(payment), **found)


def returned_without_seats(payment: Payment) -> int:
    """Return how much of a payment for seats went back without closing any, in minor units. One query."""
    closed = Seat.objects.filter(refund__payment=payment).values("refund")
    with_seats = payment.refunds.filter(status=Refund.Status.DONE, pk__in=closed).aggregate(sum=Sum("amount"))["sum"]
    return max(0, payment.amount - payment.left - (with_seats or 0))


@dataclass(frozen=True)
class PackActions:
    """What the owner can do about a pack now."""

    add: bool
    renew: bool
    give_back: bool


def actions_of(packs: Collection[SeatPack], *, now: datetime) -> dict[int, PackActions]:
    """Return what the owner of a team can do about its packs, by their ids. Packs with orders and courses. No query.

    Whether seats were used is looked at on the page that gives them back.
    """
    renewed = {pack.renews_id for pack in packs if pack.state in LIVE}
    given_up = {pack.pk for pack in packs if pack.end_reason in GIVEN_UP}
    soon = now + timedelta(days=RENEW_DAYS)
    return {
        pack.pk: PackActions(
            add=pack.state in LIVE
            and (pack.ends_at is None or pack.ends_at > now)
            and pack.extends_id is None
            and (pack.course is None or is_sold(pack.course)),
            renew=pack.ends_at is not None
            and pack.ends_at <= soon
            and (pack.extends_id is None or pack.extends_id in given_up)
            and (pack.extends_id or pack.pk) not in renewed
            and pack.pk not in given_up,
            give_back=pack.state in LIVE and pack.order.status == Order.Status.PAID and now <= give_back_until(pack),
        )
        for pack in packs
    }


def is_sold(course: Course) -> bool:
    """Return whether seats of a course can be ordered today."""
    is_priced = course.pricing == Course.Pricing.ONE_TIME and course.currency == settings.CURRENCY and course.price > 0
    return is_priced and course.is_open


def pauses_at(order: Order) -> datetime | None:
    """Return when the seats of an unpaid invoice pause; None for an order that is paid by card."""
    return order.due_at + timedelta(days=DAYS_UNTIL_PAUSE) if order.due_at else None
