"""Files that are no videos: put into storage, handed out by other apps, removed."""

import shutil
import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.kinds import HEAD, clean_name, kind_of
from apps.files.models import Upload
from apps.files.services.uploads import drop
from apps.files.storage import open_kept, put, remove, remove_local, upload_path
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce


def take_file(*, upload: Upload, by: User) -> Upload:
    """Answer the person's own file, ready to be handed out, its row locked until the caller's transaction ends.

    The caller then points at it by a protected foreign key: that is what keeps it from being deleted.

    :raises NotFound: somebody else's, or no such file.
    :raises UploadUnfinished: it has not arrived whole.
    :raises FileEmpty, FileUnsuitable, FileMisnamed: its bytes are nothing to hand out.
    """
    enforce(policies.continue_upload(by, upload))
    found = Upload.objects.select_for_update().filter(pk=upload.pk, purpose=Upload.Purpose.FILE).first()
    if found is None:
        raise NotFound
    if found.completed_at is None:
        raise errors.UploadUnfinished
    found.media_type = kind_of(_head_of(found), found.filename)
    found.save(update_fields=["media_type"])
    return found


def _head_of(upload: Upload) -> bytes:
    try:
        if upload.stored_as:
            with open_kept(upload.stored_as) as file:
                return file.read(HEAD)
        with upload_path(upload.uid).open("rb") as file:
            return file.read(HEAD)
    except FileNotFoundError:
        return b""


def discard_file(*, upload_id: int) -> None:
    """Remove a file that nobody is handed any more: its bytes go and its room is free.

    :raises FileInUse: somebody still is.
    """
    with transaction.atomic():
        upload = Upload.objects.select_for_update().filter(pk=upload_id, purpose=Upload.Purpose.FILE).first()
        if upload is not None:
            drop(upload)


def store_file(*, uid: uuid.UUID, keep: Callable[[], None] = lambda: None) -> None:
    """Move a file that has arrived whole from the uploads' folder into storage. Doing it twice is harmless.

    ``keep`` extends the worker's lease.
    """
    kept = Upload.objects.filter(uid=uid, purpose=Upload.Purpose.FILE, completed_at__isnull=False)
    if not kept.exists():
        return
    path, name = upload_path(uid), f"files/{uid.hex}"
    if path.exists():
        put(path, name, keep)
        if not kept.update(stored_as=name):  # deleted meanwhile
            remove(name)
    remove_local(uid)


def import_file(*, owner: User, path: Path, now: datetime) -> Upload:
    """Take a file from this machine's disk, as the demo content does. It is copied."""
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
        upload.media_type = kind_of(file.read(HEAD), upload.filename)
    shutil.copyfile(path, upload_path(upload.uid))
    with transaction.atomic():
        upload.save()
        jobs.enqueue("files.store_file", key=upload.uid.hex, upload=upload.uid.hex)
    return upload
