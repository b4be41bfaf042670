"""What every test may ask for."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from studyplatform.kit.keep import clear_all
from tests.buckets import s3, s3_server
from tests.cast import ada, ben, browser_of, course, eve, leo, mia, nobody, sam, seat

__all__ = ["ada", "ben", "browser_of", "course", "eve", "leo", "mia", "nobody", "s3", "s3_server", "sam", "seat"]


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """Throttles and what is kept of one test are no part of the next."""
    cache.clear()
    clear_all()
    yield
    cache.clear()
