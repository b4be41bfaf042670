"""What becomes due by itself: trial ends, renewals, further attempts at a payment, payouts."""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from apps.billing.standin.work import Work

if TYPE_CHECKING:
    from apps.billing.standin.standin import Standin

log = logging.getLogger(__name__)
Due = Callable[[Work, str], None]
_WORK: dict[str, Due] = {}


def due(name: str) -> Callable[[Due], Due]:
    """Declare what :meth:`Work.schedule` does under a name: a function of the unit of work and the object's id."""

    def declare(function: Due) -> Due:
        _WORK[name] = function
        return function

    return declare


class Scheduler:
    """Runs due work in the order of its moments, each in a transaction of its own that carries that moment."""

    def __init__(self, standin: "Standin") -> None:
        self.standin = standin
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def run(self, until: float) -> int:
        """Do everything that is due at ``until``; returns how much there was."""
        count = 0
        store = self.standin.store
        while True:
            with store.transaction() as db:
                row = db.execute(
                    "SELECT seq, moment, work, id, account FROM due WHERE moment<=? ORDER BY moment, seq LIMIT 1",
                    [until],
                ).fetchone()
                if row is None:
                    break
                seq, moment, name, id, account = row
                db.execute("DELETE FROM due WHERE seq=?", [seq])
                _WORK[name](Work(self.standin, db, moment, account), id)
                count += 1
        if count:
            self.standin.webhooks.wake()
        return count

    def start(self, every: float = 1.0) -> None:
        """Look for due work in a thread, as long as the stand-in serves."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._loop, args=[every], name="standin-scheduler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread:
            self._thread.join()
            self._thread = None

    def _loop(self, every: float) -> None:
        while not self._stop.wait(every):
            try:
                self.run(self.standin.clock.now())
            except Exception:
                log.exception("Work that was due failed; it will be tried again")
