"""Detect the container format of a video from its bytes, before any media library opens it.

Media libraries guess: they open a text that begins like a playlist as one, and then read the files and URLs it names.
So this module decides by the container's signature, and the libraries are told which demuxer to use.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import BinaryIO

from .failures import CorruptFile, FormatUnsupported
from .mp4_boxes import top_level

HEAD_BYTES = 4096


class Container(enum.StrEnum):
    """The containers we accept. The value is the name of ffmpeg's demuxer."""

    MP4 = "mov"
    AVI = "avi"
    MATROSKA = "matroska"


# The beginnings of playlists and scripts, in lowercase.
TEXT_SIGNATURES = (
    b"#extm3u", b"ffconcat", b"v=0\r", b"v=0\n", b"<?xml", b"<mpd", b"<smil", b"<asx", b"<svg",
    b"<html", b"<!doctype", b"<script", b"[playlist]", b"[reference]", b"#!", b"rtsptext",
    b"smiltext", b"{\\rtf", b"<?php",
)  # fmt: skip

# Signatures of other known formats: (offset, bytes).
FOREIGN_SIGNATURES = (
    (0, b"\x89PNG"), (0, b"\xff\xd8\xff"), (0, b"GIF8"), (0, b"BM"), (0, b"II*\0"), (0, b"MM\0*"),
    (0, b"OggS"), (0, b"FLV\x01"), (0, b"0&\xb2u\x8ef\xcf\x11"), (0, b"\0\0\x01\xba"),
    (0, b"\0\0\x01\xb3"), (0, b"ID3"), (0, b"\xff\xfb"), (0, b"\xff\xf1"), (0, b"fLaC"),
    (0, b"%PDF"), (0, b"PK\x03\x04"), (0, b"Rar!"), (0, b"7z\xbc\xaf"), (0, b"\x1f\x8b"),
    (0, b"\x7fELF"), (0, b"MZ"), (0, b".RMF"), (0, b"CWS"), (0, b"FWS"), (0, b"caff"),
)  # fmt: skip

IMAGE_BRANDS = {b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"jp2 ", b"crx "}
FIRST_BOXES = {b"ftyp", b"moov", b"mdat", b"wide", b"skip", b"free", b"pnot"}


def detect_container(head: bytes) -> Container:
    """Detect the container from the first `HEAD_BYTES` bytes of a file.

    :raises CorruptFile: the file is empty, text, or of no known format.
    :raises FormatUnsupported: the file is a playlist, a script, or of another known format.
    """
    if not head:
        raise CorruptFile("empty")
    if head[4:8] in FIRST_BOXES:
        if head[4:8] == b"ftyp" and head[8:12] in IMAGE_BRANDS:
            raise FormatUnsupported("foreign_format", repr(head[:12]))
        return Container.MP4
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return Container.AVI
    if head[:4] == b"\x1a\x45\xdf\xa3":
        if b"matroska" in head[:128] or b"webm" in head[:128]:
            return Container.MATROSKA
        raise FormatUnsupported("foreign_format", "EBML, but neither Matroska nor WebM")
    _reject_foreign(head)
    if _is_text(head):
        raise CorruptFile("text", repr(head[:32]))
    raise CorruptFile("not_a_video", repr(head[:32]))


def _reject_foreign(head: bytes) -> None:
    for start in (head, _as_utf8(head)):
        plain = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if plain.startswith(TEXT_SIGNATURES) or b"#ext-x-" in plain:
            raise FormatUnsupported("playlist", repr(head[:32]))
    if head[:4] == b"RIFF" or any(head[at : at + len(mark)] == mark for at, mark in FOREIGN_SIGNATURES):
        raise FormatUnsupported("foreign_format", repr(head[:16]))
    if head[0] == 0x47 and head[188:189] == b"\x47":  # MPEG transport stream
        raise FormatUnsupported("foreign_format", "MPEG-TS")


def _as_utf8(head: bytes) -> bytes:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", errors="ignore").encode()
    return head


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        # The last character may be incomplete.
        head[: max(1, len(head) - 3)].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def check_container(path: Path) -> Container:
    """Detect the container of a file and check that the file is complete.

    :raises CorruptFile: as `detect_container`, or the file ends before its own structure does.
    :raises FormatUnsupported: as `detect_container`.
    """
    length = path.stat().st_size
    with path.open("rb") as file:
        container = detect_container(file.read(HEAD_BYTES))
        if container is Container.MP4:
            _check_mp4(file, length)
        elif container is Container.AVI:
            _check_avi(file, length)
        else:
            _check_matroska(file, length)
    return container


def _check_mp4(file: BinaryIO, length: int) -> None:
    kinds = set()
    for box in top_level(file, length):
        kinds.add(box.kind)
        if box.end > length:
            raise CorruptFile("truncated", f"{box.kind!r} ends at {box.end} of {length}")
    if b"moov" not in kinds:
        # Recorders write the index last: a file without it was cut off.
        raise CorruptFile("truncated", f"no moov among {sorted(kinds)}")


def _check_avi(file: BinaryIO, length: int) -> None:
    at = 0
    while at + 12 <= length:  # one RIFF chunk per gigabyte in OpenDML files
        file.seek(at)
        head = file.read(12)
        if head[:4] != b"RIFF":
            return
        size = int.from_bytes(head[4:8], "little")
        if size in (0, 0xFFFFFFFF):  # the recorder did not close the file properly; process what is there
            return
        if at + 8 + size > length + 1:
            raise CorruptFile("truncated", f"RIFF ends at {at + 8 + size} of {length}")
        at += 8 + size + (size & 1)


def _check_matroska(file: BinaryIO, length: int) -> None:
    file.seek(4)
    size, width = _vint(file.read(8))
    at = 4 + width + (size or 0)
    file.seek(at)
    if file.read(4) != b"\x18\x53\x80\x67":
        raise CorruptFile("unreadable", "no Matroska segment")
    size, width = _vint(file.read(8))
    if size is not None and at + 4 + width + size > length:
        raise CorruptFile("truncated", f"segment ends at {at + 4 + width + size} of {length}")


def _vint(data: bytes) -> tuple[int | None, int]:
    """Read a variable-size integer of EBML (RFC 8794, section 4): value (None: unknown) and width in bytes."""
    if not data or not data[0]:
        return None, 1
    width = 9 - data[0].bit_length()
    value = int.from_bytes(data[:width], "big") & ((1 << (7 * width)) - 1)
    return (None if value == (1 << (7 * width)) - 1 else value), width
