"""Decode untrusted pictures: limits before decoding, upright, in sRGB, without metadata.

What is decoded here is encoded again and only then shown, so metadata, scripts and files hidden in it are dropped.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from typing import TypeVar

from PIL import ExifTags, Image, ImageCms, ImageOps, UnidentifiedImageError

from studyplatform.kit.concurrency import ConcurrencyLimit

FORMATS = ("PNG", "JPEG", "WEBP")
# Pixels, as the header says before anything is decoded. A baseline JPEG is decoded at a fraction of its size, so the
# largest photos of phones fit; everything else takes four bytes of memory for each pixel first.
MAX_PIXELS_OF_PHOTOS = 50_500_000
MAX_PIXELS = 12_500_000

T = TypeVar("T")
_slots = ConcurrencyLimit(1)
# Always the same thread: each thread that allocates much keeps some of it, and every request has one of its own.
_thread = ThreadPoolExecutor(1, thread_name_prefix="pictures")


@dataclass(frozen=True)
class PictureSize:
    """The upright size in pixels. ``is_drawable``: `decode_picture` accepts its format and size."""

    width: int
    height: int
    is_animated: bool
    is_drawable: bool


class UnreadablePicture(Exception):
    """Not a picture of `FORMATS`, too large, too small, or broken."""


def draw_alone(draw: Callable[[], T]) -> T:
    """Call a function that decodes or draws pictures, one at a time in this process.

    :raises RateLimitExceeded: the others took too long.
    """
    with _slots.slot():
        return _thread.submit(draw).result()


def decode_picture(raw: bytes, *, working_side: int, min_width: int = 16, min_height: int = 16) -> Image.Image:
    """Return the picture in RGB, upright and on white. Of an animated one, the first frame.

    ``working_side``: a shorter side of so many pixels is enough; larger pictures are reduced to no less.
    ``min_width``, ``min_height``: in pixels, of the upright picture.

    :raises UnreadablePicture: see the class; decided by its contents, whatever it is called.
    """
    try:
        with Image.open(BytesIO(raw), formats=FORMATS) as image:
            _check_size(image, min_width, min_height)
            image.draft("RGB", (working_side, working_side))  # a JPEG is decoded at about this size
            return _flatten(ImageOps.exif_transpose(_reduce(image, working_side)))
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, EOFError):
        raise UnreadablePicture from None


def measure_picture(raw: bytes) -> PictureSize:
    """Return what the header of a PNG, JPEG, WebP or GIF says, without decoding it.

    :raises UnreadablePicture: it is none of them.
    """
    try:
        with Image.open(BytesIO(raw), formats=(*FORMATS, "GIF")) as image:
            is_turned = image.getexif().get(ExifTags.Base.Orientation, 1) in {5, 6, 7, 8}
            width, height = (image.height, image.width) if is_turned else image.size
            return PictureSize(
                width,
                height,
                # With more than one picture inside, as many phones write them, a JPEG is no animation.
                is_animated=image.format not in {"JPEG", "MPO"} and bool(getattr(image, "is_animated", False)),
                is_drawable=image.format != "GIF" and image.width * image.height <= _max_pixels(image),
            )
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, EOFError):
        raise UnreadablePicture from None


def encode_webp(picture: Image.Image, width: int, height: int) -> bytes:
    """Return a picture as WebP of this size in pixels."""
    out = BytesIO()
    resized = picture if picture.size == (width, height) else picture.resize((width, height), Image.Resampling.LANCZOS)
    resized.save(out, "WEBP", quality=85)
    return out.getvalue()


def _max_pixels(image: Image.Image) -> int:
    # With more than one picture inside, as many phones write them, a JPEG is called MPO.
    is_photo = image.format in {"JPEG", "MPO"} and "progressive" not in image.info
    return MAX_PIXELS_OF_PHOTOS if is_photo else MAX_PIXELS


def _check_size(image: Image.Image, min_width: int, min_height: int) -> None:
    if image.width * image.height > _max_pixels(image):
        raise UnreadablePicture
    is_turned = image.getexif().get(ExifTags.Base.Orientation, 1) in {5, 6, 7, 8}
    width, height = (image.height, image.width) if is_turned else image.size
    if width < min_width or height < min_height:
        raise UnreadablePicture


def _reduce(image: Image.Image, working_side: int) -> Image.Image:
    """Return the picture at a size that is enough, in modes that Pillow can reduce: what follows copies it often."""
    factor = min(image.size) // working_side
    if factor < 2 or image.mode not in {"L", "LA", "RGB", "RGBA"}:
        return image
    reduced = image.reduce(factor)
    reduced.info["icc_profile"] = image.info.get("icc_profile")
    reduced.getexif()[ExifTags.Base.Orientation] = image.getexif().get(ExifTags.Base.Orientation, 1)
    return reduced


def _flatten(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits of gray, which Pillow would cut off at 255
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    image = _in_srgb(image)
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    opaque = Image.new("RGBA", image.size, "white")
    opaque.alpha_composite(image.convert("RGBA"))
    return opaque.convert("RGB")


def _in_srgb(image: Image.Image) -> Image.Image:
    """Return the picture with the colors that its profile describes, such as the wide ones of phones."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in {"RGB", "RGBA", "CMYK"}:
        return image
    mode = "RGB" if image.mode == "CMYK" else image.mode
    try:
        source, target = ImageCms.ImageCmsProfile(BytesIO(profile)), ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(image, source, target, outputMode=mode) or image
    except (ImageCms.PyCMSError, OSError, TypeError):  # a broken profile: the colors as they are
        return image
