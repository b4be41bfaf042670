"""Limits on how much expensive work (memory or time) runs at once in a process, in total or per user."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from studyplatform.kit.errors import RateLimitExceeded


class ConcurrencyLimit:
    """Lets ``limit`` threads work at once. The others wait up to ``max_wait`` seconds, then are refused."""

    def __init__(self, limit: int, *, max_wait: float = 20.0) -> None:
        self._free = BoundedSemaphore(limit)
        self._max_wait = max_wait

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Occupy one of the slots while the block runs.

        :raises RateLimitExceeded: no slot became free in time.
        """
        if not self._free.acquire(timeout=self._max_wait):
            raise RateLimitExceeded(wait=max(1, round(self._max_wait)))
        try:
            yield
        finally:
            self._free.release()


class ConcurrencyLimitPerUser:
    """Lets ``limit`` requests of one user work at once; others are refused for ``retry_after`` seconds."""

    def __init__(self, limit: int, *, retry_after: int = 5) -> None:
        self._limit = limit
        self._retry_after = retry_after
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()

    @contextmanager
    def slot(self, user: Hashable) -> Iterator[None]:
        """Occupy one of the user's slots while the block runs.

        :raises RateLimitExceeded: all of them are occupied.
        """
        with self._lock:
            if self._taken[user] >= self._limit:
                raise RateLimitExceeded(wait=self._retry_after)
            self._taken[user] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[user] -= 1
                if not self._taken[user]:
                    del self._taken[user]
