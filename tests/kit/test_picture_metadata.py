"""Metadata of pictures are removed without changing a pixel."""

import io

import pytest
from PIL import ExifTags, Image, PngImagePlugin

from studyplatform.kit.picture_metadata import without_metadata

SECRET = b"Reykjavik"


def picture(form: str, **options) -> bytes:
    image = Image.linear_gradient("L").convert("RGB").resize((64, 40))
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    exif[ExifTags.Base.ImageDescription] = SECRET.decode()
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (64.0, 8.0, 0.0)
    out = io.BytesIO()
    image.save(out, form, exif=exif, **options)
    return out.getvalue()


def texts() -> PngImagePlugin.PngInfo:
    found = PngImagePlugin.PngInfo()
    found.add_text("Comment", SECRET.decode())
    found.add_itxt("XML:com.adobe.xmp", SECRET.decode(), zip=True)
    return found


@pytest.mark.parametrize(
    "raw",
    [
        picture("JPEG", comment=SECRET, xmp=SECRET),
        picture("JPEG", progressive=True, restart_marker_blocks=2),
        picture("PNG", pnginfo=texts()),
        picture("WEBP", xmp=SECRET),
        picture("WEBP", lossless=True),
    ],
)
def test_only_pixels_and_orientation_stay(raw):
    clean = without_metadata(raw + (b"" if raw.startswith(b"RIFF") else SECRET))
    before, after = Image.open(io.BytesIO(raw)), Image.open(io.BytesIO(clean))

    assert SECRET in raw
    assert SECRET not in clean
    assert after.tobytes() == before.tobytes()
    assert not after.getexif().get_ifd(ExifTags.IFD.GPSInfo)
    assert set(after.getexif()) <= {ExifTags.Base.Orientation}
    assert (after.format != "JPEG") or after.getexif()[ExifTags.Base.Orientation] == 6
    assert without_metadata(clean) == clean


def test_a_color_profile_stays_and_a_second_picture_goes():
    profile = b"profile " * 20
    raw = picture("JPEG", icc_profile=profile)

    clean = without_metadata(raw + picture("JPEG"))
    assert Image.open(io.BytesIO(clean)).info["icc_profile"] == profile
    assert clean.count(b"\xff\xd8\xff") == 1


@pytest.mark.parametrize("cut", [2, 3, 4, 20, 100, 400, 700])
def test_broken_pictures_do_no_harm(cut):
    for form in ("JPEG", "PNG", "WEBP"):
        assert SECRET not in without_metadata(picture(form)[:cut][:20])
        without_metadata(picture(form)[:cut])
    assert without_metadata(b"GIF89a...") == b"GIF89a..."
    assert without_metadata(b"") == b""
