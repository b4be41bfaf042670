"""Packs of seats: which of them were used, which can be given back, added to and renewed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import User
from apps.billing import extensions
from apps.billing.models import Grant, Order, Seat, SeatPack
from apps.billing.seat_prices import DAYS_UNTIL_PAUSE, GIVE_BACK_DAYS, RENEW_DAYS
from studyplatform.kit.errors import NotFound

LIVE = (SeatPack.State.OPEN, SeatPack.State.PAUSED)


def pack_for(user: User, team: UUID, pack: UUID) -> SeatPack:
    """Return a pack of a team of the user. One query.

    :raises NotFound: there is none, or it is someone else's.
    """
    found = SeatPack.objects.exclude(state=SeatPack.State.WAITING).select_related("team", "course", "order", "extends")
    row = found.filter(uid=pack, team__uid=team, team__owner=user).first()
    if row is None:
        raise NotFound
    return row


def seats_of_year(pack: SeatPack) -> int:
    """Return how many seats end with those of a pack: its own, and those that were added to it. One query."""
    of_year = Q(pack=pack) | Q(pack__extends=pack, pack__state__in=LIVE)
    return max(1, Seat.objects.usable().filter(of_year).count())


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


@dataclass(frozen=True)
class PackActions:
    """What the owner can do about a pack now."""

    add: bool
    renew: bool
    give_back: bool


def actions_of(packs: Collection[SeatPack], *, now: datetime) -> dict[int, PackActions]:
    """Return what the owner of a team can do about its packs, by their ids. Packs with their orders. No query.

    Whether seats were used is looked at on the page that gives them back.
    """
    renewed = {pack.renews_id for pack in packs if pack.state in LIVE}
    soon = now + timedelta(days=RENEW_DAYS)
    return {
        pack.pk: PackActions(
            add=pack.state in LIVE and (pack.ends_at is None or pack.ends_at > now) and pack.extends_id is None,
            renew=pack.ends_at is not None
            and pack.ends_at <= soon
            and pack.extends_id is None
            and pack.pk not in renewed
            and pack.end_reason in {"", SeatPack.End.OVER},
            give_back=pack.state in LIVE and pack.order.status == Order.Status.PAID and now <= give_back_until(pack),
        )
        for pack in packs
    }


def pauses_at(order: Order) -> datetime | None:
    """Return when the seats of an unpaid invoice pause; None for an order that is paid by card."""
    return order.due_at + timedelta(days=DAYS_UNTIL_PAUSE) if order.due_at else None
