"""The year of the demo's learner."""

from datetime import date, timedelta

import pytest

from apps.learning.activity.learned_days import best_streak, streak_on
from studyplatform.demo.seed_days import YEAR, year_of_days


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
