"""Values that many readers share, cached until the version of their tables changes."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

from studyplatform.kit.caching import table_versions
from studyplatform.kit.caching.lru import LruCache

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

_next_stamp = count().__next__


@dataclass(frozen=True)
class Stamped:
    """Base class of cached values from which HTML is rendered: the unique ``stamp`` is the key of the fragment."""

    stamp: int = field(default_factory=_next_stamp, kw_only=True, compare=False)


class VersionedCache(Generic[T]):
    """Values by key, cached while the version is the same and for at most ``seconds``.

    ``version`` is a name of ``table_versions``, or None to go by the time alone. The time limits what no version
    follows, e.g. a number of learners. ``size`` is the highest number of values.
    """

    def __init__(self, version: str | None, *, seconds: float = 60, size: int = 128) -> None:
        self.version = version
        self.seconds = seconds
        self._values: LruCache[tuple[float, T]] = LruCache(size)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached value, or that of ``make()``."""
        return self.get_many([key], lambda missing: [make()])[0]

    def get_many(self, keys: Sequence[K], make: Callable[[list[K]], Sequence[T]]) -> list[T]:
        """The values of the keys, in order; ``make`` gets the keys that are not cached and returns their values."""
        version = "" if self.version is None else table_versions.current(self.version)
        if version is None:  # unknown: the database is being migrated
            return list(make(list(keys)))
        now = time.monotonic()
        found: dict[K, T] = {}
        for key in keys:
            cached = self._values.get((version, key))
            if cached is not None and cached[0] > now:
                found[key] = cached[1]
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            for key, value in zip(missing, make(missing), strict=True):
                self._values.put((version, key), (time.monotonic() + self.seconds, value))
                found[key] = value
        return [found[key] for key in keys]
