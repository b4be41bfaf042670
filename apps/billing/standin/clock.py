"""The stand-in's clock: the real time plus an offset that tests and demos move."""

import time
from collections.abc import Callable

DAY = 86_400


class Clock:
    """Seconds since 1970. Moving it runs everything that becomes due on the way, in the order of its due time."""

    def __init__(self, run_due: Callable[[float], None], keep: Callable[[float], None], offset: float = 0.0) -> None:
        self.offset = offset
        self._run_due = run_due
        self._keep = keep

    def now(self) -> int:
        """The present time of the stand-in, in whole seconds."""
        return int(self.exact())

    def exact(self) -> float:
        """The present time of the stand-in, in seconds."""
        return time.time() + self.offset

    def set(self, moment: float) -> None:
        """Move to a moment. Moving back is allowed and runs nothing."""
        if moment > self.exact():
            self._run_due(moment)
        self.offset = moment - time.time()
        self._keep(self.offset)

    def advance(self, seconds: float = 0, *, days: float = 0) -> None:
        """Move forward by seconds and days."""
        self.set(self.exact() + seconds + days * DAY)

    def reset(self) -> None:
        """Follow the real time again."""
        self.offset = 0.0
        self._keep(self.offset)
