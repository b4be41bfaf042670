"""Background work on files: each job loads by id and calls one service."""

import uuid

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.files import services
from studyplatform.kit.jobs import Running, job

TRIES = 5


def _give_up(error: BaseException, *, video: int, version: str) -> None:
    services.give_up(video_id=video, version=uuid.UUID(version))


def _take_up_again(*, video: int, version: str) -> None:
    services.reopen_video(video_id=video, version=uuid.UUID(version))


@job(
    "files.process_video",
    queue="media",
    max_attempts=TRIES,
    on_failure=_give_up,
    on_retry=_take_up_again,
    label=_("Process a video"),
)
def process_video(running: Running, *, video: int, version: str) -> None:
    services.process_video(
        video_id=video,
        version=uuid.UUID(version),
        keep=running.keep,
        last_try=running.job.attempts >= TRIES,
    )


@job("files.expire_upload", label=_("Delete an unfinished upload"))
def expire_upload(running: Running, *, upload: str) -> None:
    services.expire_upload(uid=uuid.UUID(upload), now=timezone.now())


@job("files.store_file", label=_("Store a file"))
def store_file(running: Running, *, upload: str) -> None:
    services.store_file(uid=uuid.UUID(upload), keep=running.keep)


@job("files.remove", label=_("Remove unused files"))
def remove(running: Running, *, versions: list[str], names: list[str]) -> None:
    services.remove_files(versions=versions, names=names, keep=running.keep)
