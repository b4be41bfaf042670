"""Pictures of comments: drawn again as WebP, so that nothing else in the file is kept, and stored without an owner."""

import contextlib
import secrets
from dataclasses import dataclass

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from apps.courses.models import ReviewComment
from apps.courses.models.review_thread import MAX_REVIEW_PICTURE_BYTES, REVIEW_PICTURES_FOLDER
from apps.files import services as files
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.pictures import UnreadablePicture, decode_picture, draw_alone, encode_webp
from studyplatform.kit.text.sizes import as_size

MAX_SIDE = 1_600  # pixels


@dataclass(frozen=True)
class StoredPicture:
    """``key``: its file's name without the ending; the size in pixels."""

    key: str
    width: int
    height: int


def store_picture(file: File[bytes]) -> StoredPicture:
    """Store a picture under a new key.

    :raises ValidationFailed: it is too large, or no picture.
    """
    if (file.size or 0) > MAX_REVIEW_PICTURE_BYTES:
        raise _unreadable()
    raw = file.read()
    try:
        webp, width, height = draw_alone(lambda: _draw(raw))
    except UnreadablePicture:
        raise _unreadable() from None
    key = secrets.token_hex(12)
    default_storage.save(f"{REVIEW_PICTURES_FOLDER}/{key}.webp", ContentFile(webp))
    return StoredPicture(key, width, height)


def discard_picture(picture: StoredPicture | None) -> None:
    """Delete a picture whose comment was not written. What stays is an orphan, which check_storage finds."""
    if picture is not None:
        with contextlib.suppress(Exception):
            default_storage.delete(f"{REVIEW_PICTURES_FOLDER}/{picture.key}.webp")


def discard_picture_of(*, comment: ReviewComment) -> None:
    """Delete the picture of a comment whose row was deleted with its course."""
    if comment.picture_name:
        files.enqueue_removal(names=[comment.picture_name])


def _draw(raw: bytes) -> tuple[bytes, int, int]:
    picture = decode_picture(raw, working_side=MAX_SIDE, min_width=1, min_height=1)
    factor = min(1.0, MAX_SIDE / max(picture.size))
    width, height = (max(1, round(side * factor)) for side in picture.size)
    return encode_webp(picture, width, height), width, height


def _unreadable() -> ValidationFailed:
    message = _("Choose a PNG, JPEG or WebP picture of up to %s.") % as_size(MAX_REVIEW_PICTURE_BYTES)
    return ValidationFailed(in_fields={"picture": [{"code": "invalid", "message": message}]})
