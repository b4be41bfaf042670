"""Factories of teams and their seats, opened as the services do."""

from datetime import datetime
from typing import Any

from django.db import transaction
from factory.declarations import LazyAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.accounts.models import User
from apps.billing.models import Seat, SeatPack, Team
from apps.billing.services import seats
from apps.courses.models import Course
from tests.factories.accounts import UserFactory
from tests.factories.selling import NOW, OrderFactory


class TeamFactory(DjangoModelFactory[Team]):
    class Meta:
        model = Team

    name = Sequence(lambda n: f"Team {n}")
    owner = SubFactory(UserFactory)
    created_at = NOW


def _order(pack: Any) -> Any:
    amount = (pack.course.price if pack.course else 14000) * pack.seats
    return OrderFactory(
        user=pack.team.owner,
        course=pack.course,
        is_for_team=True,
        title=f"{pack.seats} seats",
        list_price=amount,
        status="paid",
        created_at=pack.created_at,
    )


class SeatPackFactory(DjangoModelFactory[SeatPack]):
    """A pack that waits; `open_seats` makes an open one with its seats."""

    class Meta:
        model = SeatPack

    team = SubFactory(TeamFactory)
    course = None
    kind = LazyAttribute(lambda pack: SeatPack.Kind.COURSE if pack.course else SeatPack.Kind.PREMIUM)
    seats = 3
    order = LazyAttribute(_order)
    created_at = NOW


class SeatFactory(DjangoModelFactory[Seat]):
    class Meta:
        model = Seat

    pack = SubFactory(SeatPackFactory)
    position = 1
    holder = None
    assigned_at = LazyAttribute(lambda seat: NOW if seat.holder else None)


def open_seats(
    *,
    count: int = 3,
    team: Team | None = None,
    owner: User | None = None,
    course: Course | None = None,
    now: datetime,
    **given: Any,
) -> SeatPack:
    """Return an open pack with this many free seats: of Premium for a year, or of a course."""
    team = team or TeamFactory(**({"owner": owner} if owner else {}))
    pack = SeatPackFactory(team=team, course=course, seats=count, created_at=now, **given)
    with transaction.atomic():
        seats.open_pack(pack.order, now=now)
    pack.refresh_from_db()
    return pack
