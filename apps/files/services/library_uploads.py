"""Uploads to the library by a form, without scripts."""

from datetime import datetime
from typing import IO

from apps.accounts.models import User
from apps.files.models import Folder, Upload
from apps.files.services.creation import begin_upload
from apps.files.services.library import library_target
from apps.files.services.receiving import receive_chunk
from apps.files.services.uploads import cancel_upload
from studyplatform.kit.errors import AppError


def upload_to_library(
    *, owner: User, folder: Folder | None, file: IO[bytes], name: str, size: int, now: datetime
) -> None:
    """Add a file that a form sent. Nothing of it stays if it is refused.

    :raises AppError: as ``begin_upload``.
    """
    upload = begin_upload(
        owner=owner, purpose=Upload.Purpose.FILE, filename=name, length=size, target=library_target(folder), now=now
    )
    if upload.completed_at is not None:  # an empty file
        return
    try:
        receive_chunk(upload=upload, offset=0, read=file.read, now=now)
    except AppError:
        cancel_upload(upload=upload, by=owner)
        raise
