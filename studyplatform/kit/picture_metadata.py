"""Remove what a picture says about itself and its place, without decoding it: not one pixel changes.

JPEG (ITU-T T.81, annex B), PNG (ISO/IEC 15948) and WebP (RFC 9649). Other formats stay as they are.
"""

import io
import re
import struct
from collections.abc import Iterator

from PIL import ExifTags, Image

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_DROPPED = {b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"}
_WEBP_DROPPED = {b"EXIF", b"XMP "}
_EXIF_AND_XMP = 0b0000_1100  # flags of the extended header of WebP
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # the next marker after compressed data
_APP0, _APP2, _APP14, _COMMENT, _SCAN, _END = 0xE0, 0xE2, 0xEE, 0xFE, 0xDA, 0xD9


def without_metadata(raw: bytes) -> bytes:
    """Return the picture without EXIF, XMP, IPTC, comments and what follows its end. Color profiles stay, and so does
    the orientation. A broken picture is returned up to where it breaks.
    """
    if raw.startswith(b"\xff\xd8"):
        return b"".join([b"\xff\xd8", _orientation(raw), *_jpeg_segments(raw)])
    if raw.startswith(_PNG):
        return _PNG + b"".join(_png_chunks(raw))
    if raw.startswith(b"RIFF") and raw[8:12] == b"WEBP":
        chunks = b"".join(_webp_chunks(raw))
        return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks
    return raw


def _jpeg_segments(raw: bytes) -> Iterator[bytes]:
    place = 2
    while place + 4 <= len(raw) and raw[place] == 0xFF:
        kind = raw[place + 1]
        if kind == 0xFF:  # fill bytes
            place += 1
            continue
        if kind == _END:
            break
        end = place + 2 + int.from_bytes(raw[place + 2 : place + 4], "big")
        if kind == _SCAN:
            found = _MARKER.search(raw, end)
            end = found.start() if found else len(raw)
        is_of_app = _APP0 <= kind <= 0xEF
        is_profile = kind == _APP2 and raw[place + 4 : place + 15] == b"ICC_PROFILE"
        if kind != _COMMENT and (not is_of_app or kind in {_APP0, _APP14} or is_profile):
            yield raw[place:end]
        place = end
    yield b"\xff\xd9"


def _orientation(raw: bytes) -> bytes:
    """An EXIF segment with nothing but the orientation; nothing for an upright picture."""
    try:
        with Image.open(io.BytesIO(raw), formats=["JPEG"]) as image:
            value = image.getexif().get(ExifTags.Base.Orientation, 1)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return b""
    if value not in range(2, 9):
        return b""
    # One entry (tag 0x112, a short) in the first directory of a big-endian TIFF header.
    exif = b"Exif\0\0MM\0*" + struct.pack(">IHHHIHHI", 8, 1, ExifTags.Base.Orientation, 3, 1, value, 0, 0)
    return b"\xff\xe1" + struct.pack(">H", 2 + len(exif)) + exif


def _png_chunks(raw: bytes) -> Iterator[bytes]:
    place = len(_PNG)
    while place + 12 <= len(raw):
        end = place + 12 + int.from_bytes(raw[place : place + 4], "big")
        kind = raw[place + 4 : place + 8]
        if kind not in _PNG_DROPPED:
            yield raw[place:end]
        if kind == b"IEND":
            return
        place = end


def _webp_chunks(raw: bytes) -> Iterator[bytes]:
    place = 12
    while place + 8 <= len(raw):
        size = int.from_bytes(raw[place + 4 : place + 8], "little")
        end = place + 8 + size + size % 2
        kind = raw[place : place + 4]
        if kind == b"VP8X" and size and place + 8 < len(raw):
            yield raw[place : place + 8] + bytes([raw[place + 8] & ~_EXIF_AND_XMP]) + raw[place + 9 : end]
        elif kind not in _WEBP_DROPPED:
            yield raw[place:end]
        place = end
