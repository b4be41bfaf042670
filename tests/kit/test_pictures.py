"""Untrusted pictures: what is refused before decoding, and what they look like afterwards."""

from io import BytesIO

import pytest
from PIL import Image, ImageCms

from studyplatform.kit.pictures import UnreadablePicture, decode_picture


def encode(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def test_odd_pictures_are_shown_as_people_see_them() -> None:
    gray = encode(Image.new("I;16", (40, 40), 32768))
    assert decode_picture(gray, working_side=40).getpixel((5, 5)) == (128, 128, 128)

    glass = encode(Image.new("RGBA", (40, 40), (255, 0, 0, 0)))
    assert decode_picture(glass, working_side=40).getpixel((5, 5)) == (255, 255, 255)

    indexed = Image.new("P", (40, 40), 0)
    indexed.putpalette([0, 0, 0, 255, 255, 255])
    assert decode_picture(encode(indexed, transparency=0), working_side=40).getpixel((5, 5)) == (255, 255, 255)

    frames = [Image.new("RGB", (40, 40), color) for color in ("blue", "red")]
    for kind in ("PNG", "WEBP"):
        moving = encode(frames[0], kind, save_all=True, append_images=frames[1:], lossless=True)
        red, _, blue = decode_picture(moving, working_side=40).getpixel((5, 5))
        assert (red, blue) == (0, 255), kind


def test_colors_follow_the_profile_of_the_picture() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))
    broken = encode(Image.new("RGB", (40, 40), (200, 10, 10)), icc_profile=b"no profile")
    wrong = encode(Image.new("RGB", (40, 40), (200, 10, 10)), icc_profile=profile.tobytes())
    for raw in (broken, wrong):
        assert decode_picture(raw, working_side=40).getpixel((5, 5)) == (200, 10, 10)
    right = encode(
        Image.new("RGB", (40, 40), (200, 10, 10)),
        icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
    )
    assert decode_picture(right, working_side=40).getpixel((5, 5)) == pytest.approx((200, 10, 10), abs=2)


def test_what_is_no_usable_picture_is_refused() -> None:
    upright = Image.new("RGB", (40, 80))
    turned = Image.Exif()
    turned[0x0112] = 6  # shown turned by 90 degrees
    decode_picture(encode(upright, "JPEG", exif=turned), working_side=40, min_width=80, min_height=40)

    refused = {
        "too narrow": encode(upright),
        "a GIF": encode(Image.new("RGB", (90, 90)), "GIF"),
        "cut off": encode(Image.effect_noise((90, 90), 80))[:2000],
        "SVG": b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>',
        "empty": b"",
    }
    for raw in refused.values():
        with pytest.raises(UnreadablePicture):
            decode_picture(raw, working_side=40, min_width=80, min_height=40)
