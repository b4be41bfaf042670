"""What a file is, decided from its bytes, before any library opens it.

Media libraries guess: a text that begins like a playlist is opened as one, and then reads the
files and calls the addresses it names. So we decide first, by the container's own marks, and
everything after us is told the demuxer by name.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import BinaryIO

from .boxes import top_level
from .failures import CorruptFile, FormatUnsupported

HEAD = 4096


class Container(enum.StrEnum):
    """The containers we accept. The value is the name of ffmpeg's demuxer."""

    MP4 = "mov"
    AVI = "avi"
    MATROSKA = "matroska"


# A file that begins with one of these is a list of other files, or a program.
POINTERS = (
    b"#extm3u", b"ffconcat", b"v=0\r", b"v=0\n", b"<?xml", b"<mpd", b"<smil", b"<asx", b"<svg",
    b"<html", b"<!doctype", b"<script", b"[playlist]", b"[reference]", b"#!", b"rtsptext",
    b"smiltext", b"{\\rtf", b"<?php",
)  # fmt: skip

# Things that are whole and well-formed, but not ours. (offset, mark)
STRANGERS = (
    (0, b"\x89PNG"), (0, b"\xff\xd8\xff"), (0, b"GIF8"), (0, b"BM"), (0, b"II*\0"), (0, b"MM\0*"),
    (0, b"OggS"), (0, b"FLV\x01"), (0, b"0&\xb2u\x8ef\xcf\x11"), (0, b"\0\0\x01\xba"),
    (0, b"\0\0\x01\xb3"), (0, b"ID3"), (0, b"\xff\xfb"), (0, b"\xff\xf1"), (0, b"fLaC"),
    (0, b"%PDF"), (0, b"PK\x03\x04"), (0, b"Rar!"), (0, b"7z\xbc\xaf"), (0, b"\x1f\x8b"),
    (0, b"\x7fELF"), (0, b"MZ"), (0, b".RMF"), (0, b"CWS"), (0, b"FWS"), (0, b"caff"),
)  # fmt: skip

IMAGE_BRANDS = {b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"jp2 ", b"crx "}
QUICKTIME_FIRST = {b"ftyp", b"moov", b"mdat", b"wide", b"skip", b"free", b"pnot"}


def sniff(head: bytes) -> Container:
    """Name the container by the first bytes of a file (`HEAD` of them are enough).

    :raises CorruptFile: empty, text, or nothing that anybody knows.
    :raises FormatUnsupported: a playlist, a script, or another format.
    """
    if not head:
        raise CorruptFile("empty")
    if head[4:8] in QUICKTIME_FIRST:
        if head[4:8] == b"ftyp" and head[8:12] in IMAGE_BRANDS:
            raise FormatUnsupported("foreign_format", repr(head[:12]))
        return Container.MP4
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return Container.AVI
    if head[:4] == b"\x1a\x45\xdf\xa3":
        if b"matroska" in head[:128] or b"webm" in head[:128]:
            return Container.MATROSKA
        raise FormatUnsupported("foreign_format", "EBML, but neither Matroska nor WebM")
    _refuse_strangers(head)
    if _is_text(head):
        raise CorruptFile("text", repr(head[:32]))
    raise CorruptFile("not_a_video", repr(head[:32]))


def _refuse_strangers(head: bytes) -> None:
    for start in (head, _as_utf8(head)):
        plain = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if plain.startswith(POINTERS) or b"#ext-x-" in plain:
            raise FormatUnsupported("playlist", repr(head[:32]))
    if head[:4] == b"RIFF" or any(head[at : at + len(mark)] == mark for at, mark in STRANGERS):
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
        # The cut may fall into the middle of a letter.
        head[: max(1, len(head) - 3)].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def sniff_file(path: Path) -> Container:
    """Name the container of a file and make sure that the file is all there.

    :raises CorruptFile: as `sniff`, or the file ends before its own structure does.
    :raises FormatUnsupported: as `sniff`.
    """
    length = path.stat().st_size
    with path.open("rb") as file:
        container = sniff(file.read(HEAD))
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
        # Recorders write the index last: without it the recording was cut off.
        raise CorruptFile("truncated", f"no moov among {sorted(kinds)}")


def _check_avi(file: BinaryIO, length: int) -> None:
    at = 0
    while at + 12 <= length:  # one RIFF chunk per gigabyte in OpenDML files
        file.seek(at)
        head = file.read(12)
        if head[:4] != b"RIFF":
            return
        size = int.from_bytes(head[4:8], "little")
        if size in (0, 0xFFFFFFFF):  # the recorder was never closed properly; play what is there
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
    """Read EBML's variable integer: value (None: unknown) and width in bytes."""
    if not data or not data[0]:
        return None, 1
    width = 9 - data[0].bit_length()
    value = int.from_bytes(data[:width], "big") & ((1 << (7 * width)) - 1)
    return (None if value == (1 << (7 * width)) - 1 else value), width
