"""The background jobs of files."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.files import services
from apps.files.errors import UploadBusy
from apps.files.jobs.media import about_video
from apps.files.models import Upload
from studyplatform.kit.errors import StoreFull
from studyplatform.kit.jobs import JobSubject, Postpone, Running, job

MAX_ATTEMPTS = 5


def _about_upload(payloads: Sequence[Mapping[str, Any]]) -> list[JobSubject | None]:
    uids = [str(payload.get("upload", "")) for payload in payloads]
    names = {
        uid.hex: name for uid, name in Upload.objects.filter(uid__in=filter(None, uids)).values_list("uid", "filename")
    }
    return [JobSubject(names[uid]) if uid in names else None for uid in uids]


def _give_up(error: BaseException, *, video: int, version: str) -> None:
    services.give_up(video_id=video, version=uuid.UUID(version))


def _reopen(*, video: int, version: str) -> None:
    services.reopen_video(video_id=video, version=uuid.UUID(version))


@job(
    "files.process_video",
    queue="media",
    max_attempts=MAX_ATTEMPTS,
    on_failure=_give_up,
    on_retry=_reopen,
    label=_("Process a video"),
    about=about_video,
)
def process_video(running: Running, *, video: int, version: str) -> None:
    services.process_video(
        video_id=video,
        version=uuid.UUID(version),
        extend_lease=running.extend_lease,
        is_last_attempt=running.job.attempts >= MAX_ATTEMPTS,
    )


@job("files.expire_upload", label=_("Delete an unfinished upload"), about=_about_upload)
def expire_upload(running: Running, *, upload: str) -> None:
    services.expire_upload(uid=uuid.UUID(upload), now=timezone.now())


@job("files.delete_caption_drafts", label=_("Delete caption files that were not confirmed"))
def delete_caption_drafts(running: Running) -> None:
    services.delete_expired_caption_drafts(now=timezone.now())


@job("files.store_file", label=_("Store a file"), about=_about_upload)
def store_file(running: Running, *, upload: str) -> None:
    services.store_file(uid=uuid.UUID(upload), extend_lease=running.extend_lease)


def _scan_failed(error: BaseException, *, upload: str) -> None:
    services.give_up_scan(uid=uuid.UUID(upload))


def _scan_again(*, upload: str) -> None:
    services.reopen_scan(uid=uuid.UUID(upload))


@job(
    "files.scan", on_failure=_scan_failed, on_retry=_scan_again, label=_("Scan a file for viruses"), about=_about_upload
)
def scan(running: Running, *, upload: str) -> None:
    services.scan_upload(uid=uuid.UUID(upload), extend_lease=running.extend_lease)


@job("files.scan_unscanned", label=_("Scan the files that were uploaded before virus scans were turned on"))
def scan_unscanned(running: Running) -> None:
    services.scan_unscanned(extend_lease=running.extend_lease)


@job("files.concatenate", label=_("Assemble an upload"), about=_about_upload)
def concatenate(running: Running, *, upload: str) -> None:
    try:
        services.concatenate_parts(uid=uuid.UUID(upload), now=timezone.now(), extend_lease=running.extend_lease)
    except (StoreFull, UploadBusy):
        raise Postpone(timedelta(seconds=30)) from None


@job("files.remove", label=_("Remove unused files"))
def remove(running: Running, *, versions: list[str], names: list[str]) -> None:
    services.remove_files(versions=versions, names=names, extend_lease=running.extend_lease)


@job("files.make_thumbnail", label=_("Make a thumbnail"))
def make_thumbnail(running: Running, *, file: str) -> None:
    services.make_thumbnail(uid=uuid.UUID(file))


@job("files.empty_bin", label=_("Empty a bin"))
def empty_bin(running: Running, *, owner: int, until: str) -> None:
    user = User.objects.filter(pk=owner).first()
    if user is not None:
        services.empty_bin(user=user, until=datetime.fromisoformat(until), extend_lease=running.extend_lease)


@job("files.purge_bin", label=_("Delete files that have been in the bin for 30 days"))
def purge_bin(running: Running) -> None:
    services.purge_bin(now=timezone.now(), extend_lease=running.extend_lease)
