"""Assigning, accepting, taking back, leaving, pausing, ending and reopening seats in any order.

After each step: never more people hold or are invited to seats than were paid, nobody holds two of a team for the same,
what a seat opens is open exactly to its holder while its pack is, each seat has at most one present use, and no seat
changed hands more than twenty times a year.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as chosen
from hypothesis import strategies as st

from apps.billing.access import access_to, has_premium
from apps.billing.models import Seat, SeatPack, SeatUse, Team
from apps.billing.seat_prices import MAX_CHANGES_OF_SEAT_A_YEAR
from apps.billing.services import seat_assignment, seat_changes, seat_taking, seats, team_care
from apps.billing.services.seat_invitations import key_of
from studyplatform.kit.errors import AppError
from tests.factories.accounts import UserFactory
from tests.factories.seats import open_seats
from tests.factories.selling import PaidCourseFactory

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
PEOPLE = st.integers(0, 3)
STEPS = st.one_of(
    st.tuples(st.just("assign"), st.lists(PEOPLE, min_size=1, max_size=3, unique=True), st.booleans()),
    st.tuples(st.just("accept"), PEOPLE, st.integers(0, 5)),
    st.tuples(st.just("take"), PEOPLE, st.booleans()),
    st.tuples(st.just("take_back"), st.integers(0, 5), PEOPLE),
    st.tuples(st.just("cancel"), st.integers(0, 5), st.none()),
    st.tuples(st.just("leave"), PEOPLE, st.none()),
    st.tuples(st.just("domain"), st.booleans(), st.none()),
    st.tuples(st.just("pause"), st.integers(0, 2), st.none()),
    st.tuples(st.just("resume"), st.integers(0, 2), st.none()),
    st.tuples(st.just("end"), st.integers(0, 2), st.sampled_from(SeatPack.End.values)),
    st.tuples(st.just("reopen"), st.integers(0, 2), st.none()),
    st.tuples(st.just("hand_over"), PEOPLE, st.none()),
    st.tuples(st.just("wait"), st.integers(1, 40), st.none()),
)


class Run:
    """A team with two packs of Premium and one of a course, and four people of whom two have accounts at its domain."""

    def __init__(self) -> None:
        self.now = START
        self.owner = UserFactory(email="maeve@halden.example")
        self.course = PaidCourseFactory()
        first = open_seats(owner=self.owner, count=2, now=START)
        self.team = first.team
        self.packs = [
            first,
            open_seats(team=self.team, count=1, now=START),
            open_seats(team=self.team, count=2, course=self.course, now=START),
        ]
        self.people = [UserFactory(email=f"p{number}@halden.example") for number in range(2)]
        self.people += [UserFactory(email=f"p{number}@home.example") for number in range(2)]

    def do(self, name: str, one: object, other: object) -> None:
        with suppress(AppError), transaction.atomic():
            getattr(self, name)(one, other)

    def _owner(self):
        return Team.objects.select_related("owner").get(pk=self.team.pk)

    def assign(self, who, is_course):
        course = self.course.pk if is_course else None
        team = self._owner()
        emails = [self.people[number].email if number % 2 else f"new{number}@halden.example" for number in who]
        seat_assignment.assign_seats(user=team.owner, team=team, course_id=course, addresses=emails, now=self.now)

    def accept(self, who, number):
        invited = list(Seat.objects.exclude(email="").order_by("pk"))
        if invited:
            key = key_of(invited[number % len(invited)])
            seat_taking.accept_invitation(user=self.people[who], key=key, now=self.now)

    def take(self, who, is_course):
        course = self.course.pk if is_course else None
        seat_taking.take_offered_seat(user=self.people[who], team=self.team, course_id=course, now=self.now)

    def _seat(self, number):
        return Seat.objects.select_related("pack__team__owner").order_by("pk")[number % Seat.objects.count()]

    def take_back(self, number, who):
        seat = self._seat(number)
        holder = str(seat.holder.uid) if seat.holder else str(self.people[who].uid)
        seat_assignment.take_back(user=seat.pack.team.owner, seat=seat, holder_uid=holder, now=self.now)

    def cancel(self, number, _none):
        seat = self._seat(number)
        seat_assignment.cancel_invitation(user=seat.pack.team.owner, seat=seat, address=seat.email, now=self.now)

    def leave(self, who, _none):
        seat = Seat.objects.select_related("pack__team__owner").filter(holder=self.people[who]).first()
        if seat is not None:
            seat_taking.leave_seat(user=self.people[who], seat=seat, now=self.now)

    def domain(self, is_open, _none):
        team = self._owner()
        team_care.open_domain(user=team.owner, team=team, is_open=is_open)

    def pause(self, number, _none):
        seats.pause_pack(pack=self.packs[number], now=self.now)

    def resume(self, number, _none):
        seats.resume_pack(pack=self.packs[number], now=self.now)

    def end(self, number, reason):
        seats.end_pack(pack=self.packs[number], reason=SeatPack.End(reason), now=self.now)

    def reopen(self, number, _none):
        seats.reopen_pack(pack=self.packs[number], now=self.now)

    def hand_over(self, who, _none):
        team = self._owner()
        team_care.hand_over(user=team.owner, team=team, to=self.people[who], now=self.now)

    def wait(self, hours, _none):
        self.now += timedelta(hours=hours)

    def check(self) -> None:
        live = SeatPack.objects.filter(state__in=["open", "paused"])
        opening = SeatPack.objects.opening(self.now)
        for pack in SeatPack.objects.all():
            rows = list(Seat.objects.filter(pack=pack))
            assert len(rows) == pack.seats
            assert sum(seat.holder_id is not None or bool(seat.email) for seat in rows) <= pack.seats
        for user in [*self.people, self.owner]:
            held = Seat.objects.filter(holder=user, pack__in=live)
            assert held.filter(pack__course=None).count() <= 1
            assert held.exclude(pack__course=None).count() <= 1
            assert has_premium(user, now=self.now) == held.filter(pack__in=opening, pack__course=None).exists()
            has_course = held.filter(pack__in=opening, pack__course=self.course).exists()
            assert (access_to(user, self.course, now=self.now) is not None) == has_course
            assert user.enrollments.active().filter(course=self.course).exists() == has_course
        for seat in Seat.objects.select_related("pack"):
            present = list(SeatUse.objects.filter(seat=seat, ended_at=None).values_list("user_id", flat=True))
            is_live = seat.pack.state in {"open", "paused"}
            assert present == ([seat.holder_id] if seat.holder_id and is_live else [])
            assert seat_changes.changes_within_year(seat, now=self.now) <= MAX_CHANGES_OF_SEAT_A_YEAR


def run(steps) -> None:
    with transaction.atomic():
        one = Run()
        for step in steps:
            one.do(*step)
            one.check()
        transaction.set_rollback(True)


@pytest.mark.long
@chosen(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, min_size=1, max_size=25))
def test_any_order_of_steps_keeps_seats_and_access_equal(steps):
    run(steps)


def test_a_walk_through_all_steps_keeps_seats_and_access_equal():
    run([
        ("assign", [0, 1, 2], False), ("accept", 2, 0), ("accept", 0, 0), ("assign", [1, 2], True), ("accept", 3, 1),
        ("pause", 0, None), ("take_back", 0, 0), ("resume", 0, None), ("domain", True, None), ("take", 0, True),
        ("leave", 1, None), ("take", 1, False), ("end", 0, "returned"), ("wait", 5, None), ("reopen", 0, None),
        ("hand_over", 1, None), ("cancel", 3, None), ("end", 2, "over"), ("assign", [3], True),
    ])  # fmt: skip
