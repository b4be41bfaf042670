"""The picture of a certificate that other sites show with a link to it: PNG, 1200 by 630 pixels.

It names what the page of the certificate names, no more. Texts that the fonts of the site can't write are left out.
"""

import math
import re
import unicodedata
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from fontTools.pens.basePen import BasePen
from fontTools.svgLib.path import parse_path
from PIL import Image, ImageChops, ImageDraw, ImageFont

from apps.courses import artwork
from apps.courses.artwork.colors import srgb_of
from apps.learning.certificates.vector_drawing import GROUND, INK_A, INK_B
from apps.learning.models import Certificate
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.pdf.text import DISPLAY, FILES, FONTS, ITALIC, PLAIN, Runs, runs_of

WIDTH, HEIGHT = 1200, 630
FINE = 2  # drawn twice as large and scaled down, so that edges are smooth
EDGE = 44  # how much of the course's artwork shows around the paper
TEXT_WIDTH = WIDTH - 2 * EDGE - 120
Point = tuple[float, float]
RGB = tuple[int, int, int]
_CLASSES = {"pl-ground": "g", "pl-a": "a", "pl-b": "b", "pl-al": "a", "pl-bl": "b", "pl-gl": "g"}
_pictures: LruCache[bytes] = LruCache(64)


def _color(lightness: float, chroma: float, hue: float) -> RGB:
    red, green, blue = (round(255 * part) for part in srgb_of(lightness, chroma, hue))
    return red, green, blue


PAPER, INK, INK_2 = _color(0.993, 0.004, 108), _color(0.238, 0.020, 168), _color(0.44, 0.020, 166)
RUBRIC, ACCENT, RULE = _color(0.505, 0.168, 29), _color(0.395, 0.084, 163), _color(0.80, 0.014, 125)


def picture(certificate: Certificate) -> bytes:
    """Return the picture as PNG; drawn once per process, language and certificate."""
    key = (certificate.code, get_language(), settings.SITE_NAME)
    known = _pictures.get(key)
    return _pictures.put(key, _draw(certificate)) if known is None else known


def _draw(certificate: Certificate) -> bytes:
    course = certificate.enrollment.course
    sheet = _artwork(course.slug, course.subject.slug, course.plate_variant)
    pen = ImageDraw.Draw(sheet)
    edge = EDGE * FINE
    pen.rectangle((edge, edge, sheet.width - edge, sheet.height - edge), fill=PAPER)
    inner = edge + 12 * FINE
    pen.rectangle((inner, inner, sheet.width - inner, sheet.height - inner), outline=RULE, width=FINE)
    _mark(pen, 98, settings.SITE_NAME)
    _line(pen, _("This certifies that"), 178, 27, RUBRIC, style=ITALIC)
    _line(pen, certificate.learner_name, 244, 68, INK)
    _line(pen, _("has completed the course"), 318, 25, INK_2, style=PLAIN)
    lines = _wrapped(certificate.course_title, 44)
    for place, text in enumerate(lines):
        _line(pen, text, 376 + 54 * place, 44, INK)
    below = 376 + 54 * len(lines)
    _line(pen, _("Taught by %(name)s") % {"name": certificate.instructor_name}, below, 23, INK_2, PLAIN)
    pen.line([(x * FINE, 528 * FINE) for x in (420, 780)], fill=RULE, width=FINE)
    _line(pen, f"{settings.SITE_URL.partition('://')[2]}/certificates", 552, 20, INK_2, PLAIN)
    out = BytesIO()
    # The fast ones of Pillow's ways: the best ones take five times as long, and nobody sees a difference.
    sheet.reduce(FINE).quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG")
    return out.getvalue()


def _mark(pen: ImageDraw.ImageDraw, y: int, name: str) -> None:
    """The mark of the site with its name, centered."""
    runs = _runs(name, DISPLAY) or []
    length = _length(runs, 30) / FINE
    left = (WIDTH - length - 46) / 2
    for points, color in (
        ([(2, 5.5), (17, 9.5), (17, 24.5), (2, 20.5)], ACCENT),
        ([(26, 5.5), (11, 9.5), (11, 24.5), (26, 20.5)], RUBRIC),
        ([(11, 9.5), (14, 8.7), (17, 9.5), (17, 24.5), (14, 23.7), (11, 24.5)], INK),
    ):
        pen.polygon([((left + x * 1.2) * FINE, (y - 18 + z * 1.2) * FINE) for x, z in points], fill=color)
    _write(pen, runs, (left + 46) * FINE, y, 30, INK)


def _line(pen: ImageDraw.ImageDraw, text: str, y: int, size: int, color: RGB, style: str = DISPLAY) -> None:
    """One centered line around ``y``, smaller if it is too long, and cut if it is still too long."""
    while text:
        runs = _runs(text, style)
        if runs is None:
            return
        length = _length(runs, size)
        if length <= TEXT_WIDTH * FINE:
            _write(pen, runs, (WIDTH * FINE - length) / 2, y, size, color)
            return
        if size > 22:
            size -= 2
        else:
            text = f"{text[:-2].rstrip()}…"


def _runs(text: str, style: str) -> Runs | None:
    """The text in runs of one font each; None if the embedded fonts can't write all of it."""
    runs = runs_of(text, style)
    is_whole = len("".join(run for run, _font in runs)) == len(unicodedata.normalize("NFC", text))
    return runs if is_whole and all(font in FILES for _run, font in runs) else None


def _length(runs: Runs, size: int) -> float:
    return sum(_font(font, size).getlength(text) for text, font in runs)


def _write(pen: ImageDraw.ImageDraw, runs: Runs, x: float, y: int, size: int, color: RGB) -> None:
    for text, font in runs:
        pen.text((x, (y + size * 0.33) * FINE), text, color, _font(font, size), anchor="ls")
        x += _font(font, size).getlength(text)


def _wrapped(text: str, size: int) -> list[str]:
    """The text in one line, or in two of about the same length."""
    words = text.split()
    runs = _runs(text, DISPLAY)
    if len(words) < 2 or runs is None or _length(runs, size) <= TEXT_WIDTH * FINE:
        return [text]
    cut = min(range(1, len(words)), key=lambda place: abs(len(" ".join(words[:place])) - len(text) / 2))
    return [" ".join(words[:cut]), " ".join(words[cut:])]


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONTS / FILES[name]), size * FINE)


class _Flat(BasePen):
    """A fontTools pen that turns a path into polygons."""

    def __init__(self) -> None:
        super().__init__(None)
        self.parts: list[list[Point]] = []

    def _moveTo(self, pt: Point) -> None:  # noqa: N802 (fontTools names it)
        self.parts.append([pt])

    def _lineTo(self, pt: Point) -> None:  # noqa: N802
        self.parts[-1].append(pt)

    def _curveToOne(self, pt1: Point, pt2: Point, pt3: Point) -> None:  # noqa: N802
        start = self.parts[-1][-1]
        for step in range(1, 13):
            t = step / 12
            parts = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            points = (start, pt1, pt2, pt3)
            self.parts[-1].append(
                (
                    sum(weight * point[0] for weight, point in zip(parts, points, strict=True)),
                    sum(weight * point[1] for weight, point in zip(parts, points, strict=True)),
                )
            )

    def _closePath(self) -> None:  # noqa: N802
        self.parts[-1].append(self.parts[-1][0])

    def _endPath(self) -> None:  # noqa: N802
        """Nothing to do: a path may stay open."""


def _artwork(slug: str, subject: str, variant: int) -> Image.Image:
    """The artwork of a course, covering the sheet; its inks are printed over each other."""
    inks = artwork.inks(slug, subject, variant)
    colors = {"g": _color(*GROUND, inks.stock), "a": _color(*INK_A, inks.a), "b": _color(*INK_B, inks.b)}
    sheet = Image.new("RGB", (WIDTH * FINE, HEIGHT * FINE), colors["g"])
    scale = max(sheet.width / 320, sheet.height / 200)
    shift = ((sheet.width - 320 * scale) / 2, (sheet.height - 200 * scale) / 2)
    layers: dict[str, Image.Image] = {}

    def draw(element: ElementTree.Element, angle: float, around: Point) -> None:
        if element.tag == "g":
            turned = re.fullmatch(r"rotate\(([-.\d]+) ([-.\d]+) ([-.\d]+)\)", element.get("transform", ""))
            for child in element:
                if turned:
                    draw(child, float(turned[1]), (float(turned[2]), float(turned[3])))
                else:
                    draw(child, angle, around)
            return
        kind = element.get("class", "")
        ink = _CLASSES.get(kind)
        if ink is None or element.tag == "rect":
            return
        if ink not in layers:
            layers[ink] = Image.new("RGB", sheet.size, "white")
        flat = _Flat()
        parse_path(element.get("d", ""), flat)
        pen = ImageDraw.Draw(layers[ink])
        opacity = float(element.get("fill-opacity", "1"))
        color = tuple(round(255 - (255 - part) * opacity) for part in colors[ink])
        sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        for part in flat.parts:
            placed = [
                (
                    shift[0] + scale * (around[0] + (x - around[0]) * cosine - (y - around[1]) * sine),
                    shift[1] + scale * (around[1] + (x - around[0]) * sine + (y - around[1]) * cosine),
                )
                for x, y in part
            ]
            if kind.endswith("l") or len(placed) < 3:
                pen.line(placed, fill=color, width=max(1, round(float(element.get("stroke-width", "1")) * scale)))
            else:
                pen.polygon(placed, fill=color)

    for element in ElementTree.fromstring(artwork.plate(slug, subject, variant)):  # noqa: S314 (drawn by artwork)
        draw(element, 0.0, (0.0, 0.0))
    for ink in ("a", "b"):
        if ink in layers:
            sheet = ImageChops.multiply(sheet, layers[ink])
    return sheet
