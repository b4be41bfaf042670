"""Users' pictures: untrusted files, decoded and encoded again as small squares."""

import secrets
from dataclasses import dataclass
from io import BytesIO
from typing import IO

from django.core.files.base import ContentFile
from django.db import transaction
from PIL import Image

from apps.accounts.errors import PictureUnreadable
from apps.accounts.models import User
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.pictures import UnreadablePicture, decode_picture, draw_alone

MOST_BYTES = 5 * 2**20
SIDE = 384  # pixels: twice the largest circle of a page
MAX_WORKING_SIDE = 4 * SIDE  # the smallest crop is a quarter of the shorter side


@dataclass(frozen=True)
class Crop:
    """The square to keep, as fractions of the upright picture: its left, its top, and its side by the shorter one."""

    x: float = 0.5
    y: float = 0.5
    size: float = 1.0


def set_picture(*, user: User, file: IO[bytes], crop: Crop | None = None) -> None:
    """Save a square of the image as the user's picture. Without ``crop``, it is the center.

    The file is decoded and encoded again, so metadata, scripts and files hidden in it are dropped.

    :raises PictureUnreadable: no PNG, JPEG or WebP, too large, or broken.
    """
    encoded = _square(file, crop)
    with transaction.atomic():
        old = _present(user)
        user.avatar.save(f"{secrets.token_hex(12)}.webp", ContentFile(encoded), save=False)
        user.save(update_fields=["avatar"])
        _forget(user, old)


def remove_picture(*, user: User) -> None:
    """Back to the letter."""
    with transaction.atomic():
        old = _present(user)
        user.avatar = ""
        user.save(update_fields=["avatar"])
        _forget(user, old)


def _present(user: User) -> str:
    """The current picture, locked until the transaction ends: one sent meanwhile would never be deleted.

    :raises NotAuthenticated: the account was deleted meanwhile.
    """
    row = User.objects.select_for_update().filter(pk=user.pk, deleted_at=None).first()
    if row is None:
        raise NotAuthenticated
    return row.avatar.name or ""


def _forget(user: User, name: str) -> None:
    if name:
        storage = user.avatar.storage
        transaction.on_commit(lambda: storage.delete(name))


def _square(file: IO[bytes], crop: Crop | None) -> bytes:
    raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise PictureUnreadable
    try:
        return draw_alone(lambda: _drawn(raw, crop))
    except UnreadablePicture:
        raise PictureUnreadable from None


def _drawn(raw: bytes, crop: Crop | None) -> bytes:
    square = _cut(decode_picture(raw, working_side=MAX_WORKING_SIDE), crop)
    out = BytesIO()
    square.resize((SIDE, SIDE), Image.Resampling.LANCZOS).save(out, "WEBP", quality=82)
    return out.getvalue()


def _cut(image: Image.Image, crop: Crop | None) -> Image.Image:
    width, height = image.size
    if crop is None:
        side = min(width, height)
        left, top = (width - side) // 2, (height - side) // 2
    else:
        side = max(1, round(min(width, height) * min(max(crop.size, 0.05), 1)))
        left = round(min(max(crop.x, 0), 1) * width)
        top = round(min(max(crop.y, 0), 1) * height)
        left, top = min(left, width - side), min(top, height - side)
    return image.crop((left, top, left + side, top + side))
