"""What every test may ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

from studyplatform.kit.keep import clear_all
from tests.buckets import s3, s3_server
from tests.cast import ada, ben, browser_of, course, eve, leo, mia, nobody, sam, seat

__all__ = ["ada", "ben", "browser_of", "course", "eve", "leo", "mia", "nobody", "s3", "s3_server", "sam", "seat"]


@pytest.fixture
def own_folders(settings: Any, tmp_path: Path) -> Path:
    """Uploads, work and media of this test alone, in folders of these names; answers where they are."""
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "media")},
        },
    }
    return tmp_path


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """Throttles and what is kept of one test are no part of the next."""
    cache.clear()
    clear_all()
    yield
    cache.clear()
