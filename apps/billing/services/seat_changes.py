"""How often a seat may go from hand to hand."""

from datetime import datetime, timedelta
from itertools import pairwise

from django.utils.formats import date_format
from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing.errors import SeatChangesUsedUp
from apps.billing.models import Seat
from apps.billing.seat_prices import MAX_CHANGES_OF_SEAT_A_YEAR

YEAR = timedelta(days=365)


def changes_within_year(seat: Seat, *, user: User | None = None, now: datetime) -> int:
    """Return how often a seat has gone from one user to another within a year; with ``user``, once it is theirs."""
    return len(_changes(seat, user=user, now=now))


def _changes(seat: Seat, *, user: User | None = None, now: datetime) -> list[datetime]:
    """When the seat went from one user to another within a year, the earliest first. ``uses`` may be prefetched."""
    uses = sorted(seat.uses.all(), key=lambda use: (use.started_at, use.pk))
    held = [(use.user_id, use.started_at) for use in uses]
    if user is not None:
        held.append((user.pk, now))
    return [after[1] for before, after in pairwise(held) if before[0] != after[0] and after[1] > now - YEAR]


def may_change_hands(seat: Seat, *, now: datetime) -> bool:
    """Return whether a free seat can be given to someone who hasn't had it before."""
    return len(_changes(seat, now=now)) < MAX_CHANGES_OF_SEAT_A_YEAR


def check_changes(seat: Seat, *, user: User, now: datetime) -> None:
    """Let a seat go to a user, unless it has changed hands too often.

    :raises SeatChangesUsedUp: it says from when on it can.
    """
    if changes_within_year(seat, user=user, now=now) > MAX_CHANGES_OF_SEAT_A_YEAR:
        raise changes_used_up(changes_again_at(seat, now=now))


def changes_used_up(again_at: datetime) -> SeatChangesUsedUp:
    """Return the refusal for seats that can change hands from this moment on."""
    return SeatChangesUsedUp(limit=MAX_CHANGES_OF_SEAT_A_YEAR, day=date_format(localtime(again_at), "j F Y"))


def changes_again_at(seat: Seat, *, now: datetime) -> datetime:
    """Return from when on a seat that changed hands too often can be given to someone else."""
    changes = _changes(seat, now=now)
    over = len(changes) - MAX_CHANGES_OF_SEAT_A_YEAR
    return changes[over] + YEAR if over >= 0 else now
