"""Clips and their finished forms, made once for all tests that look at them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.files.video import pipeline
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.recipe import Recipe
from apps.files.video.work import Published, Work
from tests.files.clips import ClipShelf


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipShelf:
    # Beside the folders of the run's processes, so that all of them take from one shelf.
    own = tmp_path_factory.getbasetemp()
    return ClipShelf((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "clips")


@pytest.fixture
def recipe() -> Recipe:
    return Recipe(niceness=10)


@pytest.fixture
def work_on(tmp_path: Path) -> Callable[[Path], Work]:
    """Prepare work on a file, in a folder of this test's own."""

    def prepare(source: Path) -> Work:
        return Work(source=source, folder=tmp_path / f"work-{source.name}", ffmpeg=find_ffmpeg())

    return prepare


@pytest.fixture(scope="session")
def processed(clip: ClipShelf, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Work, Published]]:
    """Answer the finished form of a clip; it is made when it is first asked for."""
    finished: dict[str, tuple[Work, Published]] = {}

    def process(name: str) -> tuple[Work, Published]:
        if name not in finished:
            folder = tmp_path_factory.mktemp("processed") / name
            work = Work(source=clip(name), folder=folder, ffmpeg=find_ffmpeg())
            finished[name] = (work, pipeline.process(work))
        return finished[name]

    return process
