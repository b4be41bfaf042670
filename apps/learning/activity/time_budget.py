"""A learner's unused learning time, without a database (docs/adr/0013).

The unit is one second of a lesson. Each second of real time adds RATE of them: one learner, two devices, the fastest
playback rate. Unused time is stored in ``spans``, oldest first: ``[start, seconds]`` holds what was added from
``start`` until the next span starts. A new span starts whenever a lesson is opened for the first time, so a lesson
can use exactly the time that was added since it was opened.

Moments are Unix timestamps in seconds, as ``datetime.timestamp()`` returns them.
"""

from dataclasses import dataclass, replace

from apps.learning.activity.watching import MAX_SPEED

DEVICES = 2
RATE = float(MAX_SPEED * DEVICES)
ALLOWANCE = 30.0  # seconds that a learner may be ahead of real time, for network delays, buffering and rounding
MAX_UNUSED = 7200.0  # the most that is stored, so that a week's pause does not become a week of learning time
MAX_SPANS = 20  # with more lessons open, the oldest of them share a span

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """One learner's unused time. ``ahead`` is the time used in advance, at most ALLOWANCE."""

    spans: tuple[Span, ...] = ()
    ahead: float = 0.0
    counted_at: float


def advance(budget: Budget, now: float) -> Budget:
    """Return the budget at ``now``, with the time added since its last update. A clock set back adds nothing."""
    if now <= budget.counted_at:
        return budget
    added = min((now - budget.counted_at) * RATE, MAX_UNUSED + budget.ahead)
    repaid = min(added, budget.ahead)
    spans = list(budget.spans) or [(budget.counted_at, 0.0)]
    start, seconds = spans[-1]
    spans[-1] = (start, seconds + added - repaid)
    return Budget(spans=_newest(spans), ahead=budget.ahead - repaid, counted_at=now)


def start_span(budget: Budget, now: float) -> Budget:
    """Return the budget with a new span for a lesson that was just opened, at the result's ``counted_at``."""
    budget = advance(budget, now)
    spans = [*budget.spans, (budget.counted_at, 0.0)]
    while len(spans) > MAX_SPANS:
        # The two oldest spans become one that starts with the older: lessons opened between them lose its time.
        (start, first), (_, second), *rest = spans
        spans = [(start, first + second), *rest]
    return replace(budget, spans=tuple(spans))


def seconds_available(budget: Budget, since: float) -> float:
    """Return how many seconds a lesson opened at ``since`` may use."""
    return sum(seconds for start, seconds in budget.spans if start >= since) + ALLOWANCE - budget.ahead


def spend(budget: Budget, seconds: float, since: float) -> Budget:
    """Return the budget after a lesson opened at ``since`` used this much: the oldest spans first, then in advance.

    :raises ValueError: that much is not available.
    """
    if seconds > seconds_available(budget, since):
        raise ValueError(seconds)
    spans: list[Span] = []
    for start, there in budget.spans:
        used = min(there, seconds) if start >= since else 0.0
        seconds -= used
        spans.append((start, there - used))
    return replace(budget, spans=tuple(spans), ahead=budget.ahead + seconds)


def _newest(spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans, cut from the oldest on so that they hold at most ``MAX_UNUSED`` seconds."""
    newest: list[Span] = []
    remaining = MAX_UNUSED
    for start, seconds in reversed(spans):
        newest.append((start, min(seconds, remaining)))
        remaining -= newest[-1][1]
    return tuple(reversed(newest))
