"""Find ffmpeg: the system's, otherwise the one in the `imageio-ffmpeg` package."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import imageio_ffmpeg

from .failures import ProcessingFailed

#: The encoders that the pipeline needs; some distributions omit some of them.
ENCODERS = (" libx264 ", " aac ", " mjpeg ", " webvtt ")


@lru_cache(maxsize=8)
def find_ffmpeg(preferred: str = "") -> Path:
    """Return the path of an ffmpeg with the required encoders.

    `preferred` is a name or path from the settings; if it is empty, the system's ffmpeg is tried, then the package's.

    :raises ProcessingFailed: there is no usable ffmpeg.
    """
    for name in (preferred,) if preferred else ("ffmpeg",):
        found = shutil.which(name)
        if found is not None and _can_encode(found):
            return Path(found)
    if preferred:
        raise ProcessingFailed("binary", f"{preferred} cannot be used", retry=True)
    try:
        return Path(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as problem:
        raise ProcessingFailed("binary", str(problem), retry=True) from None


def _can_encode(path: str) -> bool:
    try:
        ran = subprocess.run(  # noqa: S603 (a program from PATH or the settings, no user input)
            [path, "-hide_banner", "-encoders"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0 and all(name in ran.stdout for name in ENCODERS)
