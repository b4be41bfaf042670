"""Says in time what would otherwise be found out when the first video is processed."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from apps.files.video.binaries import find_ffmpeg
from apps.files.video.failures import ProcessingFailed


@register(Tags.files, deploy=True)
def ffmpeg_is_there(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Part of ``check --deploy`` alone: it starts ffmpeg, which every other command can do without."""
    try:
        find_ffmpeg(settings.FFMPEG)
    except ProcessingFailed as failure:
        hint = "Install ffmpeg with libx264, or unset FFMPEG to use the one that comes with imageio-ffmpeg."
        return [Error(f"Videos cannot be processed: {failure.note}.", hint=hint, id="files.E001")]
    return []
