"""Why a learner may not finish a course: the rules, without a database. Pages print them with these numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from apps.learning.models import EnrollmentRollup

Risk = EnrollmentRollup.Risk

QUIET_AFTER = timedelta(days=14)
"""Without anything new in the course."""
STUCK_AFTER = timedelta(days=7)
"""Since the lesson was begun that the learner began last."""
RETURNED_AFTER = timedelta(days=1)
"""Who is active this long after they began a lesson has come back, and doesn't just read slowly."""
SLOW_START_AFTER = timedelta(days=7)
"""Since the enrollment began."""
FAILED_ATTEMPTS = 2
"""Submitted attempts at one quiz, none of them passed."""


@dataclass(frozen=True, kw_only=True)
class QuizAttempts:
    """The submitted attempts of a learner at one quiz that the course has now."""

    lesson: int
    submitted_at: tuple[datetime, ...]
    """Ascending."""
    is_passed: bool = False
    is_waiting: bool = False
    """An essay in one of them has no mark yet, so nobody knows whether it is passed."""


@dataclass(frozen=True, kw_only=True)
class Learning:
    """What the rules need of one active enrollment. Lessons, by primary key, are those that the course has now."""

    enrolled_at: datetime
    last_activity_at: datetime
    is_finished: bool = False
    completed: int = 0
    """How many lessons were completed."""
    last_begun: tuple[datetime, int] | None = None
    """When the lesson was begun that the learner began last, and which it is."""
    is_last_begun_completed: bool = False
    attempts: tuple[QuizAttempts, ...] = ()


@dataclass(frozen=True)
class AtRisk:
    """Why somebody is at risk: since when the rule is met, and the lesson it is about."""

    risk: Risk
    since: datetime
    lesson: int | None = None


def find_risk(learning: Learning, *, now: datetime) -> AtRisk | None:
    """Return why the learner is at risk now; None if they are not.

    Who has finished the course is not at risk. If several rules are met, the first counts of: quiet (nobody reads what
    is wrong with a lesson), failing, stuck, slow start.
    """
    if learning.is_finished:
        return None
    quiet_since = learning.last_activity_at + QUIET_AFTER
    if quiet_since <= now:
        return AtRisk(Risk.QUIET, quiet_since, learning.last_begun[1] if learning.last_begun else None)
    return _find_failing(learning.attempts) or _find_stuck(learning, now) or _find_slow_start(learning, now)


def _find_failing(attempts: Iterable[QuizAttempts]) -> AtRisk | None:
    found = [
        AtRisk(Risk.FAILING, one.submitted_at[FAILED_ATTEMPTS - 1], one.lesson)
        for one in attempts
        if not one.is_passed and not one.is_waiting and len(one.submitted_at) >= FAILED_ATTEMPTS
    ]
    return max(found, key=lambda finding: (finding.since, finding.lesson), default=None)


def _find_stuck(learning: Learning, now: datetime) -> AtRisk | None:
    if learning.last_begun is None or learning.is_last_begun_completed:
        return None
    begun_at, lesson = learning.last_begun
    has_returned = learning.last_activity_at - begun_at >= RETURNED_AFTER
    since = begun_at + STUCK_AFTER
    return AtRisk(Risk.STUCK, since, lesson) if has_returned and since <= now else None


def _find_slow_start(learning: Learning, now: datetime) -> AtRisk | None:
    since = learning.enrolled_at + SLOW_START_AFTER
    return AtRisk(Risk.SLOW_START, since) if not learning.completed and since <= now else None


def mean_of_best(best: Iterable[int]) -> int | None:
    """Return the mean of the best percents, one for each quiz, rounded half up; None for none."""
    percents = list(best)
    return (2 * sum(percents) + len(percents)) // (2 * len(percents)) if percents else None


def describe_risks() -> Mapping[str, str]:
    """Return what pages say each reason means, by its code."""
    return {
        Risk.QUIET: _("Quiet: nothing new for %(days)d days, and not finished") % {"days": QUIET_AFTER.days},
        Risk.STUCK: _("Stuck: began the last lesson %(days)d days ago or earlier, came back since, didn't complete it")
        % {"days": STUCK_AFTER.days},
        Risk.FAILING: _("Failing: %(count)d or more submitted attempts at one quiz, none passed")
        % {"count": FAILED_ATTEMPTS},
        Risk.SLOW_START: _("Slow start: enrolled %(days)d days ago or earlier, no lesson completed")
        % {"days": SLOW_START_AFTER.days},
    }
