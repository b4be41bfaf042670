"""Periods beside the ones before them, the days that a page is asked for, and titles of lessons: no database."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from apps.learning.analytics.comparison import compare_series, step_of
from apps.learning.analytics.periods import Period, last_days
from apps.learning.analytics.series import DayFigures, Series
from apps.learning.analytics.smallest_group import blur
from studyplatform.site.teaching.analytics_choices import USUAL, choose_period, months_of
from studyplatform.site.teaching.chart_titles.lessons import (
    say_discrimination,
    title_of_items,
    title_of_retention,
)
from tests.cases import all_cases

NOW = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)


def series(period: Period, enrollments: int = 1) -> Series:
    days = (period.first + timedelta(days=number) for number in range(period.days))
    return Series(period, tuple(DayFigures(day=day, enrollments=enrollments) for day in days))


@all_cases("days, step", [(1, "day"), (31, "day"), (32, "week"), (182, "week"), (183, "month"), (365, "month")])
def test_charts_count_days_weeks_or_months(days: int, step: str) -> None:
    assert step_of(days) == step


@all_cases("days", [1, 7, 30, 45, 90, 181, 365, 800])
def test_each_entry_stands_beside_as_many_days_before(days: int) -> None:
    period = last_days(days, now=NOW)
    compared = compare_series(series(period), series(period.before))

    assert len(compared.entries) == len(compared.entries_before)
    assert [one.enrollments for one in compared.entries] == [one.enrollments for one in compared.entries_before]
    assert sum(one.enrollments for one in compared.entries_before) == days
    assert compared.entries_before[0].day == period.before.first


def test_only_periods_of_the_same_length_are_compared() -> None:
    with pytest.raises(ValueError, match="as many days"):
        compare_series(series(last_days(30, now=NOW)), series(last_days(31, now=NOW)))


@all_cases(
    "query, first, last",
    [
        ({}, date(2025, 4, 1), date(2026, 3, 30)),
        ({"range": "30"}, date(2026, 3, 1), date(2026, 3, 30)),
        ({"range": "nonsense"}, date(2025, 4, 1), date(2026, 3, 30)),
        ({"from": "2026-02-01", "to": "2026-02-28"}, date(2026, 2, 1), date(2026, 2, 28)),
        ({"from": "2026-03-29"}, date(2026, 3, 29), date(2026, 3, 30)),
        ({"from": "2026-03-01", "to": "2027-01-01"}, date(2026, 3, 1), date(2026, 3, 30)),
    ],
)
def test_a_page_is_asked_for_days(query: dict[str, Any], first: date, last: date) -> None:
    chosen = choose_period(query, now=NOW)

    assert (chosen.period, chosen.problem) == (Period(first, last), "")


@all_cases(
    "query, problem",
    [
        ({"from": "2026-03-05", "to": "2026-03-01"}, "after the last one"),
        ({"from": "2026-05-01"}, "still to come"),
        ({"from": "1. March", "to": "2026-03-01"}, "as dates"),
        ({"from": "", "to": "2026-03-01"}, "as dates"),
        ({"from": "2026-02-30", "to": "2026-03-01"}, "as dates"),
        ({"from": "1999-01-01", "to": "2026-03-01"}, "ten years"),
        ({"from": "0001-01-01", "to": "0001-02-01"}, "ten years"),
    ],
)
def test_what_is_no_period_is_said_and_the_usual_one_shown(query: dict[str, Any], problem: str) -> None:
    chosen = choose_period(query, now=NOW)

    assert problem in chosen.problem
    assert (chosen.name, chosen.period.first) == (USUAL, date(2025, 4, 1))


def test_months_are_at_least_six_and_at_most_twelve() -> None:
    few = months_of(last_days(30, now=NOW), least=6, most=12)
    many = months_of(last_days(900, now=NOW), least=6, most=12)

    assert (few[0], few[-1], len(few)) == (date(2025, 10, 1), date(2026, 3, 1), 6)
    assert (many[0], many[-1], len(many)) == (date(2025, 4, 1), date(2026, 3, 1), 12)


@all_cases("count, shown", [(5, 5), (9, 5), (10, 10), (0, 0), (4, 0)])
def test_counts_of_any_choice_are_blurred(count: int, shown: int) -> None:
    assert blur(count) == shown


@all_cases(
    "percents, title",
    [
        ([], "No one has watched this video yet"),
        ([100.0] * 90, "Nearly everyone watches to the end"),
        ([100.0] * 20 + [60.0] * 100, "40% of the learners leave within the first 30 seconds"),
        ([5.0] * 40 + [75.0] * 80, "75% of the learners watch to the end"),  # they skip the beginning
        ([100.0] * 60 + [55.0] * 60, "55% of the learners watch to the end"),
        ([100.0] * 10 + [50.0] * 10, "50% of the learners watch to the end"),
    ],
)
def test_the_title_of_a_retention_curve(percents: list[float], title: str) -> None:
    assert title_of_retention(percents) == title


@all_cases(
    "difficulties, discriminations, title",
    [
        ([], [], "Too few answers to say how the questions work"),
        ([None, None], [None, None], "Too few answers to say how the questions work"),
        ([0.9, 0.4], [0.3, -0.3], "Question 2 is answered better by those who otherwise know less"),
        ([0.9, 0.6], [0.3, -0.1], "Learners earn 75% of the points"),  # by chance
        ([0.9, 0.4], [0.3, None], "Question 2 is the hardest: 40% of its points are earned"),
        ([0.95, 0.92], [0.1, 0.2], "Nearly everyone answers every question right"),
        ([0.8, None, 0.6], [0.1, None, 0.2], "Learners earn 70% of the points"),
        ([0.3], [None], "Learners earn 30% of the points"),
    ],
)
def test_the_title_of_the_questions(
    difficulties: list[float | None], discriminations: list[float | None], title: str
) -> None:
    assert title_of_items(difficulties, discriminations, [100] * len(difficulties)) == title


def test_each_question_has_both_figures() -> None:
    with pytest.raises(ValueError, match="each question"):
        title_of_items([0.5], [], [5])


@all_cases(
    "value, words",
    [
        (None, "Not known yet"),
        (-0.1, "The wrong way round"),
        (0.1, "Hardly"),
        (0.3, "Tells learners apart"),
        (0.5, "Tells learners apart well"),
    ],
)
def test_discrimination_in_words(value: float | None, words: str) -> None:
    assert say_discrimination(value).startswith(words)
