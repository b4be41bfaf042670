"""The arithmetic of watched seconds."""

from datetime import timedelta

import pytest

from apps.learning.activity import watching


@pytest.mark.parametrize(
    ("pairs", "merged"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([[0, 10], [5, 20]], [[0, 20]], id="overlap"),
        pytest.param([[10, 20], [0, 10]], [[0, 20]], id="touch, out of order"),
        pytest.param([[0, 5], [7, 9]], [[0, 5], [7, 9]], id="apart"),
        pytest.param([[0, 50], [10, 20]], [[0, 50]], id="inside"),
        pytest.param([[90, 500]], [[90, 100]], id="beyond the end"),
        pytest.param([[120, 500]], [], id="after the end"),
        pytest.param([[8, 8]], [], id="empty"),
    ],
)
def test_merge_joins_overlapping_spans(pairs, merged):
    assert watching.merge(pairs, duration=100) == merged


@pytest.mark.parametrize(
    ("pairs", "known", "rest"),
    [
        pytest.param([[0, 10]], [], [[0, 10]], id="all new"),
        pytest.param([[0, 10]], [[0, 10]], [], id="nothing new"),
        pytest.param([[0, 30]], [[10, 20]], [[0, 10], [20, 30]], id="a hole in the middle"),
        pytest.param([[5, 15]], [[0, 10], [12, 40]], [[10, 12]], id="between two"),
        pytest.param([[0, 4], [50, 60]], [[2, 55]], [[0, 2], [55, 60]], id="two at both ends"),
    ],
)
def test_subtract_removes_known_spans(pairs, known, rest):
    assert watching.subtract(pairs, known) == rest


def test_new_and_known_seconds_add_up_to_the_total():
    known, claimed = [[3, 17], [40, 41]], [[0, 5], [16, 50]]

    fresh = watching.subtract(claimed, known)

    assert watching.seconds(fresh) + watching.seconds(known) == watching.seconds(
        watching.merge([*claimed, *known], duration=100)
    )


def test_take_stops_at_the_limit():
    assert watching.take([[0, 10], [20, 40]], 15) == [[0, 10], [20, 25]]
    assert watching.take([[0, 10]], 0) == []


def test_the_gain_is_limited_by_the_time_since_the_last_save_and_since_the_start():
    hour = timedelta(hours=1)

    assert watching.plausible_gain(since_start=hour, since_save=timedelta(seconds=10), watched=0) == 50
    # Many quick heartbeats: each alone has an allowance, but all together share one.
    assert watching.plausible_gain(since_start=timedelta(seconds=10), since_save=timedelta(0), watched=45) == 5
    assert watching.plausible_gain(since_start=timedelta(0), since_save=timedelta(0), watched=400) == 0


def test_a_video_is_complete_at_ninety_percent_and_never_without_a_length():
    assert not watching.is_complete(89, duration=100)
    assert watching.is_complete(90, duration=100)
    assert not watching.is_complete(0, duration=0)
