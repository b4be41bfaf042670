"""Background jobs of what is made of videos: captions, covers, measurements."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from apps.files import services
from apps.files.models import VideoAsset
from studyplatform.kit.jobs import JobSubject, Running, job


def about_video(payloads: Sequence[Mapping[str, Any]]) -> list[JobSubject | None]:
    videos = VideoAsset.objects.only("filename").in_bulk([payload.get("video", 0) for payload in payloads])
    found = [videos.get(payload.get("video", 0)) for payload in payloads]
    return [
        JobSubject(video.filename, reverse("admin:files_videoasset_change", args=[video.pk])) if video else None
        for video in found
    ]


def _captions_failed(error: BaseException, *, captions: str) -> None:
    services.fail_automatic_captions(uid=uuid.UUID(captions), reason="crashed", now=timezone.now())


def _captions_again(*, captions: str) -> None:
    services.reopen_automatic_captions(uid=uuid.UUID(captions))


@job(
    "files.write_captions",
    on_failure=_captions_failed,
    on_retry=_captions_again,
    label=_("Write or translate captions"),
)
def write_captions(running: Running, *, captions: str) -> None:
    # Not above: it loads HTTPX, which only sites with a model need.
    work = import_string("apps.files.services.writing_captions.write_captions")
    work(uid=uuid.UUID(captions), extend_lease=running.extend_lease, now=timezone.now())


@job("files.remove_arrival", label=_("Remove what an unfinished import has left"))
def remove_arrival(running: Running, *, folder: str, names: list[str]) -> None:
    services.remove_arrival(folder=folder, names=names, extend_lease=running.extend_lease)


@job("files.restore_cover", label=_("Cut the cover of a video again"), about=about_video)
def restore_cover(running: Running, *, video: int, at: float) -> None:
    services.restore_cover(video_id=video, at=at)


@job("files.measure_sound", queue="media", label=_("Measure the sound of a video"), about=about_video)
def measure_sound(running: Running, *, video: int, directory: str) -> None:
    services.measure_sound(video_id=video, directory=directory, extend_lease=running.extend_lease)
