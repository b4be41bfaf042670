"""Answers that many readers share, remembered in this process for a moment.

Unlike Django's cache nothing is copied: what is remembered must not be changed by whoever gets it.
All processes that share a cache forget together; without a shared one the others forget in time.
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.core.cache import cache

T = TypeVar("T")


class Memo(Generic[T]):
    """Values by key, each for some seconds, until somebody says ``forget``."""

    def __init__(self, name: str, *, seconds: float = 60, size: int = 256) -> None:
        self.name = f"memo.{name}"
        self.seconds = seconds
        self.size = size
        self._token = ""
        self._values: OrderedDict[Hashable, tuple[float, T]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value, made anew if it is not known, too old, or forgotten."""
        token = cache.get(self.name)
        if token is None:
            token = secrets.token_hex(8)
            cache.set(self.name, token, None)
        if token != self._token:
            self._token, self._values = token, OrderedDict()
        # Another thread may forget meanwhile: it replaces the whole table, this one keeps its own.
        values, now = self._values, time.monotonic()
        known = values.get(key)
        if known is not None and known[0] > now:
            return known[1]
        value = make()
        values[key] = (now + self.seconds, value)
        while len(values) > self.size:
            values.popitem(last=False)
        return value

    def forget(self) -> None:
        """Let every process that shares the cache make its values anew."""
        cache.delete(self.name)
