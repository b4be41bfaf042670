"""How much time for learning a learner has had and not used yet: pure arithmetic (docs/adr/0013).

The unit is one second of a lesson. A second of the clock brings RATE of them: one person, two devices, the fastest
speed. What has come and is not used lies in ``spans``, oldest first: ``[start, seconds]`` holds what came from
``start`` until the next span begins. A span begins whenever a lesson is opened for the first time, so each lesson
can be given exactly what has come since it was opened: time that passed before is no time spent on it.

Moments are seconds since 1970, as ``datetime.timestamp()`` gives them.
"""

from dataclasses import dataclass, replace

from apps.learning.activity.watching import MAX_SPEED

DEVICES = 2
RATE = float(MAX_SPEED * DEVICES)
ALLOWANCE = 30.0  # seconds that a learner may be ahead of the clock: a message's way, buffering, rounding
MOST = 7200.0  # what is kept for later at most, so that a week's pause is not a week of learning
SPANS = 20  # more lessons opened at once than that share what came between the oldest of them

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """One learner's time. ``ahead`` is what was given before its time had come, at most ALLOWANCE."""

    spans: tuple[Span, ...] = ()
    ahead: float = 0.0
    counted_at: float


def passed(budget: Budget, now: float) -> Budget:
    """The budget after the clock has moved on. A clock that went back adds nothing."""
    if now <= budget.counted_at:
        return budget
    came = min((now - budget.counted_at) * RATE, MOST + budget.ahead)
    paid_back = min(came, budget.ahead)
    spans = list(budget.spans) or [(budget.counted_at, 0.0)]
    start, seconds = spans[-1]
    spans[-1] = (start, seconds + came - paid_back)
    return Budget(spans=_keep_the_newest(spans), ahead=budget.ahead - paid_back, counted_at=now)


def opened(budget: Budget, now: float) -> Budget:
    """The budget after a lesson was opened: from here on a new span counts. It was opened at ``counted_at``."""
    budget = passed(budget, now)
    spans = [*budget.spans, (budget.counted_at, 0.0)]
    while len(spans) > SPANS:
        # The two oldest become one that began with the older: lessons opened between them lose it.
        (start, first), (_, second), *rest = spans
        spans = [(start, first + second), *rest]
    return replace(budget, spans=tuple(spans))


def available(budget: Budget, since: float) -> float:
    """How many seconds a lesson opened at ``since`` may be given."""
    return sum(seconds for start, seconds in budget.spans if start >= since) + ALLOWANCE - budget.ahead


def spend(budget: Budget, seconds: float, since: float) -> Budget:
    """The budget after a lesson opened at ``since`` was given this much: the oldest first, then ahead of the clock.

    :raises ValueError: that much is not available.
    """
    if seconds > available(budget, since):
        raise ValueError(seconds)
    spans: list[Span] = []
    for start, there in budget.spans:
        used = min(there, seconds) if start >= since else 0.0
        seconds -= used
        spans.append((start, there - used))
    return replace(budget, spans=tuple(spans), ahead=budget.ahead + seconds)


def _keep_the_newest(spans: list[Span]) -> tuple[Span, ...]:
    kept: list[Span] = []
    room = MOST
    for start, seconds in reversed(spans):
        kept.append((start, min(seconds, room)))
        room -= kept[-1][1]
    return tuple(reversed(kept))
