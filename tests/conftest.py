"""Fixtures and hooks for all tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from studyplatform.kit.caching.lru import clear_caches
from tests import databases
from tests.assets_build import build_problem
from tests.buckets import s3, s3_server
from tests.cast import ada, ben, browser_of, course, enrollment, eve, leo, mia, nobody, sam
from tests.drafts import edits_in_place
from tests.provider import running_standin, standin

__all__ = [
    "ada",
    "ben",
    "browser_of",
    "course",
    "edits_in_place",
    "enrollment",
    "eve",
    "leo",
    "mia",
    "nobody",
    "running_standin",
    "s3",
    "s3_server",
    "sam",
    "standin",
]


def pytest_configure(config: pytest.Config) -> None:
    """Stop with one message if the assets are not built, instead of failing in every test that renders a page."""
    if "PYTEST_XDIST_WORKER" not in os.environ and (problem := build_problem()):
        pytest.exit(problem, returncode=pytest.ExitCode.USAGE_ERROR)


LONG_TIMEOUT_SECONDS = 3600  # on a machine with other work, what takes two minutes alone may take twenty


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what is marked `long` take its time, unless it says how much."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG_TIMEOUT_SECONDS))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage less often, and not in what was loaded and collected until now: that took a twentieth."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Append each test that had to be rerun to the file that the suite prints at the end."""
    unstable = os.environ.get("UNSTABLE")
    if unstable and str(report.outcome) == "rerun" and "PYTEST_XDIST_WORKER" not in os.environ:
        with Path(unstable).open("a") as file:
            file.write(f"{report.nodeid}\n")


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any, worker_id: str) -> Iterator[None]:
    """Replace pytest-django's fixture: one process creates the tables, the others copy the result."""
    with django_db_blocker.unblock(), databases.prepared(worker_id):
        # Django asks SQLite this once per process: a test that counts queries must not be the first.
        assert connection.features.supports_json_field
        yield


@pytest.fixture
def own_folders(settings: Any, tmp_path: Path) -> Path:
    """Give the test its own folders for uploads, work and media; return their parent."""
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
    """Clear throttles and caches between tests."""
    cache.clear()
    clear_caches()
    yield
    cache.clear()
