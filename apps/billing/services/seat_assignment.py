"""How the owner of a team gives its seats, and takes them back."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing import team_policies as policies
from apps.billing.errors import SeatChanged, SeatListRefused
from apps.billing.models import Seat, SeatPack, SeatUse, Team
from apps.billing.services import seat_changes
from apps.billing.services import seats as lifecycle
from apps.billing.services.seat_invitations import invite, send_invitation
from apps.billing.services.seat_notices import tell_of_taken_seat
from apps.billing.services.team_locks import accounts_with, free_seats, give, lock_team, locked_seat, open_packs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

MAX_ADDRESSES_AT_ONCE = 200


@dataclass(frozen=True)
class Assigned:
    """What became of a list of addresses: users who got a seat, addresses that were invited, and those that have a
    seat or an invitation already."""

    given: list[User]
    invited: list[str]
    known: list[str]


def assign_seats(
    *, user: User, team: Team, course_id: int | None, addresses: Collection[str], now: datetime
) -> Assigned:
    """Give seats to the accounts with these verified addresses, and invite the others by email. All or nothing.

    ``course_id``: of the course that the seats are for; None for Premium. ``addresses``: in their one spelling, each
    once.

    :raises SeatListRefused: they are too many.
    :raises SeatsClosed: the seats are paused or have ended.
    :raises SeatChangesUsedUp: seats are free, but have changed hands too often.
    :raises RateLimitExceeded: too many invitations in a day.
    """
    enforce(policies.manage_team(user, team))
    if len(addresses) > MAX_ADDRESSES_AT_ONCE:
        raise SeatListRefused(reason=_("Enter at most %(limit)d addresses.") % {"limit": MAX_ADDRESSES_AT_ONCE})
    with transaction.atomic():
        packs = lock_team(team, course_id)
        known = _known_addresses(packs, addresses)
        accounts = {each.email: each for each in accounts_with(addresses)}
        holding = set(
            Seat.objects.filter(pack__in=packs, holder__in=accounts.values()).values_list("holder__email", flat=True)
        )
        wanted = [address for address in addresses if address not in known and address not in holding]
        opening = open_packs(packs, now)  # says why, if nothing can be assigned
        free = _seats_for(opening, len(wanted), now)
        # Counted also for accounts, which cost no email: nobody tries addresses by the thousand to see who has one.
        consume("seat_mail", str(user.pk), now=now, amount=len(wanted))
        # Users in one order, so that two transactions that lock several of them can't wait for each other.
        wanted.sort(key=lambda address: accounts[address].pk if address in accounts else 0)
        given, invited = [], []
        for seat, address in zip(free, wanted, strict=True):
            account = accounts.get(address)
            if account is not None:
                give(seat, account, by=user, known_as=address, now=now)
                given.append(account)
            else:
                invite(seat, address, sender=user, now=now)
                invited.append(address)
    return Assigned(given, invited, [address for address in addresses if address not in set(wanted)])


def _known_addresses(packs: Collection[SeatPack], addresses: Collection[str]) -> set[str]:
    """Those of the addresses that are invited, or by which the owner knows a holder."""
    invited = Seat.objects.filter(pack__in=packs, email__in=addresses).values_list("email", flat=True)
    holders = SeatUse.objects.filter(seat__pack__in=packs, ended_at=None, email__in=addresses)
    return {*invited, *holders.values_list("email", flat=True)}


def _seats_for(packs: Iterable[SeatPack], count: int, now: datetime) -> list[Seat]:
    """Return this many free seats that can change hands.

    :raises SeatListRefused: fewer are free.
    :raises SeatChangesUsedUp: fewer of the free ones can change hands today.
    """
    free = free_seats(packs)
    if len(free) < count:
        if not free:
            raise SeatListRefused(reason=_("No seat is free. Take one back, or add seats."))
        are_free = ngettext("%(num)d seat is free", "%(num)d seats are free", len(free)) % {"num": len(free)}
        said = _("%(free)s, and you entered %(count)d new addresses.") % {"free": are_free, "count": count}
        raise SeatListRefused(reason=said)
    usable = [seat for seat in free if seat_changes.may_change_hands(seat, now=now)]
    if len(usable) < count:
        again = min(seat_changes.changes_again_at(seat, now=now) for seat in free if seat not in usable)
        raise seat_changes.changes_used_up(again)
    return usable[:count]


def send_invitation_again(*, user: User, seat: Seat, now: datetime) -> Seat:
    """Email the link of an invitation once more.

    :raises SeatChanged: it was accepted or canceled meanwhile.
    :raises RateLimitExceeded: too many invitations in a day, or to this address.
    """
    enforce(policies.manage_team(user, seat.pack.team))
    with transaction.atomic():
        lock_team(seat.pack.team, seat.pack.course_id)
        row = locked_seat(seat)
        if not row.email:
            raise SeatChanged
        open_packs([row.pack], now)
        consume("seat_mail", str(user.pk), now=now)
        consume("seat_mail_to_one", row.email, now=now)
        row.mail_uid = send_invitation(row, user)
        row.save(update_fields=["mail_uid"])
    return row


def cancel_invitation(*, user: User, seat: Seat, address: str, now: datetime) -> None:
    """End an invitation: its link no longer works, and the seat is free. ``address``: whom the user saw invited.

    :raises SeatChanged: it was accepted meanwhile, or someone else is invited.
    """
    enforce(policies.manage_team(user, seat.pack.team))
    with transaction.atomic():
        lock_team(seat.pack.team, seat.pack.course_id)
        row = locked_seat(seat)
        if row.email != address or not address:
            raise SeatChanged
        lifecycle.take_seat(seat=row, now=now)


def take_back(*, user: User, seat: Seat, holder_uid: str, now: datetime) -> None:
    """Take a seat from its holder, who keeps their progress and is notified. ``holder_uid``: whom the user saw there.

    :raises SeatChanged: someone else has it now, or nobody.
    """
    enforce(policies.manage_team(user, seat.pack.team))
    with transaction.atomic():
        lock_team(seat.pack.team, seat.pack.course_id)
        row = locked_seat(seat)
        if row.holder is None or str(row.holder.uid) != holder_uid:
            raise SeatChanged
        holder = row.holder
        lifecycle.take_seat(seat=row, now=now)
        tell_of_taken_seat(seat=row, user=holder, now=now)
