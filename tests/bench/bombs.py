"""Small files that become large when they are decoded, and file names that are hard to read."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _zeros(length: int) -> bytes:
    """Zeros, compressed without holding them."""
    packer = zlib.compressobj(9)
    block = bytes(2**20)
    parts = [packer.compress(block) for _ in range(length // 2**20)]
    return b"".join([*parts, packer.compress(bytes(length % 2**20)), packer.flush()])


def png(width: int, height: int, *, frames: int = 0, text: int = 0) -> bytes:
    """A black PNG with one bit per pixel; with so many frames (APNG) and bytes of compressed text."""
    rows = _zeros((1 + -(-width // 8)) * height)
    parts = [b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))]
    if text:
        parts.append(_chunk(b"zTXt", b"a\0\0" + _zeros(text)))
    if frames:
        parts.append(_chunk(b"acTL", struct.pack(">II", frames, 0)))
    parts.append(_chunk(b"IDAT", rows))
    return b"".join([*parts, _chunk(b"IEND", b"")])


def gif(width: int, height: int, frames: int) -> bytes:
    """A GIF with so many frames, each of the full size."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x03\x84\x51\x05\x00"
    return head + frame * frames + b";"


def zipped(name: str, length: int) -> bytes:
    """A zip with one file of zeros."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive, archive.open(name, "w") as file:
        for _ in range(length // 2**20):
            file.write(bytes(2**20))
    return out.getvalue()


def entities() -> str:
    """XML whose ten entities expand to a billion characters."""
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY e0 "ha">{lines}]>'


@cache
def files() -> list[tuple[str, str, bytes]]:
    """What is hostile, a name, and the contents."""
    return list(_made())


def _made() -> Iterator[tuple[str, str, bytes]]:
    yield "PNG of 30,000 x 30,000", "a.png", png(30_000, 30_000)
    yield "PNG of 8,000 x 8,000", "a.png", png(8_000, 8_000)
    yield "PNG of 2,000,000,000 x 1", "a.png", png(2**31 - 1, 1)[:4096]
    yield "PNG with 200 MB of text", "a.png", png(300, 300, text=200 * 2**20)
    yield "GIF of 3,000 frames", "a.gif", gif(2_000, 2_000, 3_000)
    yield "GIF of 60,000 x 60,000", "a.gif", gif(60_000, 60_000, 1)
    yield "SVG with entities", "a.svg", (entities() + '<svg xmlns="http://www.w3.org/2000/svg">&e9;</svg>').encode()
    cue = "<tt><body><div><p begin='1s'>&e9;</p></div></body></tt>"
    yield "captions with entities", "a.ttml", (entities() + cue).encode()
    yield "captions of nested elements", "a.ttml", b"<tt><body><div>" + b"<p begin='1s'>" * 80_000
    cues = (f"{n}\n00:00:{n % 60:02},000 --> 00:00:{n % 60:02},900\na\n\n" for n in range(30_000))
    yield "captions of short cues", "a.srt", "".join(cues).encode()
    yield "captions of arrows", "a.vtt", b"WEBVTT\n\n" + b"--> " * 250_000
    yield "captions of line ends", "a.vtt", b"WEBVTT\n" + b"\n" * 1_000_000
    yield "captions of tags", "a.srt", b"1\n00:00:01,000 --> 00:00:02,000\n" + b"<i>{\\an8}" * 100_000
    yield "captions in brackets", "a.ass", b"[Script Info]\n[Events]\n" + b"{" * 900_000
    yield "captions without an encoding", "a.srt", bytes(range(128, 256)) * 8_000
    yield "captions of numbers", "a.sub", b"{1}{2}" * 150_000
    yield "zip of zeros", "a.zip", zipped("zeros", 500 * 2**20)
    yield "gzip of zeros", "a.gz", gzip.compress(bytes(100 * 2**20))
    yield "name of 100,000 letters", "a" * 100_000 + ".png", png(10, 10)
    yield "name of combining characters", "a" + "\u0301" * 50_000 + ".png", png(10, 10)
    yield "name of dots", "." * 60_000 + ".png", png(10, 10)
