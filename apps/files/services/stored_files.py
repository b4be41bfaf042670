"""Files other than videos: store, offer for download, remove."""

import shutil
import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.file_types import HEAD_BYTES, clean_name, detect_media_type
from apps.files.models import Upload
from apps.files.storage import kept_name, open_stored, put, remove, remove_local, sha256_of, upload_path
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce


def claim_file(*, upload: Upload, by: User, name: str = "", for_download: bool = True) -> Upload:
    """Return the user's own file, checked for download by others, its row locked until the caller's transaction ends.

    The caller then refers to it by a protected foreign key, which prevents its deletion. ``name``: under which others
    get it, if not that of the upload. Not ``for_download``: nobody gets the bytes, whatever they are.

    :raises NotFound: the file does not exist or belongs to another user.
    :raises UploadUnfinished: its upload is not complete.
    :raises FileInfected, ScanImpossible: the virus scan found something, or could not read it.
    :raises FileEmpty, FileUnsuitable, FileMisnamed: it may not be offered to others (see `detect_media_type`).
    """
    enforce(policies.continue_upload(by, upload))
    found = Upload.objects.select_for_update().filter(pk=upload.pk, purpose=Upload.Purpose.FILE).first()
    if found is None:
        raise NotFound
    if found.completed_at is None:
        raise errors.UploadUnfinished
    enforce(policies.attach(found))
    if for_download:
        found.media_type = detect_media_type(first_bytes(found), name or found.filename)
        found.save(update_fields=["media_type"])
    return found


def first_bytes(upload: Upload) -> bytes:
    """The first bytes of a complete upload, wherever it is stored; b"" if they are missing."""
    try:
        if upload.stored_as:
            with open_stored(upload.stored_as) as file:
                return file.read(HEAD_BYTES)
        with upload_path(upload.uid).open("rb") as file:
            return file.read(HEAD_BYTES)
    except FileNotFoundError:
        return b""


def store_file(*, uid: uuid.UUID, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Move a completely uploaded file from the uploads' folder into storage, and record its SHA-256. Idempotent."""
    complete = Upload.objects.filter(uid=uid, purpose=Upload.Purpose.FILE, completed_at__isnull=False)
    if not complete.exists():
        return
    path, name = upload_path(uid), kept_name(uid)
    if path.exists():
        with path.open("rb") as file:
            digest = sha256_of(file, extend_lease)
        put(path, name, extend_lease)
        if not complete.update(stored_as=name, sha256=digest):  # deleted in the meantime
            remove(name)
    remove_local(uid)


def import_file(*, owner: User, path: Path, now: datetime) -> Upload:
    """Copy a file from this machine's disk; used by the demo content."""
    upload = Upload(
        owner=owner,
        purpose=Upload.Purpose.FILE,
        filename=clean_name(path.name),
        length=path.stat().st_size,
        offset=path.stat().st_size,
        created_at=now,
        expires_at=now,
        completed_at=now,
    )
    with path.open("rb") as file:
        upload.media_type = detect_media_type(file.read(HEAD_BYTES), upload.filename)
    shutil.copyfile(path, upload_path(upload.uid))
    with transaction.atomic():
        upload.save()
        jobs.enqueue("files.store_file", key=upload.uid.hex, upload=upload.uid.hex)
    return upload
