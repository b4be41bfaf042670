"""Work that takes much memory: so many at once in a process, the others wait their turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

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
