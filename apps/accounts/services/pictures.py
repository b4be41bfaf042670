"""Users' pictures: untrusted files, decoded and encoded again as small squares."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from typing import IO

from django.core.files.base import ContentFile
from django.db import transaction
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from apps.accounts.errors import PictureUnreadable
from apps.accounts.models import User
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.errors import NotAuthenticated

FORMATS = ("PNG", "JPEG", "WEBP")
MOST_BYTES = 5 * 2**20
# Pixels, as the header says before anything is decoded. A baseline JPEG is decoded at a fraction of its size, so the
# largest photos of phones fit; everything else takes four bytes of memory for each pixel first.
MOST_PIXELS_OF_PHOTOS = 50_500_000
MOST_PIXELS = 12_500_000
SIDE = 384  # pixels: twice the largest circle of a page
ENOUGH = SIDE * 4  # pixels of the shorter side from which a square is cut, the smallest a quarter of it

_decoding = ConcurrencyLimit(1)
# Always the same thread: each thread that allocates much keeps some of it, and every request has one of its own.
_drawing = ThreadPoolExecutor(1, thread_name_prefix="pictures")


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
    with _decoding.slot():
        return _drawing.submit(_drawn, raw, crop).result()


def _drawn(raw: bytes, crop: Crop | None) -> bytes:
    try:
        with Image.open(BytesIO(raw), formats=FORMATS) as image:
            # With more than one picture inside, as many phones write them, a JPEG is called MPO.
            is_photo = image.format in {"JPEG", "MPO"} and "progressive" not in image.info
            most = MOST_PIXELS_OF_PHOTOS if is_photo else MOST_PIXELS
            if image.width * image.height > most or min(image.size) < 16:
                raise PictureUnreadable
            image.draft("RGB", (ENOUGH, ENOUGH))  # a JPEG decodes to the size that is needed, no more
            square = _cut(ImageOps.exif_transpose(_reduced(image)).convert("RGBA"), crop)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, EOFError):
        raise PictureUnreadable from None
    paper = Image.new("RGBA", square.size, "white")
    paper.alpha_composite(square)
    out = BytesIO()
    paper.convert("RGB").resize((SIDE, SIDE), Image.Resampling.LANCZOS).save(out, "WEBP", quality=82)
    return out.getvalue()


def _reduced(image: Image.Image) -> Image.Image:
    """The picture at a size that is enough, in modes that Pillow can reduce: what follows copies it several times."""
    factor = min(image.size) // ENOUGH
    if factor < 2 or image.mode not in {"L", "LA", "RGB", "RGBA"}:
        return image
    reduced = image.reduce(factor)
    reduced.getexif()[ExifTags.Base.Orientation] = image.getexif().get(ExifTags.Base.Orientation, 1)
    return reduced


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
