"""How much of a course a learner has consumed, without a database: the rule of refunds.

A video counts by the share of its seconds that were watched or fetched, at whatever speed and in whatever order; a text
once it was opened; a file once it was downloaded; a quiz once it was taken. What is complete counts whole. A lesson of
any kind counts at least by the share of its files that were downloaded: its downloads, and files that its texts link.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class LessonShare:
    """A lesson with its length in seconds (0: unknown) and the share of it that was consumed, from 0 to 1."""

    duration: int
    share: Fraction


def consumed_percent(lessons: Collection[LessonShare]) -> int:
    """Return how much of a course was consumed, in percent, rounded down.

    The greater of two shares: of the lessons, each counting the same as in completion, and of their hours. So neither
    many short lessons nor one long one hides what was used. A lesson of unknown length is as long as the others are on
    average.
    """
    if not lessons:
        return 0
    by_count = sum((each.share for each in lessons), Fraction(0)) / len(lessons)
    known = [each.duration for each in lessons if each.duration > 0]
    usual = Fraction(sum(known), len(known)) if known else Fraction(1)
    weights = [Fraction(each.duration) if each.duration > 0 else usual for each in lessons]
    pairs = zip(lessons, weights, strict=True)
    by_time = sum((each.share * weight for each, weight in pairs), Fraction(0)) / sum(weights)
    return int(100 * max(by_count, by_time))
