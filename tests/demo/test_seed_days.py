"""The year of the demo's learner."""

from datetime import UTC, date, datetime, timedelta

import pytest

from apps.learning.activity.learned_days import best_streak, streak_on
from apps.learning.models import Achievement, LearnedDay
from studyplatform.demo.seed_days import LEARNER, YEAR, seed_learned_days, year_of_days
from tests.factories.accounts import UserFactory


@pytest.mark.parametrize("today", [date(2026, 3, 14), date(2028, 2, 29), date(2026, 11, 23)])
def test_the_year_is_believable_and_the_same_each_time(today: date):
    days = year_of_days(today)

    assert days == year_of_days(today)
    assert 150 < len(days) < 280
    assert min(days) >= today - timedelta(days=YEAR)
    assert max(days) == today - timedelta(days=1)
    assert (streak_on(days, today), best_streak(days)) == (11, 19)
    assert 50 < sum(days.values()) / 3600 < 130
    assert all(300 <= seconds <= 4500 for seconds in days.values())
    assert len({seconds // 60 for seconds in days.values()}) > 20


@pytest.mark.django_db
def test_the_year_is_added_to_what_the_learner_has_done_and_only_once():
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    learner, other = UserFactory(email=LEARNER, time_zone="UTC"), UserFactory()
    for user in (learner, other):
        LearnedDay.objects.create(user=user, day=now.date(), seconds=480, lessons=1)

    seed_learned_days([learner.email, other.email], now)

    assert set(LearnedDay.objects.filter(user=learner).values_list("day", flat=True)) >= set(year_of_days(now.date()))
    assert Achievement.objects.filter(user=learner, kind=Achievement.Kind.SEVEN_DAYS).exists()
    assert LearnedDay.objects.get(user=other).seconds == 480

    LearnedDay.objects.filter(user=learner, day=now.date()).delete()
    LearnedDay.objects.create(user=learner, day=now.date(), seconds=900)
    seed_learned_days([learner.email], now)

    assert LearnedDay.objects.get(user=learner, day=now.date()).seconds == 900
