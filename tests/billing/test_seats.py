"""Seats: given, taken back, paused, ended, renewed, and what they open."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.billing.access import access_to, has_premium
from apps.billing.errors import SeatChangesUsedUp, SeatHeld, SeatNotFree
from apps.billing.models import Grant, Seat, SeatPack
from apps.billing.seat_prices import MAX_CHANGES_OF_SEAT_A_YEAR, year_after
from apps.billing.services import seats
from apps.learning import services as learning
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.seats import TeamFactory, open_seats
from tests.factories.selling import PaidCourseFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def now():
    return timezone.now()


def give(pack, user, now, position=1):
    return seats.give_seat(seat=pack.rows.get(position=position), user=user, by=pack.team.owner, now=now)


def is_open(user, course):
    return access_to(user, course) is not None, Enrollment.objects.active().filter(user=user, course=course).exists()


def test_a_premium_seat_opens_premium_until_it_is_taken_back(now):
    leo, course = UserFactory(), CourseFactory(status="published", pricing="premium")
    pack = open_seats(now=now)
    assert not has_premium(leo)
    seat = give(pack, leo, now)
    learning.enroll(user=leo, course=course, now=now)
    assert is_open(leo, course) == (True, True)
    seats.give_seat(seat=seat, user=leo, by=None, now=now)  # again: nothing happens
    assert seat.uses.count() == 1

    seats.take_seat(seat=seat, now=now)
    assert is_open(leo, course) == (False, False)
    give(pack, leo, now, position=2)  # what Premium had opened opens again
    assert is_open(leo, course) == (True, True)


def test_premium_of_a_seat_and_of_a_subscription_end_apart(now):
    leo, course = UserFactory(), CourseFactory(status="published", pricing="premium")
    subscription = SubscriptionFactory(user=leo, status="active")
    pack = open_seats(now=now)
    seat = give(pack, leo, now)
    learning.enroll(user=leo, course=course, now=now)
    seats.take_seat(seat=seat, now=now)
    assert is_open(leo, course) == (True, True)
    give(pack, leo, now)
    subscription.status = "ended"
    subscription.save()
    seats.pause_pack(pack=pack, now=now)
    assert is_open(leo, course) == (False, False)


def test_a_course_seat_opens_its_course_and_another_seat_keeps_it_open(now):
    leo, course = UserFactory(), PaidCourseFactory()
    one, other = open_seats(course=course, now=now), open_seats(course=course, now=now)
    give(one, leo, now)
    assert access_to(leo, course).source == "seat"
    assert not access_to(leo, course).lasts
    give(other, leo, now)
    seats.take_seat(seat=one.rows.get(position=1), now=now)
    assert is_open(leo, course) == (True, True)
    seats.take_seat(seat=other.rows.get(position=1), now=now)
    assert is_open(leo, course) == (False, False)
    assert Grant.objects.get(user=leo, source="seat").end_reason == Grant.End.SEAT


def test_a_pack_pauses_and_opens_again_with_its_holders(now):
    leo, course = UserFactory(), PaidCourseFactory()
    pack = open_seats(course=course, now=now)
    give(pack, leo, now)
    assert seats.pause_pack(pack=pack, now=now)
    assert not seats.pause_pack(pack=pack, now=now)
    assert is_open(leo, course) == (False, False)
    give(pack, UserFactory(), now, position=2)  # while paused: it opens later
    assert Grant.objects.active().filter(source="seat").count() == 0
    assert seats.open_pack(pack.order, now=now)
    assert is_open(leo, course) == (True, True)
    assert Grant.objects.active().filter(source="seat").count() == 2


def test_a_pack_whose_money_went_back_ends_and_goes_on_if_the_money_comes_back(now):
    leo, course = UserFactory(), PaidCourseFactory()
    pack = open_seats(course=course, now=now)
    give(pack, leo, now)
    assert seats.end_pack(pack=pack, reason=SeatPack.End.RETURNED, now=now)
    assert is_open(leo, course) == (False, False)
    with pytest.raises(SeatNotFree):
        give(pack, UserFactory(), now, position=2)
    seats.reopen_pack(pack=pack, now=now)
    assert is_open(leo, course) == (True, True)


@pytest.mark.long
def test_a_seat_is_refused_to_two_to_a_second_of_the_team_and_after_too_many_changes(now):
    leo, mia = UserFactory(), UserFactory()
    pack = open_seats(now=now)
    seat = give(pack, leo, now)
    with pytest.raises(SeatNotFree):
        give(pack, mia, now)
    with pytest.raises(SeatHeld):
        give(pack, leo, now, position=2)
    for number in range(MAX_CHANGES_OF_SEAT_A_YEAR):
        seats.take_seat(seat=seat, now=now)
        give(pack, (mia, leo)[number % 2], now)
    seats.take_seat(seat=seat, now=now)
    with pytest.raises(SeatChangesUsedUp):
        give(pack, mia, now)
    give(pack, leo, now)  # the last holder again: it doesn't change hands
    seats.take_seat(seat=seat, now=now)
    assert give(pack, mia, now + 366 * DAY).holder == mia


def test_a_renewal_gets_the_holders_when_it_begins(now):
    team = TeamFactory()
    former = open_seats(count=3, team=team, now=now - 300 * DAY)
    people = [UserFactory() for _ in range(3)]
    for position, user in enumerate(people, start=1):
        give(former, user, now - (100 - position) * DAY, position)
    renewal = open_seats(count=2, team=team, renews=former, now=now)
    assert renewal.starts_at == former.ends_at
    assert renewal.ends_at == year_after(former.ends_at)
    assert all(has_premium(user) for user in people)

    later = former.ends_at
    seats.move_holders(former=former, pack=renewal, now=later)
    seats.end_pack(pack=former, reason=SeatPack.End.OVER, now=later)
    assert [has_premium(user, now=later) for user in people] == [True, True, False]
    assert not open_seats(team=team, renews=former, now=later).rows.exists()  # renewed twice


def test_added_seats_end_with_those_they_extend(now):
    base = open_seats(now=now)
    added = open_seats(team=base.team, extends=base, now=now + 100 * DAY)
    assert added.ends_at == base.ends_at
    leo = UserFactory()
    give(base, leo, now)
    with pytest.raises(SeatHeld):
        give(added, leo, now)
    assert open_seats(team=base.team, extends=base, now=base.ends_at).state == SeatPack.State.ENDED


def test_a_deleted_account_frees_its_seats_and_its_team_forgets_its_name(now):
    leo = UserFactory()
    pack = open_seats(owner=leo, now=now)
    give(pack, leo, now)
    Seat.objects.filter(pack=pack, position=2).update(email="a@b.example", invite_hash="x", invited_at=now)
    seats.forget_seats(user_id=leo.pk, now=now)
    pack.team.refresh_from_db()
    assert pack.team.name == ""
    assert pack.rows.free().count() == 3
    assert not has_premium(leo)
