"""System checks of what video processing and a bucket need."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from apps.files import scanner
from apps.files.storage import OCTET_STREAM, bucket
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.failures import ProcessingFailed


@register(Tags.files, deploy=True)
def ffmpeg_is_there(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Runs with ``check --deploy`` only, because it starts ffmpeg."""
    try:
        find_ffmpeg(settings.FFMPEG)
    except ProcessingFailed as failure:
        hint = "Install ffmpeg with libx264, or unset FFMPEG to use the one that comes with imageio-ffmpeg."
        return [Error(f"Videos cannot be processed: {failure.note}.", hint=hint, id="files.E001")]
    return []


@register(Tags.files, deploy=True)
def virus_scanner_answers(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Sends clamd a ping."""
    if not scanner.is_enabled():
        return []
    try:
        scanner.ping()
    except scanner.ScannerUnavailable as problem:
        hint = "Until it answers, files wait for their scan. Start clamd, or correct CLAMD_ADDRESS."
        return [Error(f"clamd does not answer: {problem}", hint=hint, id="files.E003")]
    return []


@register(Tags.files, deploy=True)
def browsers_may_go_to_the_bucket(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """The Content-Security-Policy must allow the origin of the bucket's URLs. Sends no request."""
    if not settings.S3_BUCKET:
        return []
    try:
        link = urlsplit(
            bucket().presigned_url("x", seconds=60, kind=OCTET_STREAM, disposition="inline", cache="no-store")
        )
    except Exception as error:  # boto raises many different classes
        return [Error(f"Addresses of the bucket cannot be signed: {error}", id="files.E002")]
    if (signed := f"{link.scheme}://{link.netloc}") != settings.S3_ORIGIN:
        hint = "Set S3_REGION, S3_ENDPOINT_URL and S3_ADDRESSING (virtual or path) as the store wants them."
        return [
            Error(f"Browsers would be sent to {signed} and allowed {settings.S3_ORIGIN}.", hint=hint, id="files.E002")
        ]
    return []
