"""How long reading a text takes at least: pure arithmetic."""

from datetime import datetime, timedelta

FAST_READER = 10  # words per second: three times what the course page reckons with, faster than anyone reads with care
LONGEST = 180  # seconds after which nobody is kept waiting, however long the text


def least_seconds(text: str) -> int:
    """Whole seconds before which nobody has read this text."""
    return min(len(text.split()) // FAST_READER, LONGEST)


def seconds_to_wait(text: str, *, opened_at: datetime, now: datetime) -> int:
    """Whole seconds, rounded up, until a text that was opened then can have been read; 0 if it can."""
    left = opened_at + timedelta(seconds=least_seconds(text)) - now
    return max(0, -(-left // timedelta(seconds=1)))
