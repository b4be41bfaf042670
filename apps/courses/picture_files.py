"""The files of a course's picture: its crop in the widths that pages need, the whole picture, and one for sharing."""

from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from apps.courses.models.picture import WIDTHS
from studyplatform.kit.pictures import decode_picture

MIN_WIDTH, MIN_HEIGHT = 640, 360  # pixels: less looks blurred on the course page
MAX_ZOOM = 3
RATIO = 16 / 9
WORKING_SIDE = 1440  # pixels: more would not be seen at the largest width
WHOLE_SIDE = 1600  # pixels of the longer side, of what the crop is chosen from
SHARE_SIZE = (1200, 675)  # pixels, as other sites show pictures beside links


@dataclass(frozen=True)
class Crop:
    """The part of 16:9 to show. ``x``, ``y``: its place between the edges, 0 to 1; ``zoom``: 1 to `MAX_ZOOM`."""

    x: float = 0.5
    y: float = 0.5
    zoom: float = 1.0

    def __post_init__(self) -> None:
        """
        :raises ValueError: it is not inside the picture.
        """
        if not (0 <= self.x <= 1 and 0 <= self.y <= 1 and 1 <= self.zoom <= MAX_ZOOM):
            raise ValueError(self)


@dataclass(frozen=True)
class DrawnPicture:
    """``width``: pixels of the largest rendition. ``files``: contents by the last part of their names."""

    width: int
    files: dict[str, bytes]


def draw_files(raw: bytes, crop: Crop) -> DrawnPicture:
    """Draw all files of a picture.

    :raises UnreadablePicture: see `studyplatform.kit.pictures`, or smaller than `MIN_WIDTH` by `MIN_HEIGHT`.
    """
    picture = decode_picture(raw, working_side=WORKING_SIDE, min_width=MIN_WIDTH, min_height=MIN_HEIGHT)
    shown = picture.crop(_box(picture.width, picture.height, crop))
    width = min(shown.width, WIDTHS[-1])
    files = {f"{one}.webp": _encode(_resize(shown, one), "WEBP") for one in {*(w for w in WIDTHS if w < width), width}}
    picture.thumbnail((WHOLE_SIDE, WHOLE_SIDE), Image.Resampling.LANCZOS)
    files["whole.webp"] = _encode(picture, "WEBP")
    files["share.jpg"] = _encode(shown.resize(SHARE_SIZE, Image.Resampling.LANCZOS), "JPEG")
    return DrawnPicture(width, files)


def _box(width: int, height: int, crop: Crop) -> tuple[int, int, int, int]:
    """Return the crop's left, top, right and bottom in pixels. What the style sheet shows while it is chosen."""
    largest = min(width, height * RATIO)
    zoom = min(crop.zoom, max(1.0, largest / WIDTHS[0]))  # never less than the smallest rendition
    crop_width = round(largest / zoom)
    crop_height = min(height, round(crop_width / RATIO))
    left, top = round(crop.x * (width - crop_width)), round(crop.y * (height - crop_height))
    return left, top, left + crop_width, top + crop_height


def _resize(picture: Image.Image, width: int) -> Image.Image:
    return picture.resize((width, round(width / RATIO)), Image.Resampling.LANCZOS)


def _encode(picture: Image.Image, kind: str) -> bytes:
    out = BytesIO()
    picture.save(out, kind, quality=80)
    return out.getvalue()
