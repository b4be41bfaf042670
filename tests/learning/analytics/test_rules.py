"""The rules of roll-ups without a database: activity, risk, retention, moments, items, small groups, periods."""

import math
import random
from datetime import UTC, date, datetime, timedelta

import pytest

from apps.learning.analytics.activity import ActiveDay, count_actives
from apps.learning.analytics.items import Response, count_items, read_responses
from apps.learning.analytics.moments import find_course, find_moments
from apps.learning.analytics.periods import Period, last_days
from apps.learning.analytics.retention import (
    RetentionSum,
    at_each_percent,
    find_band,
    pack_counts,
    to_percents,
    unpack_counts,
)
from apps.learning.analytics.risk import Learning, QuizAttempts, Risk, find_risk, mean_of_best
from apps.learning.analytics.series import DayFigures, Series, group_series
from apps.learning.analytics.smallest_group import hide_small, is_shown
from tests.cases import all_cases

NOW = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


# Activity


def test_actives_agree_with_counting_sets() -> None:
    dice = random.Random(3)
    rows = sorted(
        {ActiveDay(dice.randrange(6), dice.randrange(100, 220), dice.randrange(1, 4)) for _number in range(160)}
    )
    keys = {1: ["a", "both"], 2: ["b", "both"], 3: []}

    found = count_actives(rows, keys)

    for key in ("a", "b", "both"):
        of_key = {(row.user, row.day) for row in rows if key in keys[row.course]}
        expected = []
        for day in range(100, 260):
            present = len({user for user, on in of_key if day - 30 < on <= day})
            if present:
                expected.append((day, len({user for user, on in of_key if on == day}), present))
        assert list(found[key].within(100, 259)) == expected


def test_actives_end_with_the_last_day() -> None:
    found = count_actives([ActiveDay(1, 50, 7)], {7: ["course"]})

    assert list(found["course"].within(49, 52)) == [(50, 1, 1), (51, 0, 1), (52, 0, 1)]
    assert [day for day, _on, _window in found["course"].within(1, 200)] == list(range(50, 80))


# Risk

FINE = Learning(enrolled_at=ago(3), last_activity_at=ago(1))


def stuck(begun: float, active: float, *, is_completed: bool = False) -> Learning:
    return Learning(
        enrolled_at=ago(40),
        last_activity_at=ago(active),
        completed=1,
        last_begun=(ago(begun), 8),
        is_last_begun_completed=is_completed,
    )


def failing(*days: float, is_passed: bool = False, is_waiting: bool = False) -> Learning:
    attempts = QuizAttempts(
        lesson=5, submitted_at=tuple(ago(day) for day in days), is_passed=is_passed, is_waiting=is_waiting
    )
    return Learning(enrolled_at=ago(40), last_activity_at=ago(1), completed=2, attempts=(attempts,))


RISKS = {
    "nothing": (FINE, None),
    "quiet after 14 days": (Learning(enrolled_at=ago(60), last_activity_at=ago(14), completed=3), Risk.QUIET),
    "not yet quiet": (Learning(enrolled_at=ago(60), last_activity_at=ago(13.99), completed=3), None),
    "finished": (Learning(enrolled_at=ago(60), last_activity_at=ago(30), is_finished=True), None),
    "stuck": (stuck(begun=7, active=2), Risk.STUCK),
    "not yet stuck": (stuck(begun=6.9, active=2), None),
    "has not come back": (stuck(begun=8, active=7.5), None),
    "came back the next day": (stuck(begun=8, active=7), Risk.STUCK),
    "completed the last one": (stuck(begun=8, active=2, is_completed=True), None),
    "failed twice": (failing(5, 3), Risk.FAILING),
    "failed once": (failing(5), None),
    "passed at last": (failing(5, 3, 2, is_passed=True), None),
    "an essay waits": (failing(5, 3, is_waiting=True), None),
    "nothing completed": (Learning(enrolled_at=ago(7), last_activity_at=ago(1)), Risk.SLOW_START),
    "enrolled days ago": (Learning(enrolled_at=ago(6.9), last_activity_at=ago(1)), None),
    "never came": (Learning(enrolled_at=ago(20), last_activity_at=ago(20)), Risk.QUIET),
}


@all_cases("name", sorted(RISKS))
def test_risk(name: str) -> None:
    learning, expected = RISKS[name]

    found = find_risk(learning, now=NOW)

    assert (found.risk if found else None) == expected, name
    assert found is None or found.since <= NOW


def test_risk_names_its_lesson_and_moment() -> None:
    found = find_risk(failing(9, 5, 3), now=NOW)

    assert found is not None
    assert (found.lesson, found.since) == (5, ago(5))  # the second of the attempts
    assert (lambda one: one and (one.lesson, one.since))(find_risk(stuck(9, 2), now=NOW)) == (8, ago(2))


def test_failing_counts_before_stuck() -> None:
    both = Learning(
        enrolled_at=ago(40),
        last_activity_at=ago(1),
        last_begun=(ago(10), 8),
        attempts=(QuizAttempts(lesson=5, submitted_at=(ago(4), ago(3))),),
    )

    found = find_risk(both, now=NOW)

    assert found is not None
    assert found.risk == Risk.FAILING


def test_mean_of_best_rounds_half_up() -> None:
    assert [mean_of_best(best) for best in ([], [50], [50, 51], [33, 33, 34])] == [None, 50, 51, 33]


# Retention


def test_retention_counts_each_second_once_per_learner() -> None:
    counter = RetentionSum(6)
    counter.add([[0, 3], [4, 9]])
    counter.add([[2, 4]])
    counter.add([])
    counter.add([[6, 8]])  # after the end of the present video

    assert counter.counts() == [1, 1, 2, 1, 1, 1]
    assert counter.learners == 2
    assert unpack_counts(memoryview(pack_counts(counter.counts()))) == counter.counts()
    assert pack_counts([1, 258]) == b"\x01\x00\x00\x00\x02\x01\x00\x00"
    assert to_percents([2, 1], 2) == [100.0, 50.0]


def test_band_is_the_middle_half() -> None:
    curves = [[100.0] * 40, [80.0] * 300, [60.0] * 7, [40.0], [20.0] * 2000]

    assert find_band([at_each_percent(one) for one in curves[:2]]) is None
    assert find_band([at_each_percent(one) for one in curves]) == [(40.0, 80.0)] * 101
    assert at_each_percent([0.0, 100.0])[:51] == [0.0] * 50 + [100.0]
    assert find_band([at_each_percent([value]) for value in (0.0, 10.0, 20.0)]) == [(5.0, 15.0)] * 101


# Moments


def falling(seconds: int, *, to: float = 40.0) -> list[float]:
    return [100 - (100 - to) * second / (seconds - 1) for second in range(seconds)]


def changed(curve: list[float], begin: int, end: int, points: float) -> list[float]:
    return [value + points if begin <= second < end else value for second, value in enumerate(curve)]


def test_an_even_fall_has_no_moments_however_steep() -> None:
    for to in (90.0, 40.0, 0.0):
        found = find_moments(falling(600, to=to))

        assert (found.spikes, found.dips, found.top) == ((), (), ())
        assert found.first == pytest.approx(100 - (100 - to) * 30 / 599, abs=0.5)


def test_a_fast_fall_at_the_begin_is_no_dip() -> None:
    curve = [40 + 60 * math.exp(-second / 20) for second in range(600)]

    found = find_moments(curve)

    assert (found.spikes, found.dips) == ((), ())


def test_spikes_and_dips_are_where_they_were_put() -> None:
    curve = changed(changed(falling(900), 300, 330, 12), 600, 640, -20)

    found = find_moments(curve)

    [spike], [dip] = found.spikes, found.dips
    assert spike.start == pytest.approx(300, abs=3)
    assert spike.end == pytest.approx(330, abs=3)
    assert spike.size == pytest.approx(12, abs=2.5)
    assert dip.start == pytest.approx(600, abs=3)
    assert dip.end == pytest.approx(640, abs=3)
    assert dip.size == pytest.approx(20, abs=3)
    assert spike.start <= spike.peak < spike.end


def test_small_and_noisy_changes_are_no_moments() -> None:
    dice = random.Random(5)
    noisy = [value + dice.gauss(0, 4) for value in falling(600)]

    assert find_moments(changed(falling(600), 200, 220, 4.5)).spikes == ()
    assert (find_moments(noisy).spikes, find_moments(noisy).dips) == ((), ())


def test_near_moments_are_one_and_the_largest_come_first() -> None:
    curve = changed(changed(falling(1200), 300, 320, 10), 322, 340, 10)
    curve = changed(curve, 700, 720, 25)

    found = find_moments(curve)

    assert [spike.size for spike in found.spikes] == sorted((spike.size for spike in found.spikes), reverse=True)
    assert len(found.spikes) == 2
    assert 700 <= found.spikes[0].peak < 720


def test_a_calm_stretch_is_a_top_moment() -> None:
    curve = falling(400)
    calm = curve[:200] + [curve[200]] * 60 + curve[200:]

    found = find_moments(calm)

    assert found.top
    assert all(one.start >= 198 and one.end <= 262 for one in found.top)
    assert find_moments([80.0] * 600).top == ()  # nothing falls, so nothing is calmer


def test_short_videos_have_their_first_seconds_only() -> None:
    assert find_moments([]).first is None
    assert find_moments([100.0] * 20).first == 100.0
    assert find_moments(changed([100.0] * 59, 20, 30, -50)).dips == ()


def test_course_of_a_curve_is_its_median_around() -> None:
    curve = falling(300)

    assert find_course(curve) == pytest.approx(curve)
    assert find_course(changed(curve, 100, 110, 30))[105] == pytest.approx(curve[105], abs=3)


# Items


def response(uid: str, earned: float, *chosen: str, points: int = 1, is_answered: bool = True) -> Response:
    return Response(uid, earned, points, is_answered, chosen)


def test_items_count_difficulty_and_choices() -> None:
    attempts = [
        [response("q", 1, "a"), response("r", 0, is_answered=False)],
        [response("q", 0, "b"), response("r", 1, "c", "d", points=2)],
    ]

    found = count_items(attempts)

    assert (found["q"].responses, found["q"].difficulty, found["q"].options) == (2, 0.5, {"a": 1, "b": 1})
    assert (found["r"].unanswered, found["r"].difficulty, found["r"].options) == (1, 0.25, {"c": 1, "d": 1})
    assert found["q"].discrimination is None  # two responses


def test_discrimination_compares_with_the_rest() -> None:
    able = [[response("q", 1), response("r", 1), response("s", share)] for share in (1, 1, 0)]
    others = [[response("q", 0), response("r", 0), response("s", share)] for share in (0, 0, 1)]

    found = count_items([*able, *others])

    # q: 1 1 1 0 0 0; the rest of its attempts: 1 1 .5 0 0 .5
    assert found["q"].discrimination == pytest.approx(0.8165, abs=1e-4)
    assert count_items([[response("q", 1), response("r", 1)]] * 6)["q"].discrimination is None  # all the same
    assert count_items([[response("q", one % 2)] for one in range(6)])["q"].discrimination is None  # there is no rest


def test_responses_are_read_without_essays_that_wait() -> None:
    results = [
        {"uid": "s", "kind": "single", "verdict": "right", "earned": "1", "points": 1},
        {"uid": "m", "kind": "multiple", "verdict": "partly", "earned": "0.5", "points": 2},
        {"uid": "t", "kind": "truth", "verdict": "wrong", "earned": "0", "points": 1},
        {"uid": "x", "kind": "text", "verdict": "open", "earned": "0", "points": 1},
        {"uid": "e", "kind": "essay", "verdict": "waiting", "earned": "0", "points": 5},
    ]
    answers = {"s": {"id": "b"}, "m": {"ids": ["c", "a"]}, "t": {"value": False}, "e": {"text": "Long."}}

    found = read_responses(results, answers)

    assert [one.uid for one in found] == ["s", "m", "t", "x"]
    assert [one.chosen for one in found] == [("b",), ("a", "c"), ("false",), ()]
    assert [one.is_answered for one in found] == [True, True, True, False]


# Small groups


def test_small_groups_are_hidden_with_what_tells_them() -> None:
    assert [is_shown(size) for size in (0, 1, 4, 5, 6)] == [True, False, False, True, True]
    assert hide_small({"a": 9, "b": 7}) == {"a": 9, "b": 7}
    assert hide_small({"a": 9, "b": 2, "c": 7}) == {"a": 9, "b": None, "c": None}  # else 2 is the rest
    assert hide_small({"a": 9, "b": 3, "c": 4}) == {"a": 9, "b": None, "c": None}
    assert hide_small({"a": 9, "b": 1, "c": 0}) == {"a": None, "b": None, "c": 0}


# Periods


def test_periods_and_the_ones_before() -> None:
    period = Period(date(2026, 3, 1), date(2026, 3, 30))

    assert (period.days, period.before) == (30, Period(date(2026, 1, 30), date(2026, 2, 28)))
    assert last_days(30, now=NOW) == period
    assert (period.begins_at, period.ends_at) == (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 31, tzinfo=UTC))
    for first, last in ((date(2026, 3, 2), date(2026, 3, 1)), (date(2000, 1, 1), date(2026, 1, 1))):
        with pytest.raises(ValueError, match="no period"):
            Period(first, last)


def test_series_are_grouped_by_week_and_month() -> None:
    period = Period(date(2026, 3, 26), date(2026, 4, 7))  # from a Thursday to a Tuesday
    days = [
        DayFigures(day=period.first + DAY * number, enrollments=1, stars=4, ratings=1, active_learners_30=number)
        for number in range(period.days)
    ]
    series = Series(period, tuple(days))

    weeks, months = group_series(series, "week").entries, group_series(series, "month").entries

    assert [(one.day.isoformat(), one.enrollments) for one in weeks] == [
        ("2026-03-23", 4),
        ("2026-03-30", 7),
        ("2026-04-06", 2),
    ]
    assert [(one.day.isoformat(), one.enrollments, one.active_learners_30) for one in months] == [
        ("2026-03-01", 6, 5),
        ("2026-04-01", 7, 12),
    ]
    assert all(one.active_learners is None for one in weeks)
    assert (series.total.enrollments, series.total.mean_stars) == (13, 4.0)
    assert group_series(series, "day") is series
