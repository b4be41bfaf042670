"""The one kind of registry behind all extension points."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Registry(dict[str, T]):
    """What apps add at one extension point, by name.

    An app registers when it is loaded, in the module that ``studyplatform/kit/apps.py`` imports at start.
    """

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what
        self._order: dict[str, int] = {}

    def register(self, name: str, item: T, *, order: int = 100) -> T:
        """Add an item and return it. Lower ``order`` comes first in :meth:`ordered`.

        :raises ValueError: the name is taken.
        """
        if name in self:
            raise ValueError(f"{self.what}: {name!r} is registered already")
        self[name] = item
        self._order[name] = order
        return item

    def registers(self, name: str, *, order: int = 100) -> Callable[[T], T]:
        """The same as a decorator: ``@sitemap_entries.registers("courses")``."""

        def add(item: T) -> T:
            return self.register(name, item, order=order)

        return add

    def ordered(self) -> list[T]:
        """All items by ``order``, then by time of registration."""
        return [self[name] for name in sorted(self, key=lambda name: self._order.get(name, 100))]
