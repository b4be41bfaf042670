"""What every test may ask for."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from studyplatform.kit.keep import clear_all
from tests.buckets import s3, s3_server
from tests.cast import ada, ben, browser_of, course, eve, leo, mia, nobody, sam, seat

__all__ = ["ada", "ben", "browser_of", "course", "eve", "leo", "mia", "nobody", "s3", "s3_server", "sam", "seat"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks the database: only this has to run once more on another one (tests/suite.py)."""
    for item in items:
        asks = {"db", "transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
        if asks or item.get_closest_marker("django_db"):
            item.add_marker("database")


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """Throttles and what is kept of one test are no part of the next."""
    cache.clear()
    clear_all()
    yield
    cache.clear()
