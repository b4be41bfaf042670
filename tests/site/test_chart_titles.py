"""What the titles of charts state: every branch, and honesty where there is little."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest

from studyplatform.kit.charts.trends import Change, Shift, compare_amounts, compare_counts, find_shift
from studyplatform.site.teaching.chart_titles.courses import (
    title_of_earnings,
    title_of_ratings,
    title_of_stops,
    title_of_way,
)
from studyplatform.site.teaching.chart_titles.growth import (
    say_ago,
    title_of_former_people,
    title_of_people,
    title_of_time,
)
from studyplatform.site.teaching.chart_titles.weeks import say_when, title_of_weeks
from tests.cases import all_cases

HOUR = 3_600
MONDAY = date(2026, 1, 12)
NO_BREAK = "\u00a0"


@all_cases(
    "now, before, change",
    [
        (0, 0, Change.NOTHING),
        (4, 0, Change.FIRST),
        (0, 4, Change.GONE),
        (9, 3, Change.FEW),
        (12, 10, Change.SAME),
        (20, 10, Change.SAME),  # chance alone makes this of 15 people twice
        (100, 85, Change.SAME),
        (10_400, 10_000, Change.SAME),  # more than chance, but little
        (400, 200, Change.TWICE),
        (300, 100, Change.THREE_TIMES),
        (900, 100, Change.MANY_TIMES),
        (300, 200, Change.MORE),
        (100, 200, Change.HALF),
        (150, 200, Change.LESS),
        (20, 200, Change.LESS),
    ],
)
def test_counts_are_compared_beyond_chance(now: int, before: int, change: Change) -> None:
    assert compare_counts(now, before) is change


@all_cases(
    "now, before, change",
    [
        (0, 0, Change.NOTHING),
        (1, 0, Change.FIRST),
        (0, 1, Change.GONE),
        (105, 100, Change.SAME),
        (250, 100, Change.MORE),
    ],
)
def test_amounts_are_compared_as_they_are(now: int, before: int, change: Change) -> None:
    assert compare_amounts(now, before) is change


@all_cases(
    "values, shift",
    [
        ([], None),
        ([5, 5, 5, 1, 1], None),
        ([5, 5, 5, 5, 5, 5], None),
        ([5, 1, 5, 1, 5, 1, 5, 1], None),
        ([4, 4, 4, 1, 1, 1], Shift(3, 4, 1)),
        ([1, 1, 1, 1, 4, 4, 4], Shift(4, 1, 4)),
    ],
)
def test_a_shift_is_found_only_where_two_means_explain_the_series(values: list[int], shift: Shift | None) -> None:
    assert find_shift(values) == shift


@all_cases("days, said", [(365, "a year ago"), (366, "a year ago"), (30, "30 days ago"), (1, "1 day ago")])
def test_how_long_ago(days: int, said: str) -> None:
    assert say_ago(days) == said


@all_cases(
    "now, before, days, title",
    [
        (None, 3, 365, "Learners over time"),
        (3, None, 365, "Learners over time"),
        (0, 0, 365, "No one is studying with you yet"),
        (1, 0, 30, "1 person is studying with you; no one was 30 days ago"),
        (1_240, 0, 365, "1,240 people are studying with you; no one was a year ago"),
        (0, 50, 365, "No one has studied with you recently"),
        (1, 2, 365, "1 person is studying with you"),
        (8, 2, 365, "8 people are studying with you"),
        (52, 50, 90, "About as many people are studying with you as 90 days ago"),
        (2_206, 1_103, 365, "Twice as many people are studying with you as a year ago"),
        (300, 100, 365, "Three times as many people are studying with you as a year ago"),
        (1_000, 101, 365, "10 times as many people are studying with you as a year ago"),
        (1_300, 1_000, 30, "30% more people are studying with you than 30 days ago"),
        (500, 1_000, 365, "Half as many people are studying with you as a year ago"),
        (750, 1_000, 365, "25% fewer people are studying with you than a year ago"),
        (3, 1_000, 365, "99.9% fewer people are studying with you than a year ago"),
    ],
)
def test_the_title_of_people(now: int | None, before: int | None, days: int, title: str) -> None:
    assert title_of_people(now, before, days) == title


@all_cases(
    "now, before, title",
    [
        (0, 0, "No one spent time in your courses in this period"),
        (300 * HOUR, 0, "Learners spent 300_h in your courses"),
        (0, 300, "No one spent time in your courses in this period"),
        (9 * HOUR, 2 * HOUR, "Learners spent 9_h in your courses"),
        (101 * HOUR, 100 * HOUR, "Learners spent about as much time as in the period before"),
        (200 * HOUR, 100 * HOUR, "Learners spent twice as much time as in the period before"),
        (300 * HOUR, 100 * HOUR, "Learners spent three times as much time as in the period before"),
        (700 * HOUR, 100 * HOUR, "Learners spent 7 times as much time as in the period before"),
        (150 * HOUR, 100 * HOUR, "Learners spent 50% more time than in the period before"),
        (50 * HOUR, 100 * HOUR, "Learners spent half as much time as in the period before"),
        (75 * HOUR, 100 * HOUR, "Learners spent 25% less time than in the period before"),
    ],
)
def test_the_title_of_time(now: int, before: int, title: str) -> None:
    assert title_of_time(now, before) == title.replace("_", NO_BREAK)


@all_cases(
    "count, title",
    [
        (None, "Learners over time"),
        (1, "1 person was studying with you on 31 March 2024"),
        (1_240, "1,240 people were studying with you on 31 March 2024"),
    ],
)
def test_the_title_of_people_of_a_period_that_is_over(count: int | None, title: str) -> None:
    assert title_of_former_people(count, date(2024, 3, 31)) == title


@all_cases(
    "counts, title",
    [
        ({}, "No ratings yet"),
        ({5: 1}, "1 rating so far"),
        ({5: 3, 1: 1}, "4 ratings so far"),
        ({5: 5}, "Everyone gives you five stars"),
        ({5: 1_530, 4: 242, 3: 57, 2: 24, 1: 13}, "Nearly everyone gives you five stars"),
        ({5: 6, 4: 4}, "Most who rate give you five stars"),
        ({5: 4, 3: 2, 1: 4}, "Learners are divided between five stars and one"),
        ({5: 3, 4: 3, 3: 4}, "Most who rate give you four or five stars"),
        ({5: 1, 2: 3, 1: 4}, "Most who rate give you one or two stars"),
        ({5: 2, 4: 2, 3: 4, 2: 1, 1: 1}, "Ratings are mixed: 3.3 on average"),
    ],
)
def test_the_title_of_ratings(counts: Mapping[int, int], title: str) -> None:
    assert title_of_ratings(counts) == title


LESSONS = ["1.1", "1.2", "2.1", "2.2"]


@all_cases(
    "stopped, began, title, index",
    [
        ([0, 0, 0, 0], 0, "No one has begun yet", None),
        ([0, 4, 0, 0], 9, "Too few learners to say where they are", None),
        ([0, 0, 0, 0], 50, "Everyone who began has come to the last lesson", None),
        ([0, 1, 0, 0], 50, "1 learner is not at the end yet", None),
        ([0, 9, 0, 0], 50, "9 learners are not at the end yet", None),
        ([2, 1, 9, 2], 50, "Most learners who are not at the end are at lesson 2.1", 2),
        ([2, 6, 9, 6], 50, "More learners are at lesson 2.1 than at any other before the end", 2),
        ([5, 6, 7, 6], 50, "Learners who are not at the end are at many lessons", None),
        ([7, 0, 7, 0], 50, "Learners who are not at the end are at many lessons", None),
    ],
)
def test_the_title_of_stops(stopped: Sequence[int], began: int, title: str, index: int | None) -> None:
    stops = title_of_stops(LESSONS, stopped, began)

    assert (stops.title, stops.index) == (title, index)


def test_one_of_very_many_lessons_does_not_stand_out() -> None:
    stopped = [1] * 40 + [3]

    assert title_of_stops([str(number) for number in range(41)], stopped, 100).index is None
    with pytest.raises(ValueError, match="each lesson"):
        title_of_stops(LESSONS, [1], 100)


@all_cases(
    "enrolled, began, completed, title",
    [
        (0, 0, 0, "No one enrolled in this period"),
        (1, 1, 1, "1 person enrolled"),
        (9, 9, 9, "9 people enrolled"),
        (100, 40, 30, "60% of those who enroll have not begun a lesson"),
        (100, 90, 0, "No one has completed the course yet"),
        (100, 100, 100, "Everyone who enrolled has completed the course"),
        (100, 90, 54, "54% of those who enrolled have completed the course"),
    ],
)
def test_the_title_of_the_way_to_completion(enrolled: int, began: int, completed: int, title: str) -> None:
    assert title_of_way(enrolled, began, completed) == title


@all_cases(
    "courses, sales, title",
    [
        ({}, 0, "No earnings in this period"),
        ({"A": [0, 0, -100]}, 2, "No earnings in this period"),
        ({"A": [5_000, 0, 0, 0, 0]}, 1, "$50.00 earned"),
        ({"A": [5_000, 0, 0, 0, 0]}, 9, "$50.00 earned"),
        ({"A": [5_000, 6_000, 0]}, 90, "$110.00 earned"),
        ({"A": [100, 100, 104, 100, 5]}, 90, "Earnings stay about the same"),
        ({"A": [100, 100, 150, 150, 5]}, 90, "Earnings grew by 50%"),
        ({"A": [150, 150, 75, 75, 5]}, 90, "Earnings fell by 50%"),
        ({"A": [0, 0, 75, 75, 5]}, 90, "The first earnings came in this period"),
        ({"A": [100, 100, 200, 200, 5], "B": [50, 50, 60, 60, 1]}, 90, "Earnings grew, mostly with A"),
        ({"A": [200, 200, 200, 200, 5], "B": [90, 90, 10, 10, 1]}, 90, "Earnings fell, mostly with B"),
        (
            {"A": [100, 100, 150, 150, 5], "B": [50, 50, 95, 95, 1], "C": [10, 10, 50, 50, 1]},
            90,
            "Earnings grew by 84%",
        ),
    ],
)
def test_the_title_of_earnings(courses: Mapping[str, Sequence[int]], sales: int, title: str) -> None:
    assert title_of_earnings(courses, "usd", sales=sales) == title


def test_a_month_that_is_over_counts() -> None:
    courses = {"A": [100, 100, 150, 150]}

    assert title_of_earnings(courses, "usd", sales=50) == "$5.00 earned"
    assert title_of_earnings(courses, "usd", sales=50, is_last_over=True) == "Earnings grew by 50%"


@all_cases(
    "minutes, title",
    [
        ([0, 0, 0], "No time in your courses yet"),
        ([0, 0, 30], "The first week in your courses"),
        ([30, 60], "30_min in 1 week"),
        ([0, 0, 60, 60, 60, 60], "3_h in 3 weeks"),
        ([200, 190, 210, 200, 50, 60, 40, 0], "A quarter of the time or less since early February"),
        ([210, 185, 240, 160, 195, 120, 60, 35, 48], "A third of the time since mid-February"),
        ([200, 190, 210, 200, 100, 110, 90, 0], "Half as much time since early February"),
        ([200, 190, 210, 200, 150, 140, 145, 0], "Less time since early February"),
        ([200, 190, 210, 200, 0, 0, 0, 0], "No time since early February"),
        ([100, 0, 0, 0, 0, 100, 100, 120, 9], "Much more time since mid-February"),
        ([100, 100, 110, 130, 140, 140, 9], "More time since early February"),
        ([60, 50, 60, 120, 110, 120, 9], "Twice as much time since early February"),
        ([60, 50, 60, 220, 210, 220, 9], "Much more time since early February"),
        ([10, 10, 10, 2, 2, 2, 9], "6_min a week on average, from week to week very different"),
        ([100, 100, 105, 108, 108, 106, 9], "About 1_h 44_min each week"),
        ([100, 300, 20, 310, 10, 250, 30, 280, 9], "2_h 42_min a week on average, from week to week very different"),
    ],
)
def test_the_title_of_weeks(minutes: Sequence[int], title: str) -> None:
    mondays = [MONDAY + timedelta(days=7 * week) for week in range(len(minutes))]
    said = title_of_weeks(mondays, [60 * one for one in minutes], today=mondays[-1] + timedelta(days=2))

    assert said.replace(NO_BREAK, " ") == title.replace("_", " ")


@all_cases(
    "day, said",
    [
        (date(2026, 2, 10), "early February"),
        (date(2026, 2, 11), "mid-February"),
        (date(2026, 2, 21), "late February"),
        (date(2025, 12, 15), "mid-December 2025"),
    ],
)
def test_days_as_people_remember_them(day: date, said: str) -> None:
    assert say_when(day, date(2026, 3, 1)) == said
