"""The least time that reading a text takes."""

from datetime import datetime, timedelta

FASTEST_READING = 10  # words per second: three times the speed that the course page assumes
MAX_SECONDS = 180  # nobody has to wait longer than this, whatever the length of the text


def least_seconds(text: str) -> int:
    """Return the least number of whole seconds that reading this text takes."""
    return min(len(text.split()) // FASTEST_READING, MAX_SECONDS)


def seconds_to_wait(text: str, *, opened_at: datetime, now: datetime) -> int:
    """Return after how many whole seconds, rounded up, a text opened at ``opened_at`` can have been read."""
    left = opened_at + timedelta(seconds=least_seconds(text)) - now
    return max(0, -(-left // timedelta(seconds=1)))
