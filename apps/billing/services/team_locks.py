"""What giving and taking seats have in common: the lock of the team, its open packs and its free seats.

Everything that looks for a free seat holds the lock of the team, so that two who want the last one can't both have it.
What a seat opens is decided by :mod:`apps.billing.services.seats`.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing.errors import SeatsClosed
from apps.billing.mail_domains import domain_of, is_public_domain
from apps.billing.models import Seat, SeatPack, Team
from apps.billing.services import seats as lifecycle
from apps.billing.services.seat_notices import tell_of_seat


def lock_team(team: Team, course_id: int | None) -> list[SeatPack]:
    """Lock a team, and return its packs of a kind that haven't ended, locked as well."""
    Team.objects.select_for_update().get(pk=team.pk)
    live = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
    packs = SeatPack.objects.filter(team=team, course=course_id, state__in=live)
    locked = packs.select_related("course", "team").select_for_update(of=("self",))
    return list(locked.order_by("pk"))


def open_packs(packs: Iterable[SeatPack], now: datetime) -> list[SeatPack]:
    """Return the packs whose seats can be given now.

    :raises SeatsClosed: there are none; it says why.
    """
    found = [pack for pack in packs if pack.is_opening(now)]
    if found:
        return found
    if any(pack.state == SeatPack.State.PAUSED for pack in packs):
        raise SeatsClosed(reason=_("They are paused until their invoice is paid."))
    raise SeatsClosed(reason=_("They have ended or haven't begun."))


def accounts_with(addresses: Collection[str]) -> list[User]:
    """Return the accounts that have proved one of these addresses and can sign in."""
    verified = User.objects.filter(email__in=addresses, email_verified_at__isnull=False)
    return list(verified.filter(is_active=True, deleted_at=None))


def free_seats(packs: Iterable[SeatPack]) -> list[Seat]:
    """Return the free seats of packs, those that were used least first."""
    rows = Seat.objects.free().filter(pack__in=packs).select_related("pack__team", "pack__course")
    return sorted(rows.prefetch_related("uses"), key=lambda seat: (len(seat.uses.all()), seat.pack_id, seat.position))


def locked_seat(seat: Seat) -> Seat:
    """Return the present state of a seat, locked, with its holder, pack, team and course."""
    locked = Seat.objects.select_for_update(of=("self",)).select_related("holder", "pack__team__owner", "pack__course")
    return locked.get(pk=seat.pk)


def give(seat: Seat, user: User, *, by: User | None, known_as: str, now: datetime) -> None:
    """Give a seat that is free or to which the user is invited, and tell them what it opens."""
    given = lifecycle.give_seat(seat=seat, user=user, by=by, known_as=known_as, now=now)
    seat.holder, seat.assigned_at, seat.email = given.holder, given.assigned_at, given.email
    tell_of_seat(seat=seat, user=user, now=now)


def own_domain_of(user: User) -> str:
    """Return the domain of a user's verified address, if not anybody can get an address there; "" otherwise."""
    domain = domain_of(user.email) if user.email_verified_at is not None and user.deleted_at is None else ""
    return "" if is_public_domain(domain) else domain
