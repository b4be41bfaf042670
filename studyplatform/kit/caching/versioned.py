"""Answers that many readers share, kept in this process while the version of what they tell is the same."""

import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from studyplatform.kit.caching import table_versions
from studyplatform.kit.caching.lru import Kept

T = TypeVar("T")


class Memo(Generic[T]):
    """Values by key under a version, each for some seconds.

    The time limits what no version follows, e.g. a count of learners. With no version at all the time alone counts.
    """

    def __init__(self, version: str | None, *, seconds: float = 60, size: int = 128) -> None:
        self.version = version
        self.seconds = seconds
        self._kept: Kept[tuple[float, T]] = Kept(size)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value, made anew if it is not known, too old, or of another version."""
        version = "" if self.version is None else table_versions.current(self.version)
        if version is None:
            return make()
        known = self._kept.get((version, key))
        if known is not None and known[0] > time.monotonic():
            return known[1]
        value = make()
        self._kept.put((version, key), (time.monotonic() + self.seconds, value))
        return value
