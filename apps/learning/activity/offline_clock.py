"""When something was done on a device that has no connection, by a clock that may be wrong. Without a database.

What a device says of its past is believed within what the server knows: not before the server knew the device, and not
later than now. Where that can't be, the clock was wrong, by a month perhaps, and nothing is known but that it was after
the former: all of it counts as done at that moment, whatever arrives first. How much time passed between two readings
of the clock is believed all the same, as far as there was so much time.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

TOLERANCE = timedelta(minutes=5)
"""By which a device's clock may be ahead of the server's and is still taken as right."""


@dataclass(frozen=True, kw_only=True)
class Window:
    """The time in which something can have been done: since the server knew of the device, until now."""

    since: datetime
    now: datetime

    def trusts(self, at: datetime) -> bool:
        """Return whether a device's clock can have been right when it said this."""
        return self.since <= at <= self.now + TOLERANCE

    def place(self, at: datetime) -> datetime:
        """Return when something counts as done; the begin of the window if the clock was wrong."""
        return min(at, self.now) if self.trusts(at) else self.since

    def seconds_between(self, began_at: datetime, ended_at: datetime) -> float:
        """Return how many seconds passed between two readings of the device's clock: at most as many as there were."""
        most = (self.now - self.since).total_seconds()
        return max(0.0, min((ended_at - began_at).total_seconds(), most))
