"""How long reading takes at least."""

from datetime import timedelta

from apps.learning.activity.reading import MAX_SECONDS, least_seconds, seconds_to_wait


def test_a_fast_reader_takes_a_second_for_ten_words_and_is_not_kept_for_ever():
    assert [least_seconds("word " * count) for count in (0, 9, 10, 600, 100_000)] == [0, 0, 1, 60, MAX_SECONDS]


def test_the_wait_runs_from_the_opening_and_is_rounded_up(now):
    text = "word " * 600

    waits = [
        seconds_to_wait(text, opened_at=now, now=now + timedelta(seconds=passed)) for passed in (0, 0.5, 59.9, 60, 90)
    ]
    assert waits == [60, 60, 1, 0, 0]
