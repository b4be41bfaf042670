"""The minimum time to read a text."""

from datetime import timedelta

from apps.learning.activity.reading import MAX_SECONDS, least_seconds, seconds_to_wait


def test_the_minimum_reading_time_is_a_second_for_ten_words_up_to_a_limit():
    assert [least_seconds("word " * count) for count in (0, 9, 10, 600, 100_000)] == [0, 0, 1, 60, MAX_SECONDS]


def test_the_wait_starts_at_the_opening_and_is_rounded_up(now):
    text = "word " * 600

    waits = [
        seconds_to_wait(text, opened_at=now, now=now + timedelta(seconds=passed)) for passed in (0, 0.5, 59.9, 60, 90)
    ]
    assert waits == [60, 60, 1, 0, 0]
