"""One budget of time per learner: pure arithmetic. The unit is a second of a lesson, four to a second of the clock."""

import pytest

from apps.learning.activity import time_budget
from apps.learning.activity.time_budget import ALLOWANCE, MAX_SPANS, MAX_UNUSED, RATE, Budget

DAY = 86_400.0


def test_time_comes_with_the_clock_and_is_spent_once():
    one = time_budget.advance(Budget(counted_at=0), 10)
    assert time_budget.seconds_available(one, 0) == 10 * RATE + ALLOWANCE

    spent = time_budget.spend(one, 50, 0)
    assert time_budget.seconds_available(spent, 0) == ALLOWANCE - 10
    with pytest.raises(ValueError, match=r"20\.5"):
        time_budget.spend(spent, 20.5, 0)


def test_what_was_given_ahead_of_the_clock_is_paid_back_first():
    ahead = time_budget.spend(Budget(counted_at=0), ALLOWANCE, 0)

    assert time_budget.seconds_available(ahead, 0) == 0
    assert time_budget.seconds_available(time_budget.advance(ahead, ALLOWANCE / RATE), 0) == ALLOWANCE
    assert time_budget.seconds_available(time_budget.advance(ahead, ALLOWANCE / RATE / 2), 0) == ALLOWANCE / 2


def test_small_steps_bring_no_more_than_one_large_one():
    slow = Budget(counted_at=0)
    for step in range(1, 101):
        slow = time_budget.advance(slow, step / 10)

    assert time_budget.seconds_available(slow, 0) == pytest.approx(
        time_budget.seconds_available(time_budget.advance(Budget(counted_at=0), 10), 0)
    )


def test_a_clock_that_goes_back_adds_nothing():
    later = time_budget.advance(Budget(counted_at=0), 10)

    assert time_budget.advance(later, 5) == later
    assert time_budget.advance(later, 10) == later


def test_time_before_a_lesson_was_opened_is_not_for_it():
    """A day's pause, then a whole course opened at once: all its lessons share what comes from then on."""
    idle = time_budget.start_span(Budget(counted_at=0), 0)
    day = time_budget.start_span(idle, DAY)

    assert time_budget.seconds_available(day, DAY) == ALLOWANCE
    assert time_budget.seconds_available(time_budget.advance(day, DAY + 60), DAY) == 60 * RATE + ALLOWANCE


def test_one_allowance_serves_all_lessons():
    one = time_budget.start_span(Budget(counted_at=0), 0)
    for moment in range(1, 6):
        one = time_budget.spend(one, time_budget.seconds_available(one, moment - 1), moment - 1)
        one = time_budget.start_span(one, moment)

    assert time_budget.seconds_available(one, 5) <= RATE  # and not the allowance once more for each


def test_what_was_learned_without_a_connection_is_there_for_lessons_opened_before():
    """Opened before the flight on the phone; after it the laptop is used first, then the phone reconnects."""
    opened = time_budget.start_span(Budget(counted_at=0), 0)
    laptop = time_budget.start_span(opened, 3600)
    for minute in range(1, 31):
        laptop = time_budget.advance(laptop, 3600 + minute * 60)
        laptop = time_budget.spend(laptop, 60, 3600)

    assert time_budget.seconds_available(laptop, 0) >= 3600
    assert time_budget.seconds_available(time_budget.spend(laptop, 3600, 0), 3600) > 0


def test_a_pause_is_kept_only_so_far():
    week = time_budget.advance(time_budget.start_span(Budget(counted_at=0), 0), 7 * DAY)

    assert time_budget.seconds_available(week, 0) == MAX_UNUSED + ALLOWANCE
    assert sum(seconds for _, seconds in time_budget.advance(week, 8 * DAY).spans) == MAX_UNUSED


def test_a_long_pause_pays_back_what_was_ahead_and_fills_the_rest():
    ahead = time_budget.spend(time_budget.start_span(Budget(counted_at=0), 0), ALLOWANCE, 0)

    assert time_budget.seconds_available(time_budget.advance(ahead, DAY), 0) == MAX_UNUSED + ALLOWANCE


def test_a_row_of_spans_stays_short_and_never_grows_in_worth():
    many = Budget(counted_at=0)
    for moment in range(200):
        many = time_budget.start_span(many, float(moment))

    assert len(many.spans) == MAX_SPANS
    assert sum(seconds for _, seconds in many.spans) == pytest.approx(199 * RATE)
    # A lesson opened among the oldest loses what is no longer told apart; none gains.
    assert time_budget.seconds_available(many, 100.0) <= 99 * RATE + ALLOWANCE
    assert time_budget.seconds_available(many, 190.0) == pytest.approx(9 * RATE + ALLOWANCE)
