"""Work that takes much memory or long: so many at once in a process, of all people or of each."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from studyplatform.kit.errors import RateLimitExceeded


class Turns:
    """``at_once`` may work at the same time; who waits longer than ``patience`` seconds is asked to come back."""

    def __init__(self, at_once: int, *, patience: float = 20.0) -> None:
        self._free = BoundedSemaphore(at_once)
        self._patience = patience

    @contextmanager
    def turn(self) -> Iterator[None]:
        """
        :raises RateLimitExceeded: too many were before this one.
        """
        if not self._free.acquire(timeout=self._patience):
            raise RateLimitExceeded(wait=max(1, round(self._patience)))
        try:
            yield
        finally:
            self._free.release()


class Shares:
    """``each`` of one person may work at the same time; the next is asked to come back, without a wait."""

    def __init__(self, each: int, *, pause: int = 5) -> None:
        self._each = each
        self._pause = pause
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()

    @contextmanager
    def share(self, who: Hashable) -> Iterator[None]:
        """
        :raises RateLimitExceeded: the person has so many at work.
        """
        with self._lock:
            if self._taken[who] >= self._each:
                raise RateLimitExceeded(wait=self._pause)
            self._taken[who] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[who] -= 1
                if not self._taken[who]:
                    del self._taken[who]
