"""The virus scan of what users upload (docs/operations.md). Without ``CLAMD_ADDRESS`` nothing is scanned.

Until a file was scanned, nobody gets its bytes (`policies.hand_out`). A video is scanned before it is processed.
"""

import logging
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from apps.accounts.models import User
from apps.accounts.policies import administer
from apps.accounts.services import notify
from apps.files import errors, scanner
from apps.files.models import File, FileVersion, Upload, VideoAsset
from apps.files.services.folders import lock_library
from apps.files.services.library import file_of
from apps.files.services.processing import give_up
from apps.files.services.uploads import delete_upload, reject_contents
from apps.files.services.videos import enqueue_processing, enqueue_removal, reopen_video
from apps.files.storage import open_unchecked
from apps.files.video.failures import CorruptFile
from studyplatform.kit import jobs
from studyplatform.kit.jobs import Postpone
from studyplatform.kit.policies import enforce

logger = logging.getLogger(__name__)

RETRY_AFTER = timedelta(minutes=1)  # while clamd is unavailable


def scan_upload(*, uid: uuid.UUID, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Scan a complete upload that waits for it, or a file that was uploaded before scans were turned on. Idempotent.

    :raises Postpone: clamd gives no verdict; the upload keeps waiting.
    """
    upload = (Upload.objects.filter(scan=Upload.Scan.PENDING) | unscanned()).filter(uid=uid).first()
    if upload is None:
        return
    if not scanner.is_enabled():  # turned off since
        _save(upload, scanner.Finding(Upload.Scan.NONE))
        return
    try:
        with open_unchecked(upload) as file:
            finding = scanner.scan(file, extend_lease)
    except scanner.ScannerUnavailable as problem:
        logger.warning("clamd: %s", problem)
        raise Postpone(RETRY_AFTER) from problem
    except FileNotFoundError:
        logger.warning("The bytes of %s are missing", upload)
        # They may come back from a backup: then they stay with the owner, like what is too large to scan.
        _save(upload, scanner.Finding(Upload.Scan.TOO_LARGE), is_missing=True)
        return
    _save(upload, finding)


def unscanned() -> QuerySet[Upload]:
    """The files that were uploaded while scans were turned off. They remain available until they are scanned.

    Originals of videos are not among them: nobody gets their bytes.
    """
    files = Upload.objects.filter(purpose=Upload.Purpose.FILE, completed_at__isnull=False)
    return files.filter(scan=Upload.Scan.NONE)


def scan_unscanned(*, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Scan these files, one after the other. It can be interrupted, and continues with those that are left.

    :raises Postpone: clamd gives no verdict.
    """
    last = 0
    while scanner.is_enabled() and (found := unscanned().filter(pk__gt=last).order_by("pk").first()) is not None:
        last = found.pk
        scan_upload(uid=found.uid, extend_lease=extend_lease)
        extend_lease()


def _save(upload: Upload, finding: scanner.Finding, *, is_missing: bool = False) -> None:
    """Record a finding and do what follows from it. ``is_missing``: there are no bytes."""
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().filter(pk=upload.pk, scan=upload.scan).first()
        if fresh is None:  # deleted while it was scanned
            return
        fresh.scan, fresh.threat = finding.scan, finding.threat
        fresh.save(update_fields=["scan", "threat"])
        if fresh.video_id:
            _continue_video(fresh, is_missing=is_missing)
        elif fresh.scan == Upload.Scan.INFECTED:
            _tell_owner(fresh)


def _continue_video(upload: Upload, *, is_missing: bool) -> None:
    video = VideoAsset.objects.select_for_update().filter(uploads=upload, version=upload.uid).first()
    if video is None:
        return
    if is_missing:
        reject_contents(video, upload, CorruptFile("empty"))
    elif upload.scan == Upload.Scan.INFECTED:
        reject_contents(video, upload, CorruptFile("infected"))
    elif upload.scan == Upload.Scan.TOO_LARGE and not settings.CLAMD_ALLOW_TOO_LARGE:
        reject_contents(video, upload, CorruptFile("too_large_to_scan"))
    else:
        enqueue_processing(video)


def _tell_owner(upload: Upload) -> None:
    logger.warning("%s is infected: %s", upload, upload.threat)
    file = File.objects.filter(current=upload).first()
    link = reverse("files:library-file", args=[file.uid]) if file is not None else "/settings/storage"
    notify("files.infected", upload.owner, link, upload.uid.hex, file=upload.filename, threat=upload.threat)


def give_up_scan(*, uid: uuid.UUID) -> None:
    """Fail a video whose scan has used up its attempts, so that its owner can retry. Other files keep waiting."""
    upload = Upload.objects.filter(uid=uid, scan=Upload.Scan.PENDING, video__isnull=False).first()
    if upload is not None and upload.video_id is not None:
        give_up(video_id=upload.video_id, version=uid)


def reopen_scan(*, uid: uuid.UUID) -> None:
    """Undo `give_up_scan`. The caller starts the job."""
    upload = Upload.objects.filter(uid=uid, scan=Upload.Scan.PENDING, video__isnull=False).first()
    if upload is not None and upload.video_id is not None:
        reopen_video(video_id=upload.video_id, version=uid)


def delete_infected(*, upload: Upload, by: User) -> None:
    """Delete an infected content with every file of the library that consists of it.

    A file that has another version keeps it: the newest of them becomes the current one.

    :raises FileInUse: a lesson offers it; nothing is deleted.
    :raises NotFound: it is not infected (any longer).
    """
    enforce(administer(by))
    with transaction.atomic():
        lock_library(upload.owner_id)
        fresh = Upload.objects.select_for_update().filter(pk=upload.pk, scan=Upload.Scan.INFECTED).first()
        if fresh is None or fresh.video_id:  # a video's bytes were deleted when they were found infected
            raise errors.FileNotInfected
        made_of_it = FileVersion.objects.filter(upload=fresh).values("file")
        for file in File.objects.select_for_update().filter(pk__in=made_of_it):
            _take_out(file, fresh)
        delete_upload(fresh)


def _take_out(file: File, upload: Upload) -> None:
    """Take a content out of a file, and delete the file if it has no other."""
    other = FileVersion.objects.filter(file=file).exclude(upload=upload).order_by("-number").first()
    enqueue_removal(names=[file.thumbnail] if file.thumbnail and file.current_id == upload.pk else [])
    if other is None:
        file.delete()
        return
    if file.current_id == upload.pk:
        fresh = file_of(other.upload, file.name, file.folder, other.created_at)
        file.current, file.size, file.media_type, file.kind = fresh.current, fresh.size, fresh.media_type, fresh.kind
        file.thumbnail = ""
        file.save()
        jobs.enqueue("files.make_thumbnail", key=file.uid.hex, file=file.uid.hex)
    FileVersion.objects.filter(file=file, upload=upload).delete()
