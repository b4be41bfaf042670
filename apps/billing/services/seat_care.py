"""Look after seats between the visits of their owners: what a job does every hour. Each step is idempotent."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.formats import date_format
from django.utils.timezone import localtime

from apps.accounts import services as people
from apps.billing.models import Order, SeatPack
from apps.billing.queries.seat_packs import GIVEN_UP, LIVE, seats_of_year
from apps.billing.seat_prices import DAYS_UNTIL_PAUSE, REMINDER_DAYS
from apps.billing.services import seats
from studyplatform.kit import jobs
from studyplatform.kit.text.money import money

EVERY = timedelta(hours=1)
JOB = "billing.follow_seats"


def plan_next_look(*, now: datetime) -> None:
    """Enqueue the job of the next hour; it is enqueued once."""
    hour = now.replace(minute=0, second=0, microsecond=0) + EVERY
    jobs.enqueue(JOB, key=hour.isoformat(), delay=hour - now)


def follow_seats(*, now: datetime) -> None:
    """End what is over, pause what is overdue, and remind owners.

    Each pack is a transaction of its own. One that fails keeps no other team waiting.

    :raises ExceptionGroup: what failed, after all others were looked at.
    """
    over = SeatPack.objects.filter(state__in=LIVE, ends_at__lte=now).order_by("ends_at", "pk")
    steps: list[tuple[Callable[..., None], Iterable[SeatPack]]] = [
        (end_year, over),
        (pause_overdue, _overdue(now)),
        (remind, _ending(now)),
    ]
    failures: list[Exception] = []
    for step, packs in steps:
        for pack in packs:
            try:
                step(pack=pack, now=now)
            except Exception as error:
                error.add_note(f"{step.__name__} of the seats {pack.uid}")
                failures.append(error)
    if failures:
        raise ExceptionGroup("Some seats couldn't be looked after.", failures)


def end_year(*, pack: SeatPack, now: datetime) -> None:
    """End the seats of a pack whose year is over; if it was renewed, its people go on with those of the next one."""
    with transaction.atomic():
        found = SeatPack.objects.select_for_update(of=("self",)).select_related("team__owner", "extends")
        row = found.get(pk=pack.pk)
        if row.state not in LIVE or row.ends_at is None or row.ends_at > now:
            return
        base = row.extends_id or row.pk
        renewal = SeatPack.objects.filter(renews=base, state__in=LIVE).first()
        if renewal is not None:
            seats.begin_renewal(pack=renewal, now=now)
        is_told = renewal is not None or (row.extends is not None and row.extends.end_reason not in GIVEN_UP)
        if not seats.end_pack(pack=row, reason=SeatPack.End.OVER, now=now) or is_told:
            return
        link, key = f"/billing/teams/{row.team.uid}", f"pack {row.pk} over"
        people.notify("billing.team_ended", row.team.owner, link, key, now=now, team=row.team.name, seats=row.seats)


def _overdue(now: datetime) -> list[SeatPack]:
    late = now - timedelta(days=DAYS_UNTIL_PAUSE)
    unpaid = SeatPack.objects.filter(
        state=SeatPack.State.OPEN,
        order__method=Order.Method.TRANSFER,
        order__status=Order.Status.OPEN,
        order__due_at__lte=late,
    )
    return list(unpaid.order_by("pk"))


def pause_overdue(*, pack: SeatPack, now: datetime) -> None:
    """Pause the seats of an invoice that is overdue for two weeks, and tell who ordered them.

    The order is locked first, as by its payment: either it is paid, or the seats pause, and the payment opens them.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(of=("self",)).select_related("user").get(pk=pack.order_id)
        if order.status != Order.Status.OPEN or not seats.pause_pack(pack=pack, now=now):
            return
        team = pack.team
        link, key = f"/billing/orders/{order.uid}/pay", f"pack {pack.pk} paused"
        amount = money(order.total, order.currency, cents=True)
        people.notify("billing.team_paused", order.user, link, key, now=now, team=team.name, amount=amount)


def _ending(now: datetime) -> list[SeatPack]:
    """The packs that end soon and weren't renewed; those that were added to others are reported with them.

    If the others were given up, they stand for themselves.
    """
    soon = now + timedelta(days=max(REMINDER_DAYS))
    first = Q(extends=None) | Q(extends__end_reason__in=GIVEN_UP)
    ending = SeatPack.objects.filter(first, state__in=LIVE, ends_at__gt=now, ends_at__lte=soon)
    renewals = SeatPack.objects.filter(state__in=LIVE, renews__isnull=False).values("renews")
    ending = ending.exclude(pk__in=renewals).exclude(extends__in=renewals)
    return list(ending.select_related("team__owner", "extends").order_by("ends_at", "pk"))


def remind(*, pack: SeatPack, now: datetime) -> None:
    """Remind the owner of seats that end: 30 and 7 days before, each once."""
    if pack.ends_at is None:
        return
    first = pack.extends or pack
    left = (pack.ends_at - now).total_seconds() / 86400
    days = min(day for day in REMINDER_DAYS if left <= day)
    people.notify(
        "billing.team_ends",
        pack.team.owner,
        f"/billing/teams/{pack.team.uid}/packs/{pack.uid}/renew",
        f"pack {first.pk} {days}",
        now=now,
        team=pack.team.name,
        seats=seats_of_year(first),
        date=date_format(localtime(pack.ends_at), "j F Y"),
    )
