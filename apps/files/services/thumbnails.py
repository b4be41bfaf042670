"""Thumbnails of images in the library: decoded and encoded again, in a job."""

import uuid
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.db.models import Max
from PIL import Image, ImageOps, UnidentifiedImageError

from apps.files.models import File, FileKind
from apps.files.services.videos import enqueue_removal
from apps.files.storage import open_unchecked, put

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MOST_BYTES = 50 * 2**20
MOST_PIXELS = 25_000_000  # what the header says, before anything is decoded
SIDE = 480  # pixels of the longer side: twice the width of a card


def make_thumbnail(*, uid: uuid.UUID) -> None:
    """Make the thumbnail of an image. Other files, and images that cannot be read, get none. Idempotent."""
    file = File.objects.select_related("current").annotate(newest=Max("versions__number")).filter(uid=uid).first()
    if file is None or file.kind != FileKind.IMAGE or file.size > MOST_BYTES:
        return
    made = _drawn(file)
    if made is None:
        return
    # Named after the version, not its contents: restoring an older version must not reuse a name that is being removed.
    name = f"thumbnails/{file.uid.hex}-{file.newest}.webp"
    with NamedTemporaryFile(suffix=".webp") as temporary:
        temporary.write(made)
        temporary.flush()
        put(Path(temporary.name), name)
    # Only if these are still its contents; otherwise the job of the newer version makes it.
    if not File.objects.filter(pk=file.pk, modified_at=file.modified_at).update(thumbnail=name):
        enqueue_removal(names=[name])


def _drawn(file: File) -> bytes | None:
    try:
        with open_unchecked(file.current) as content, Image.open(BytesIO(content.read()), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            image.draft("RGB", (SIDE, SIDE))  # a JPEG is decoded at about this size
            small = ImageOps.exif_transpose(image)
            small.thumbnail((SIDE, SIDE))
            out = BytesIO()
            small.convert("RGBA" if "A" in small.getbands() or "transparency" in small.info else "RGB").save(
                out, "WEBP", quality=80
            )
            return out.getvalue()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, EOFError):
        return None
