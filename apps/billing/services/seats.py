"""Seats of teams: they open with their pack, go from hand to hand, pause and end (docs/adr/0055).

What a seat opens follows from its pack and its holder: Premium while the pack is open, or a grant of its course. Locks
are taken in this order: the pack, its seats, the holder.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Greatest

from apps.accounts.models import User
from apps.billing.errors import SeatHeld, SeatNotFree
from apps.billing.models import Order, Refund, Seat, SeatPack, SeatUse, Team
from apps.billing.queries.seat_packs import GIVEN_UP, is_year_live
from apps.billing.seat_prices import year_after
from apps.billing.services import grants
from apps.billing.services.seat_changes import check_changes
from apps.billing.services.seat_notices import tell_of_end, tell_of_pause, tell_of_reopening

_LIVE = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
_NO_INVITATION: dict[str, Any] = {
    "email": "", "invite_hash": None, "invited_at": None, "encrypted_invite": "", "mail_uid": None
}  # fmt: skip


def open_pack(order: Order, *, now: datetime) -> bool:
    """Open the seats of an order that is paid, or whose invoice was issued; let a paused pack open again. Idempotent.

    The caller holds the lock of the order, inside a transaction. Returns False if it opens nothing: the pack that it
    renews was renewed by another order, or the year that it adds seats to is over.
    """
    pack = SeatPack.objects.select_for_update(of=("self",)).select_related("renews", "extends").get(order=order)
    if pack.state == SeatPack.State.PAUSED:
        resume_pack(pack=pack, now=now)
        return True
    if pack.state != SeatPack.State.WAITING:
        return pack.state == SeatPack.State.OPEN
    pack.starts_at, pack.ends_at = _period_of(pack, now)
    is_renewed = pack.renews is not None and pack.renews.renewals.filter(state__in=_LIVE).exists()
    if is_renewed or (pack.ends_at is not None and pack.ends_at <= now):
        pack.starts_at = pack.ends_at = None
        pack.state, pack.ended_at, pack.end_reason = SeatPack.State.ENDED, now, SeatPack.End.CANCELED
        pack.save(update_fields=["starts_at", "ends_at", "state", "ended_at", "end_reason"])
        return False
    pack.state = SeatPack.State.OPEN
    pack.save(update_fields=["starts_at", "ends_at", "state"])
    Seat.objects.bulk_create(Seat(pack=pack, position=number) for number in range(1, pack.seats + 1))
    if pack.renews is not None and not is_year_live(pack.renews):
        begin_renewal(pack=pack, now=now)
        tell_of_reopening(pack=pack, now=now)
    return True


def _period_of(pack: SeatPack, now: datetime) -> tuple[datetime, datetime | None]:
    """From when until when its seats open courses: added seats end with those they extend, renewed ones follow them."""
    if pack.kind == SeatPack.Kind.COURSE:
        return now, None
    if pack.extends is not None:
        return now, pack.extends.ends_at
    start = now
    if pack.renews is not None and pack.renews.ends_at is not None and is_year_live(pack.renews):
        start = max(now, pack.renews.ends_at)
    return start, year_after(start)


def give_seat(*, seat: Seat, user: User, by: User | None, known_as: str = "", now: datetime) -> Seat:
    """Give a free seat, or one to which they were invited, to a user, and open to them what it opens. Idempotent.

    ``by``: who gives it; None if the user takes it. The caller decides whether they may. ``known_as``: the address by
    which the team knows them; by default the one that was invited.

    :raises SeatNotFree: someone else has it, its money went back, or its pack has ended.
    :raises SeatHeld: the user has another seat of the team for the same.
    :raises SeatChangesUsedUp: it went from hand to hand too often within a year.
    """
    with transaction.atomic():
        pack = SeatPack.objects.select_for_update(of=("self",)).get(pk=seat.pack_id)
        row = Seat.objects.select_for_update(of=("self",)).get(pk=seat.pk)
        if row.holder_id == user.pk and pack.state in _LIVE:
            return row
        if row.holder_id is not None or row.closed_at is not None or pack.state not in _LIVE:
            raise SeatNotFree
        grants.lock_premium(user)
        if _same_seats(pack).filter(holder=user).exists():
            raise SeatHeld(team=pack.team.title)
        check_changes(row, user=user, now=now)
        _hold(row, user, by=by, known_as=known_as or row.email, now=now)
        _open(pack, row, user, now=now)
    return row


def _same_seats(pack: SeatPack) -> QuerySet[Seat]:
    """The seats of the team for the same as those of a pack, in packs that have not ended."""
    packs = SeatPack.objects.filter(team=pack.team_id, kind=pack.kind, course=pack.course_id, state__in=_LIVE)
    return Seat.objects.filter(pack__in=packs)


def take_seat(*, seat: Seat, now: datetime) -> Seat:
    """Take a seat back, or an invitation to it, and close what only this seat opened. Progress stays. Idempotent."""
    with transaction.atomic():
        pack = SeatPack.objects.select_for_update(of=("self",)).select_related("course").get(pk=seat.pack_id)
        row = Seat.objects.select_for_update(of=("self",)).select_related("holder").get(pk=seat.pk)
        holder = row.holder
        _empty(row)
        if holder is not None:
            _end_use(row, now=now)
            _close(pack, row, holder, now=now)
    return row


def pause_pack(*, pack: SeatPack, now: datetime) -> bool:
    """Close what the seats of a pack opened, until its invoice is paid; holders keep them. False if it wasn't open."""
    with transaction.atomic():
        row = _locked(pack)
        if row.state != SeatPack.State.OPEN:
            return False
        row.state, row.paused_at = SeatPack.State.PAUSED, now
        row.save(update_fields=["state", "paused_at"])
        for seat, holder in _held(row):
            _close(row, seat, holder, now=now)
        tell_of_pause(pack=row, now=now)
    return True


def resume_pack(*, pack: SeatPack, now: datetime) -> None:
    """Open again what the seats of a paused pack opened. Idempotent."""
    with transaction.atomic():
        row = _locked(pack)
        if row.state != SeatPack.State.PAUSED:
            return
        row.state, row.paused_at = SeatPack.State.OPEN, None
        row.save(update_fields=["state", "paused_at"])
        for seat, holder in _held(row):
            _open(row, seat, holder, now=now)
        tell_of_reopening(pack=row, now=now)


def end_pack(*, pack: SeatPack, reason: SeatPack.End, now: datetime) -> bool:
    """End the seats of a pack and what they opened. Returns False if they had ended.

    They keep their holders, so that they go on if their money comes back. Invitations end.
    """
    with transaction.atomic():
        row = _locked(pack)
        if row.state == SeatPack.State.ENDED:
            return False
        row.state, row.paused_at, row.ended_at, row.end_reason = SeatPack.State.ENDED, None, now, reason
        row.save(update_fields=["state", "paused_at", "ended_at", "end_reason"])
        row.rows.exclude(email="").update(**_NO_INVITATION)
        for seat, holder in _held(row):
            _end_use(seat, now=now)
            _close(row, seat, holder, now=now)
        tell_of_end(pack=row, now=now)
    return True


def reopen_pack(*, pack: SeatPack, now: datetime) -> None:
    """Open a pack again whose money came back. Idempotent. One whose year is over stays as it is."""
    with transaction.atomic():
        row = _locked(pack)
        is_over = row.starts_at is None or (row.ends_at is not None and row.ends_at <= now)
        if row.state != SeatPack.State.ENDED or row.end_reason != SeatPack.End.RETURNED or is_over:
            return
        if row.renews is not None and row.renews.renewals.filter(state__in=_LIVE).exists():
            return
        row.state, row.ended_at, row.end_reason = SeatPack.State.OPEN, None, ""
        row.save(update_fields=["state", "ended_at", "end_reason"])
        for seat, holder in _held(row):
            if _same_seats(row).exclude(pk=seat.pk).filter(holder=holder).exists():  # got another one meanwhile
                seat.holder, seat.assigned_at = None, None
                seat.save(update_fields=["holder", "assigned_at"])
                continue
            before = seat.uses.filter(user=holder).order_by("-started_at", "-pk").first()
            known_as = before.email if before else ""
            SeatUse.objects.create(seat=seat, user=holder, email=known_as, started_at=now)
            _open(row, seat, holder, now=now)


def follow_returns(*, pack: SeatPack, is_returned: bool, now: datetime) -> None:
    """Act on what is left of the payment of a pack: its seats go on while something is. Idempotent.

    Seats that were given back are free again if their refund wasn't made.
    """
    with transaction.atomic():
        row = _locked(pack)
        unmade = [Refund.Status.FAILED, Refund.Status.CLOSED, Refund.Status.DECLINED]
        row.rows.filter(refund__status__in=unmade).update(refund=None, closed_at=None)
    if is_returned:
        end_pack(pack=pack, reason=SeatPack.End.RETURNED, now=now)
    else:
        reopen_pack(pack=pack, now=now)


def move_holders(*, former: SeatPack, pack: SeatPack, now: datetime) -> None:
    """Give the seats of a renewal to those who hold the former ones, the longest first; so for invitations.

    Where there are fewer seats, the last ones get none, and neither do those who got another seat of the team for the
    same since the former ones ended. The caller holds the locks of both packs.
    """
    free = list(pack.rows.select_for_update().filter(holder=None, email="", closed_at=None).order_by("position"))
    taken = former.rows.select_for_update(of=("self",)).select_related("holder")
    others = _same_seats(pack).exclude(pack=former)
    seated = others.filter(holder__isnull=False).values("holder")
    holders = list(taken.filter(holder__isnull=False).exclude(holder__in=seated).order_by("assigned_at", "position"))
    known = others.exclude(email="").values("email")
    invited = list(taken.exclude(email="").exclude(email__in=known).order_by("invited_at", "position"))
    for seat, mine in zip([*holders, *invited], free, strict=False):
        holder, invitation = seat.holder, {name: getattr(seat, name) for name in _NO_INVITATION}
        _empty(seat)
        if holder is not None:
            before = seat.uses.filter(user=holder).order_by("-started_at", "-pk").first()
            _end_use(seat, now=now)
            _hold(mine, holder, by=None, known_as=before.email if before else "", now=now)
            _open(pack, mine, holder, now=now)
        else:
            for name, value in invitation.items():
                setattr(mine, name, value)
            mine.save(update_fields=list(invitation))


def forget_seats(*, user_id: int, now: datetime) -> None:
    """Free the seats of a deleted account, and forget what its own teams say about people. Idempotent.

    The seats of its teams stay with their holders: they are paid.
    """
    for seat in Seat.objects.filter(holder=user_id).order_by("pack", "pk"):
        take_seat(seat=seat, now=now)
    invited = Seat.objects.filter(pack__team__owner=user_id).exclude(email="")
    invited.update(**_NO_INVITATION)
    SeatUse.objects.filter(user=user_id).update(email="", invite_hash="")
    Team.objects.of(user_id).update(name="", domain="", is_domain_open=False)


def begin_renewal(*, pack: SeatPack, now: datetime) -> None:
    """Let the people of a year go on with the seats of the next one: those of the first seats, then of added ones."""
    with transaction.atomic():
        row = _locked(pack)
        years = SeatPack.objects.filter(Q(pk=row.renews_id) | Q(extends=row.renews_id))
        years = years.exclude(end_reason__in=GIVEN_UP)
        for former in years.select_for_update(of=("self",)).order_by("pk"):
            move_holders(former=former, pack=row, now=now)


def _hold(row: Seat, user: User, *, by: User | None, known_as: str, now: datetime) -> None:
    accepted = row.invite_hash or ""
    _empty(row, holder=user, now=now)
    SeatUse.objects.create(seat=row, user=user, given_by=by, email=known_as, invite_hash=accepted, started_at=now)


def _end_use(row: Seat, *, now: datetime) -> None:
    """End the present use of a seat; not before it began, if another process began it while this one waited."""
    row.uses.filter(ended_at=None).update(ended_at=Greatest("started_at", Value(now)))


def _empty(row: Seat, *, holder: User | None = None, now: datetime | None = None) -> None:
    """End the invitation of a seat, and give it to a holder or to nobody."""
    row.holder, row.assigned_at = holder, now if holder else None
    for name, value in _NO_INVITATION.items():
        setattr(row, name, value)
    row.save(update_fields=["holder", "assigned_at", *_NO_INVITATION])


def _open(pack: SeatPack, seat: Seat, user: User, *, now: datetime) -> None:
    """Open to its holder what a seat opens, if its pack does at this moment."""
    if not pack.is_opening(now):
        return
    if pack.course is not None:
        grants.grant_seat(seat=seat, user=user, course=pack.course, now=now)
    else:
        grants.reopen_premium(user=user, now=now)


def _close(pack: SeatPack, seat: Seat, user: User, *, now: datetime) -> None:
    """Close to a former holder what a seat opened, unless something else opens it."""
    if pack.course is None:
        grants.close_premium(user=user, now=now)
        return
    others = Seat.objects.usable().filter(holder=user, pack__in=SeatPack.objects.opening(now), pack__course=pack.course)
    other = others.exclude(pk=seat.pk).first()
    if other is not None:
        grants.move_seat_grant(seat=seat, to=other, user=user)
    else:
        grants.end_seat_grant(seat=seat, user=user, now=now)


def _locked(pack: SeatPack) -> SeatPack:
    return SeatPack.objects.select_for_update(of=("self",)).select_related("course", "renews").get(pk=pack.pk)


def _held(pack: SeatPack) -> list[tuple[Seat, User]]:
    """The seats of a pack that someone holds, locked, with their holders."""
    held = pack.rows.select_for_update(of=("self",)).select_related("holder").order_by("holder", "pk")
    return [(seat, seat.holder) for seat in held if seat.holder is not None]
