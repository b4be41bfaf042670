"""The pictures, documents, sounds and films of the demo's libraries: made when they are needed, so git stores none.

Each function returns the bytes of one file, the same each time. Pictures are drawn at
twice their size and made smaller, which smooths their lines.
"""

import io
import math
import random
import sys
import wave
import zipfile
from array import array
from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
from PIL import Image, ImageDraw

from studyplatform.kit.typesetting import compile_pdf, make_phrase

WIDTH, HEIGHT = 1200, 800
SCALE = 2
_DRAWN = datetime(2026, 1, 1, tzinfo=UTC)  # the date in the metadata of PDFs
PAPER, CREAM, INK = "#f7f7f2", "#f0e6d2", "#1d2b25"
GREEN, PALE, RUST, OCHRE, BLUE = "#1f5c46", "#dcebdd", "#b3372b", "#c9a56b", "#3d6a8a"
Point = tuple[float, float]


def _sheet(ground: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), ground)
    return image, ImageDraw.Draw(image)


def _encoded(image: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    small = image.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    if kind == "PNG":
        small = small.quantize(64)  # a quarter of the bytes, and nobody sees it
    small.save(out, kind, quality=80, optimize=True)
    return out.getvalue()


def _line(draw: ImageDraw.ImageDraw, points: Iterable[Point], fill: str, width: float) -> None:
    scaled = [(x * SCALE, y * SCALE) for x, y in points]
    draw.line(scaled, fill=fill, width=round(width * SCALE), joint="curve")


def _disc(draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, fill: str) -> None:
    box = [(x - radius) * SCALE, (y - radius) * SCALE, (x + radius) * SCALE, (y + radius) * SCALE]
    draw.ellipse(box, fill=fill)


@cache
def quarry_face() -> bytes:
    """Contour lines around a low sun (JPEG)."""
    image, draw = _sheet(CREAM)
    for ring in range(34, 0, -1):
        around = (math.tau * step / 180 for step in range(181))
        points = [
            (
                560 + (ring * 27) * math.cos(a) * (1.25 + 0.12 * math.sin(2 * a + ring / 7)),
                390 + (ring * 24) * math.sin(a) * (1 + 0.16 * math.cos(3 * a - ring / 9)),
            )
            for a in around
        ]
        _line(draw, points, GREEN if ring % 3 else OCHRE, 5 if ring % 3 == 0 else 3)
    _disc(draw, 510, 370, 150, OCHRE)
    return _encoded(image, "JPEG")


@cache
def tilted_beds() -> bytes:
    """Beds that dip to the right, broken by a fault (JPEG)."""
    image, draw = _sheet("#dfe7e6")
    colors = [CREAM, OCHRE, "#a9825a", "#e6d3b0", "#7d8f80", "#c8b48a", GREEN, "#93a89a"]
    for bed in range(12):
        for left, right, drop in ((0, 640, 0), (640, WIDTH, 95)):
            top = [
                (x, 60 + bed * 88 + (x - 200) * 0.24 + drop + 9 * math.sin(x / 70 + bed))
                for x in range(left, right + 1, 10)
            ]
            outline = [*top, (right, 2 * HEIGHT), (left, 2 * HEIGHT)]
            draw.polygon([(x * SCALE, y * SCALE) for x, y in outline], fill=colors[bed % len(colors)])
            _line(draw, top, "#5c4a35", 2)
    _line(draw, [(628, 0), (640, 300), (634, 560), (648, HEIGHT)], RUST, 6)
    return _encoded(image, "JPEG")


@cache
def river_bar() -> bytes:
    """Flat pebbles that lean upstream (JPEG)."""
    dice = random.Random(3)  # noqa: S311 (the same picture each time)
    image, draw = _sheet("#cfd8d4")
    for row in range(15):
        for column in range(17):
            x = column * 78 + (row % 2) * 39 + dice.uniform(-9, 9)
            y = row * 58 + dice.uniform(-7, 7)
            long, flat, lean = dice.uniform(40, 54), dice.uniform(15, 21), -0.5 + dice.uniform(-0.12, 0.12)
            outline = [
                (
                    x + long * math.cos(a) * math.cos(lean) - flat * math.sin(a) * math.sin(lean),
                    y + long * math.cos(a) * math.sin(lean) + flat * math.sin(a) * math.cos(lean),
                )
                for a in (math.tau * step / 40 for step in range(40))
            ]
            fill = dice.choice(["#8fa39a", "#b9ad95", OCHRE, "#74867e", "#dcd2bd", "#a79579"])
            draw.polygon([(px * SCALE, py * SCALE) for px, py in outline], fill=fill)
            _line(draw, [*outline, outline[0]], "#44524b", 2)
    return _encoded(image, "JPEG")


@cache
def hedgerow() -> bytes:
    """Leaves and a berry, in dots (PNG)."""
    image, draw = _sheet(PALE)
    _disc(draw, 400, 500, 300, "#b4cfb0")
    for row in range(27):
        for column in range(38):
            x, y = column * 33 + (row % 2) * 16, row * 31
            inside = math.hypot(x - 400, y - 500) < 300
            size = 4 if inside else 3 + 8 * (0.5 + 0.5 * math.sin(x / 170 + y / 260)) * (x / WIDTH)
            _disc(draw, x, y, size, GREEN if (row + column) % 5 else INK)
    _disc(draw, 905, 230, 84, RUST)
    return _encoded(image, "PNG")


@cache
def sheared_grid() -> bytes:
    """A grid before and after a shear, with the unit arrows (PNG)."""
    image, draw = _sheet(PAPER)
    for step in range(-24, 49):
        _line(draw, [(step * 40, 0), (step * 40, HEIGHT)], "#e3e5dc", 2)
        _line(draw, [(0, step * 40), (WIDTH, step * 40)], "#e3e5dc", 2)
    for step in range(-14, 40):
        _line(draw, [(step * 80, HEIGHT), (step * 80 + 400, 0)], "#9bb8a8", 3)
        _line(draw, [(0, step * 80), (WIDTH, step * 80)], "#d9b38c", 3)
    _arrow(draw, (480, 560), (640, 560), RUST)
    _arrow(draw, (480, 560), (560, 400), GREEN)
    return _encoded(image, "PNG")


def _arrow(draw: ImageDraw.ImageDraw, start: Point, end: Point, fill: str) -> None:
    turn = math.atan2(end[1] - start[1], end[0] - start[0])
    wings = [(end[0] - 26 * math.cos(turn + side), end[1] - 26 * math.sin(turn + side)) for side in (-0.45, 0.45)]
    _line(draw, [start, end], fill, 9)
    draw.polygon([(x * SCALE, y * SCALE) for x, y in (end, *wings)], fill=fill)


@cache
def sixty_journeys() -> bytes:
    """How long sixty journeys took: a histogram with its median (PNG)."""
    image, draw = _sheet("#ffffff")
    for height in range(5):
        _line(draw, [(110, 680 - height * 140), (1120, 680 - height * 140)], "#e2e2da", 2)
    for place, count in enumerate([1, 4, 9, 14, 12, 8, 5, 3, 2, 1, 0, 1]):
        left, top = 120 + place * 83, 680 - count * 40
        draw.rectangle([left * SCALE, top * SCALE, (left + 74) * SCALE, 680 * SCALE], fill=GREEN)
    _line(draw, [(450, 60), (450, 680)], RUST, 5)
    _line(draw, [(110, 680), (1120, 680)], INK, 4)
    return _encoded(image, "PNG")


@cache
def two_openings() -> bytes:
    """Waves from two openings that cross each other (WebP)."""
    image, draw = _sheet("#10212b")
    for source, color in ((310, "#7fb2cf"), (490, "#d8b878")):
        for ring in range(1, 48):
            radius = ring * 26 * SCALE
            x, y = 60 * SCALE, source * SCALE
            draw.arc([x - radius, y - radius, x + radius, y + radius], -90, 90, fill=color, width=3 * SCALE)
    draw.rectangle([0, 0, 56 * SCALE, HEIGHT * SCALE], fill="#24404f")
    for source in (310, 490):
        draw.rectangle([0, (source - 18) * SCALE, 58 * SCALE, (source + 18) * SCALE], fill="#10212b")
    return _encoded(image, "WEBP")


def worksheet(title: str, paragraphs: list[str]) -> bytes:
    """A PDF of two pages: a text, and a page of squared paper for drawing."""
    contents = {"title": title, "heading": make_phrase(title, language="en"), "paragraphs": paragraphs}
    return compile_pdf(Path(__file__).with_name("worksheet.typ"), contents, dated=_DRAWN)


@cache
def two_notes() -> bytes:
    """Two notes that nearly agree: four beats per second, for three seconds (WAV, mono)."""
    rate, seconds = 16_000, 3
    samples = array("h")
    for tick in range(rate * seconds):
        at = tick / rate
        fade = min(1, at * 8, (seconds - at) * 4)
        samples.append(round(9000 * fade * (math.sin(math.tau * 330 * at) + math.sin(math.tau * 334 * at))))
    if sys.byteorder == "big":
        samples.byteswap()
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return out.getvalue()


@cache
def turning_arrow() -> bytes:
    """An arrow that turns once on squared paper, in four seconds (MP4, silent)."""
    out = io.BytesIO()
    rate, frames = 15, 60
    with av.open(out, "w", format="mp4") as film:
        stream = film.add_stream("libx264", rate=rate, options={"crf": "28", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        stream.time_base = Fraction(1, rate)
        paper = Image.new("RGB", (640, 360), PAPER)
        lines = ImageDraw.Draw(paper)
        for step in range(0, 640, 40):
            lines.line([(step, 0), (step, 360)], fill="#e0e4da")
            lines.line([(0, step), (640, step)], fill="#e0e4da")
        for number in range(frames):
            image = paper.copy()
            turn = math.tau * number / frames
            end = 320 + 130 * math.cos(turn), 180 - 130 * math.sin(turn)
            pen = ImageDraw.Draw(image)
            pen.line([(320, 180), end], fill=GREEN, width=7)
            pen.ellipse([end[0] - 11, end[1] - 11, end[0] + 11, end[1] + 11], fill=RUST)
            frame = av.VideoFrame.from_image(image)  # type: ignore[no-untyped-call]
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
    return out.getvalue()


def archive(files: dict[str, bytes]) -> bytes:
    """A zip of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        for name, content in files.items():
            zipped.writestr(zipfile.ZipInfo(name, (2026, 1, 15, 12, 0, 0)), content)
    return out.getvalue()
