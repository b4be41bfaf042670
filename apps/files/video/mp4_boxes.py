"""Read the boxes of an MP4 file (ISO/IEC 14496-12) as far as the pipeline needs them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

#: Boxes that contain the boxes we look for.
CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"mvex", b"moof", b"traf"}


@dataclass(frozen=True)
class Box:
    """A box: its type (four bytes), the offset of its start, the sizes of its header and of the whole box in bytes."""

    kind: bytes
    start: int
    header: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size


def top_level(file: BinaryIO, length: int, limit: int = 1_000_000) -> Iterator[Box]:
    """Iterate over the outermost boxes of a file of `length` bytes without reading their contents.

    Stops at the first bytes that are not a box. The last box may claim to end after `length`.
    """
    at = 0
    for _ in range(limit):
        if at + 8 > length:
            return
        file.seek(at)
        head = file.read(16)
        size, kind = struct.unpack(">I4s", head[:8])
        header = 8
        if size == 1 and len(head) == 16:
            (size,) = struct.unpack(">Q", head[8:])
            header = 16
        elif size == 0:
            size = length - at
        if size < header or not all(0x20 <= letter < 0x7F or letter == 0xA9 for letter in kind):
            return
        yield Box(kind, at, header, size)
        at += size


def children(data: bytes, start: int, end: int) -> Iterator[Box]:
    """Iterate over the boxes between two offsets of `data`."""
    at = start
    while at + 8 <= end:
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        header = 8
        if size == 1 and at + 16 <= end:
            (size,) = struct.unpack(">Q", data[at + 8 : at + 16])
            header = 16
        elif size == 0:
            size = end - at
        if size < header or at + size > end:
            return
        yield Box(kind, at, header, size)
        at += size


def find_all(data: bytes, kind: bytes, start: int = 0, end: int | None = None) -> Iterator[Box]:
    """Find all boxes of a type, also inside `CONTAINERS`, in order."""
    for box in children(data, start, len(data) if end is None else end):
        if box.kind == kind:
            yield box
        elif box.kind in CONTAINERS:
            yield from find_all(data, kind, box.start + box.header, box.end)


def codecs_of(init: bytes) -> list[str]:
    """Read the codecs of an initialization segment as RFC 6381 names, the picture's first.

    :raises ValueError: a track is neither H.264 nor AAC.
    """
    names: list[str] = []
    for table in find_all(init, b"stsd"):
        for entry in children(init, table.start + 16, table.end):
            if entry.kind in (b"avc1", b"avc3"):
                names.insert(0, _avc_name(init, entry))
            elif entry.kind == b"mp4a":
                names.append(_aac_name(init, entry))
            else:
                raise ValueError(f"unexpected track {entry.kind!r}")
    if not names:
        raise ValueError("no tracks")
    return names


def _avc_name(init: bytes, entry: Box) -> str:
    for box in children(init, entry.start + 86, entry.end):  # 8 header + 78 of VisualSampleEntry
        if box.kind == b"avcC":
            at = box.start + box.header
            return f"avc1.{init[at + 1]:02x}{init[at + 2]:02x}{init[at + 3]:02x}"
    raise ValueError("avc1 without avcC")


def _aac_name(init: bytes, entry: Box) -> str:
    for box in children(init, entry.start + 36, entry.end):  # 8 header + 28 of AudioSampleEntry
        if box.kind == b"esds":
            return f"mp4a.40.{_audio_object_type(init[box.start + 12 : box.end])}"
    raise ValueError("mp4a without esds")


def _audio_object_type(descriptors: bytes) -> int:
    """Read the audio object type: ES (3) > DecoderConfig (4) > DecoderSpecificInfo (5) (ISO/IEC 14496-1)."""
    at = 0
    while at < len(descriptors):
        tag = descriptors[at]
        at += 1
        while descriptors[at] & 0x80:
            at += 1
        at += 1
        if tag == 3:
            at += 3
        elif tag == 4:
            at += 13
        elif tag == 5:
            kind = descriptors[at] >> 3
            if kind == 31:
                kind = 32 + ((descriptors[at] & 7) << 3 | descriptors[at + 1] >> 5)
            return kind
        else:
            break
    raise ValueError("esds without decoder information")
