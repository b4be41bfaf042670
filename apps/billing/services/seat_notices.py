"""What holders of seats are told: that they have one, lost it, or that it paused; and what their team's owner sees."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing.models import Seat, SeatPack


def opens_what(pack: SeatPack) -> str:
    """Return what a seat opens, as the middle of a sentence."""
    return f"“{pack.course.title}”" if pack.course else _("all Premium courses")


def address_of(pack: SeatPack) -> str:
    """Return the page where a holder continues to learn."""
    return f"/courses/{pack.course.slug}" if pack.course else "/courses/?price=premium"


def tell_of_seat(*, seat: Seat, user: User, now: datetime) -> None:
    """Tell a user that they have a seat, what it opens, and what their team sees of them."""
    pack = seat.pack
    until = ""
    if pack.ends_at is not None:
        until = _("until %(day)s") % {"day": date_format(localtime(pack.ends_at), "j F Y")}
    opens = " ".join(filter(None, (opens_what(pack), until)))
    people.notify(
        "billing.seat_given",
        user,
        address_of(pack),
        f"seat {seat.pk} {now.timestamp()}",
        now=now,
        team=pack.team.title,
        opens=opens,
    )


def tell_of_taken_seat(*, seat: Seat, user: User, now: datetime) -> None:
    """Tell a former holder that their seat was taken back."""
    pack = seat.pack
    people.notify(
        "billing.seat_taken",
        user,
        address_of(pack),
        f"seat {seat.pk} taken {now.timestamp()}",
        now=now,
        team=pack.team.title,
        opens=opens_what(pack),
    )


def tell_of_pause(*, pack: SeatPack, now: datetime) -> None:
    """Tell the holders of a pack that their seats are paused. Idempotent for a pause."""
    _tell_holders(pack, "billing.seats_paused", f"pack {pack.pk} paused {pack.paused_at}", now)


def tell_of_reopening(*, pack: SeatPack, now: datetime) -> None:
    """Tell the holders of a pack that their seats are open again."""
    _tell_holders(pack, "billing.seats_reopened", f"pack {pack.pk} open {now.timestamp()}", now)


def tell_of_end(*, pack: SeatPack, now: datetime) -> None:
    """Tell the holders of a pack that it has ended."""
    _tell_holders(pack, "billing.seats_ended", f"pack {pack.pk} ended {pack.ended_at}", now)


def _tell_holders(pack: SeatPack, kind: str, key: str, now: datetime) -> None:
    held = pack.rows.filter(holder__isnull=False).select_related("holder").order_by("pk")
    for seat in held:
        if seat.holder is not None:
            people.notify(
                kind, seat.holder, address_of(pack), key, now=now, team=pack.team.title, opens=opens_what(pack)
            )
