"""What this process keeps in memory: the most recently used, up to a weight."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakSet

V = TypeVar("V")


class Kept(Generic[V]):
    """Values by key; when they weigh more than ``most``, those not used for longest go.

    Nothing is copied: whoever gets a value must not change it.
    """

    everything: "WeakSet[Kept[object]]" = WeakSet()

    def __init__(self, most: int, weigh: Callable[[V], int] = lambda value: 1) -> None:
        self.most = most
        self.weigh = weigh
        self.weight = 0
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()
        self.everything.add(self)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: Hashable, value: V) -> V:
        with self._lock:
            old = self._values.pop(key, None)
            self.weight -= self.weigh(old) if old is not None else 0
            self._values[key] = value
            self.weight += self.weigh(value)
            while self.weight > self.most and self._values:
                self.weight -= self.weigh(self._values.popitem(last=False)[1])
        return value

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self.weight = 0


def clear_all() -> None:
    """Keep nothing any more, as a process that has just started."""
    for kept in list(Kept.everything):
        kept.clear()
