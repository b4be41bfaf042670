"""What every test may ask for."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from tests.cast import ada, ben, browser_of, course, eve, leo, mia, nobody, sam, seat

__all__ = ["ada", "ben", "browser_of", "course", "eve", "leo", "mia", "nobody", "sam", "seat"]


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """Throttles and cached fragments of one test are no part of the next."""
    cache.clear()
    yield
    cache.clear()
