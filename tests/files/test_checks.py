"""A system check reports a missing ffmpeg before the first video is uploaded."""

from typing import Any

from apps.files.checks import ffmpeg_is_there


def test_ffmpeg_is_found_without_settings() -> None:
    assert ffmpeg_is_there(None) == []


def test_an_invalid_ffmpeg_path_is_reported_with_a_hint(settings: Any) -> None:
    settings.FFMPEG = "/bin/true"

    (message,) = ffmpeg_is_there(None)

    assert message.id == "files.E001"
    assert "imageio-ffmpeg" in str(message.hint)
