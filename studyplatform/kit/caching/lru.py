"""A cache in the memory of this process that drops what was used least recently."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakSet

V = TypeVar("V")


class LruCache(Generic[V]):
    """Values by key, up to ``max_weight`` in all; ``weigh`` gives the weight of a value (1 by default). Thread-safe.

    Values are shared between requests: never change one.
    """

    instances: "WeakSet[LruCache[object]]" = WeakSet()

    def __init__(self, max_weight: int, weigh: Callable[[V], int] = lambda value: 1) -> None:
        self.max_weight = max_weight
        self.weigh = weigh
        self.weight = 0
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()
        self.instances.add(self)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> V | None:
        """The value, or None."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: Hashable, value: V) -> V:
        """Store the value and return it; drop the least recently used values if the weight is too high."""
        with self._lock:
            old = self._values.pop(key, None)
            self.weight -= self.weigh(old) if old is not None else 0
            self._values[key] = value
            self.weight += self.weigh(value)
            while self.weight > self.max_weight and self._values:
                self.weight -= self.weigh(self._values.popitem(last=False)[1])
        return value

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._values.clear()
            self.weight = 0


def clear_caches() -> None:
    """Empty every cache of this process."""
    for cache in list(LruCache.instances):
        cache.clear()
