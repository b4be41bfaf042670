"""Fixtures of the video tests. Clips and processed videos are created once per session."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.files.video import pipeline
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.recipe import Recipe
from apps.files.video.work import Published, Work
from tests.files.clips import ClipLibrary


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipLibrary:
    # The parent of the folders of the xdist workers, so that all workers share the clips.
    temp = tmp_path_factory.getbasetemp()
    return ClipLibrary((temp.parent if "PYTEST_XDIST_WORKER" in os.environ else temp) / "clips")


@pytest.fixture
def recipe() -> Recipe:
    return Recipe(niceness=10)


@pytest.fixture
def work_on(tmp_path: Path) -> Callable[[Path], Work]:
    """Create the `Work` on a file in the folder of the test."""

    def prepare(source: Path) -> Work:
        return Work(source=source, folder=tmp_path / f"work-{source.name}", ffmpeg=find_ffmpeg())

    return prepare


@pytest.fixture(scope="session")
def processed(clip: ClipLibrary, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Work, Published]]:
    """Return the processed video of a clip. A clip is processed when it is first requested."""
    finished: dict[str, tuple[Work, Published]] = {}

    def process(name: str) -> tuple[Work, Published]:
        if name not in finished:
            folder = tmp_path_factory.mktemp("processed") / name
            work = Work(source=clip(name), folder=folder, ffmpeg=find_ffmpeg())
            finished[name] = (work, pipeline.process(work))
        return finished[name]

    return process
