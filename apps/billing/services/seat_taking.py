"""How people take a seat of a team, by an invitation or by their address, and leave it."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing import team_policies as policies
from apps.billing.errors import NoFreeSeat, SeatChanged, SeatHeld, SeatInvitationOfAnother
from apps.billing.mail_domains import domain_of
from apps.billing.models import Seat, SeatPack, Team
from apps.billing.services import seat_changes
from apps.billing.services import seats as lifecycle
from apps.billing.services.seat_invitations import invitation_by_key
from apps.billing.services.team_locks import (
    accounts_with,
    free_seats,
    give,
    lock_team,
    locked_seat,
    open_packs,
    own_domain_of,
)
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume


def accept_invitation(*, user: User, key: str, now: datetime) -> Seat:
    """Give the user the seat of an invitation, or the one to which their own address is invited. Returns the seat.

    :raises SeatInvitationUnknown: there is no such invitation, or it was canceled.
    :raises SeatInvitationUsed: it was accepted.
    :raises SeatInvitationOfAnother: its address belongs to another account.
    :raises SeatHeld: the user has a seat of the team for the same.
    :raises SeatsClosed: its seats are paused or have ended.
    """
    enforce(policies.take_seat(user))
    consume("seat_accept", str(user.pk), now=now)
    known = invitation_by_key(key)
    with transaction.atomic():
        packs = lock_team(known.pack.team, known.pack.course_id)
        seat = locked_seat(invitation_by_key(key))  # canceled or accepted by someone else while this one waited
        open_packs([seat.pack], now)
        _refuse_second(packs, user)
        if seat.email != user.email:
            own = Seat.objects.filter(pack__in=packs, email=user.email).first()
            if own is not None:
                seat = locked_seat(own)
            elif accounts_with([seat.email]):
                raise SeatInvitationOfAnother
        give(seat, user, by=None, known_as=seat.email, now=now)
    return seat


def take_offered_seat(*, user: User, team: Team, course_id: int | None, now: datetime) -> Seat:
    """Give the user the seat to which their address is invited, or a free one if their domain may take one.

    :raises SeatChanged: neither is so any more.
    :raises NoFreeSeat: someone else took the last one.
    :raises SeatHeld: the user has a seat of the team for the same.
    :raises SeatsClosed: its seats are paused or have ended.
    """
    enforce(policies.take_seat(user))
    consume("seat_accept", str(user.pk), now=now)
    with transaction.atomic():
        packs = lock_team(team, course_id)
        _refuse_second(packs, user)
        seat = Seat.objects.filter(pack__in=packs, email=user.email).first()
        if seat is None:
            fresh = Team.objects.select_related("owner").get(pk=team.pk)
            if not may_take_by_domain(user, fresh):
                raise SeatChanged
            seat = _next_free_seat(packs, now)
        seat = locked_seat(seat)
        open_packs([seat.pack], now)
        give(seat, user, by=None, known_as=user.email, now=now)
    return seat


def _next_free_seat(packs: Iterable[SeatPack], now: datetime) -> Seat:
    """The free seat that someone may take by themselves.

    :raises NoFreeSeat: there is none.
    """
    usable = [seat for seat in free_seats(open_packs(packs, now)) if seat_changes.may_change_hands(seat, now=now)]
    if not usable:
        raise NoFreeSeat
    return usable[0]


def _refuse_second(packs: Collection[SeatPack], user: User) -> None:
    held = Seat.objects.filter(pack__in=packs, holder=user).select_related("pack__team").first()
    if held is not None:
        raise SeatHeld(team=held.pack.team.title)


def may_take_by_domain(user: User, team: Team) -> bool:
    """Return whether the user's verified address is at the domain that the team opened, and still its owner's."""
    mine = domain_of(user.email)
    is_open = team.is_domain_open and user.email_verified_at is not None
    return is_open and bool(mine) and mine == team.domain == own_domain_of(team.owner)


def leave_seat(*, user: User, seat: Seat, now: datetime) -> None:
    """Give a seat back that the user holds. Notifies the team's owner. Idempotent."""
    enforce(policies.hold_seat(user, seat))
    with transaction.atomic():
        lock_team(seat.pack.team, seat.pack.course_id)
        row = locked_seat(seat)
        if row.holder_id != user.pk:
            return
        use = row.uses.filter(ended_at=None).first()
        lifecycle.take_seat(seat=row, now=now)
        team, key = row.pack.team, f"seat left {use.pk if use else row.pk}"
        if team.owner_id != user.pk:
            name, link = user.display_name, f"/billing/teams/{team.uid}"
            people.notify("billing.seat_left", team.owner, link, key, now=now, name=name, team=team.title)
