"""Storyboards are written into folders of any name."""

import subprocess
from pathlib import Path

import ffmpeg
import pytest

from apps.files.video.binaries import find_ffmpeg
from apps.files.video.filter_graph import compile_arguments
from apps.files.video.storyboard import Storyboard


@pytest.mark.media
def test_the_sheets_are_in_the_folder_whatever_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "100% C#"
    folder.mkdir()
    source = ffmpeg.input("testsrc=duration=150:size=64x48:rate=1", f="lavfi").video
    storyboard = Storyboard(width=32, height=24, interval=1, count=150)
    arguments = compile_arguments(storyboard.output(source, folder))

    subprocess.run([find_ffmpeg(), "-v", "error", *arguments], check=True)
    assert sorted(each.name for each in folder.iterdir()) == ["storyboard-1.jpg", "storyboard-2.jpg"]
