"""Says in time what would otherwise be found out when the first video is processed."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from apps.files.storage import ANYTHING, bucket
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


@register(Tags.files, deploy=True)
def browsers_may_go_to_the_bucket(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """The policy that pages carry must name the very host to which addresses of the bucket lead. Asks no network."""
    if not settings.S3_BUCKET:
        return []
    try:
        link = urlsplit(bucket().link("x", seconds=60, kind=ANYTHING, disposition="inline", cache="no-store"))
    except Exception as error:  # boto's own kinds, of which it has many
        return [Error(f"Addresses of the bucket cannot be signed: {error}", id="files.E002")]
    if (signed := f"{link.scheme}://{link.netloc}") != settings.S3_ORIGIN:
        hint = "Set S3_REGION, S3_ENDPOINT_URL and S3_ADDRESSING (virtual or path) as the store wants them."
        return [
            Error(f"Browsers would be sent to {signed} and allowed {settings.S3_ORIGIN}.", hint=hint, id="files.E002")
        ]
    return []
