"""The arithmetic of each learner's time budget, in seconds of a lesson; four of them accrue per second."""

import pytest

from apps.learning.activity import time_budget
from apps.learning.activity.time_budget import ALLOWANCE, MAX_SPANS, MAX_UNUSED, RATE, Budget

DAY = 86_400.0


def test_time_grows_with_the_clock_and_is_spent_once():
    one = time_budget.advance(Budget(counted_at=0), 10)
    assert time_budget.seconds_available(one, 0) == 10 * RATE + ALLOWANCE

    spent = time_budget.spend(one, 50, 0)
    assert time_budget.seconds_available(spent, 0) == ALLOWANCE - 10
    with pytest.raises(ValueError, match=r"20\.5"):
        time_budget.spend(spent, 20.5, 0)


def test_an_advance_is_paid_back_first():
    ahead = time_budget.spend(Budget(counted_at=0), ALLOWANCE, 0)

    assert time_budget.seconds_available(ahead, 0) == 0
    assert time_budget.seconds_available(time_budget.advance(ahead, ALLOWANCE / RATE), 0) == ALLOWANCE
    assert time_budget.seconds_available(time_budget.advance(ahead, ALLOWANCE / RATE / 2), 0) == ALLOWANCE / 2


def test_many_small_steps_add_no_more_than_one_large_step():
    slow = Budget(counted_at=0)
    for step in range(1, 101):
        slow = time_budget.advance(slow, step / 10)

    assert time_budget.seconds_available(slow, 0) == pytest.approx(
        time_budget.seconds_available(time_budget.advance(Budget(counted_at=0), 10), 0)
    )


def test_a_clock_that_moves_backwards_adds_nothing():
    later = time_budget.advance(Budget(counted_at=0), 10)

    assert time_budget.advance(later, 5) == later
    assert time_budget.advance(later, 10) == later


def test_a_lesson_cannot_use_time_from_before_it_was_opened():
    """After a day's pause, a whole course is opened at once: its lessons share only the time from then on."""
    idle = time_budget.start_span(Budget(counted_at=0), 0)
    day = time_budget.start_span(idle, DAY)

    assert time_budget.seconds_available(day, DAY) == ALLOWANCE
    assert time_budget.seconds_available(time_budget.advance(day, DAY + 60), DAY) == 60 * RATE + ALLOWANCE


def test_all_lessons_share_one_allowance():
    one = time_budget.start_span(Budget(counted_at=0), 0)
    for moment in range(1, 6):
        one = time_budget.spend(one, time_budget.seconds_available(one, moment - 1), moment - 1)
        one = time_budget.start_span(one, moment)

    assert time_budget.seconds_available(one, 5) <= RATE  # not another allowance for each lesson


def test_time_spent_offline_is_available_to_lessons_opened_earlier():
    """A lesson is opened on a phone before a flight; afterwards a laptop is used first, then the phone reconnects."""
    opened = time_budget.start_span(Budget(counted_at=0), 0)
    laptop = time_budget.start_span(opened, 3600)
    for minute in range(1, 31):
        laptop = time_budget.advance(laptop, 3600 + minute * 60)
        laptop = time_budget.spend(laptop, 60, 3600)

    assert time_budget.seconds_available(laptop, 0) >= 3600
    assert time_budget.seconds_available(time_budget.spend(laptop, 3600, 0), 3600) > 0


def test_unused_time_is_limited():
    week = time_budget.advance(time_budget.start_span(Budget(counted_at=0), 0), 7 * DAY)

    assert time_budget.seconds_available(week, 0) == MAX_UNUSED + ALLOWANCE
    assert sum(seconds for _, seconds in time_budget.advance(week, 8 * DAY).spans) == MAX_UNUSED


def test_a_long_pause_pays_back_the_advance_and_fills_the_budget():
    ahead = time_budget.spend(time_budget.start_span(Budget(counted_at=0), 0), ALLOWANCE, 0)

    assert time_budget.seconds_available(time_budget.advance(ahead, DAY), 0) == MAX_UNUSED + ALLOWANCE


def test_merging_spans_never_adds_time():
    many = Budget(counted_at=0)
    for moment in range(200):
        many = time_budget.start_span(many, float(moment))

    assert len(many.spans) == MAX_SPANS
    assert sum(seconds for _, seconds in many.spans) == pytest.approx(199 * RATE)
    # Merging the oldest spans costs lessons opened among them some time; no lesson gains any.
    assert time_budget.seconds_available(many, 100.0) <= 99 * RATE + ALLOWANCE
    assert time_budget.seconds_available(many, 190.0) == pytest.approx(9 * RATE + ALLOWANCE)
