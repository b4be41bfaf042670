"""The minimum time to read a text."""

from datetime import datetime, timedelta

FASTEST_READING = 10  # words per second: three times the speed that the course page assumes
USUAL_READING = 2  # words per second of somebody who studies a text
MAX_SECONDS = 180  # the longest wait, however long the text is


def least_seconds(text: str) -> int:
    """Return the minimum number of whole seconds needed to read this text."""
    return min(len(text.split()) // FASTEST_READING, MAX_SECONDS)


def usual_seconds(text: str) -> int:
    """Return how many whole seconds a learner spends on this text at most; at least a minute."""
    return max(60, len(text.split()) // USUAL_READING)


def seconds_to_wait(text: str, *, opened_at: datetime, now: datetime) -> int:
    """Return after how many whole seconds, rounded up, a text opened at ``opened_at`` can have been read."""
    left = opened_at + timedelta(seconds=least_seconds(text)) - now
    return max(0, -(-left // timedelta(seconds=1)))
