"""The dark stage the demo videos are drawn on: colours, type and marks.

Everything is vector graphics on a 1280 x 720 surface, in the look of the player's stage: a
green-black ground, hairline grids, serif titles, mint arrows, a red pencil for asides. The bottom
of the picture (below ``SAFE_BOTTOM``) is left to captions and controls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

import skia
from fontTools.ttLib import TTFont

from apps.courses.artwork.colors import srgb_of

WIDTH, HEIGHT = 1280, 720
SAFE_BOTTOM = 600

Point = tuple[float, float]
Matrix = tuple[tuple[float, float], tuple[float, float]]
Run = tuple[str, str]


def oklch(lightness: float, chroma: float, hue: float) -> int:
    """An opaque sRGB colour as skia's 32-bit number, from the design system's notation."""
    red, green, blue = (round(channel * 255) for channel in srgb_of(lightness, chroma, hue))
    return 0xFF000000 | red << 16 | green << 8 | blue


GROUND = oklch(0.165, 0.012, 200)
PANEL = oklch(0.215, 0.018, 190)
GRID = oklch(0.27, 0.02, 190)
GRID_STRONG = oklch(0.45, 0.045, 185)
INK = oklch(0.93, 0.012, 110)
INK_2 = oklch(0.74, 0.014, 130)
INK_3 = oklch(0.56, 0.018, 160)
YELLOW = oklch(0.86, 0.125, 96)
MINT = oklch(0.80, 0.09, 170)
CORAL = oklch(0.74, 0.15, 34)
BLUE = oklch(0.74, 0.085, 240)


def mix(first: int, second: int, share: float) -> int:
    """The colour ``share`` (0 to 1) of the way from ``first`` to ``second``."""
    out = 0xFF000000
    for shift in (16, 8, 0):
        one, two = first >> shift & 255, second >> shift & 255
        out |= round(one + (two - one) * share) << shift
    return out


def lerp(first: float, second: float, share: float) -> float:
    return first + (second - first) * share


def between(first: Point, second: Point, share: float) -> Point:
    return (lerp(first[0], second[0], share), lerp(first[1], second[1], share))


def blend(first: Matrix, second: Matrix, share: float) -> Matrix:
    """Interpolate two 2 x 2 matrices entry by entry, so that arrow tips move in straight lines."""
    (a, b), (c, d) = first
    (e, f), (g, h) = second
    return ((lerp(a, e, share), lerp(b, f, share)), (lerp(c, g, share), lerp(d, h, share)))


def apply(matrix: Matrix, point: Point) -> Point:
    (a, b), (c, d) = matrix
    return (a * point[0] + b * point[1], c * point[0] + d * point[1])


IDENTITY: Matrix = ((1, 0), (0, 1))

FONTS = Path(__file__).resolve().parents[3] / "static" / "fonts"
FONT_FILES = {
    "roman": "newsreader.woff2",
    "italic": "newsreader-italic.woff2",
    "greek-roman": "stix-greek.woff2",
    "greek-italic": "stix-greek-italic.woff2",
}


@cache
def _font_data(style: str) -> bytes:
    font = TTFont(FONTS / FONT_FILES[style])
    font.flavor = None
    plain = BytesIO()
    font.save(plain)
    return plain.getvalue()


@cache
def _typeface(style: str, weight: int, optical: int) -> skia.Typeface:
    base = skia.Typeface.MakeFromData(skia.Data.MakeWithCopy(_font_data(style)))
    variation = skia.FontArguments.VariationPosition
    axes = {"wght": weight} if style.startswith("greek") else {"wght": weight, "opsz": optical}
    coordinates = variation.Coordinates()
    for tag, value in axes.items():
        coordinates.append(variation.Coordinate(int.from_bytes(tag.encode("ascii"), "big"), value))
    position = variation(coordinates)  # skia keeps only a pointer to it
    arguments = skia.FontArguments()
    arguments.setVariationDesignPosition(position)
    return base.makeClone(arguments)


@cache
def _font(style: str, weight: int, size: float) -> skia.Font:
    font = skia.Font(_typeface(style, weight, int(min(72, max(6, size)))), size)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    font.setSubpixel(True)
    font.setHinting(skia.FontHinting.kNone)
    font.setEmbolden(weight > 500 and style.endswith("italic"))  # the italic files hold one weight
    return font


def _is_greek(sign: str) -> bool:
    return 0x370 <= ord(sign) <= 0x3FF


def _pieces(runs: Sequence[Run], size: float) -> list[tuple[str, skia.Font, float]]:
    """Split runs at changes of script: (text, font, vertical shift).

    A run's style is any of: ``i`` italic, ``b`` bolder, ``_`` subscript, ``^`` superscript.
    """
    out: list[tuple[str, skia.Font, float]] = []
    for text, style in runs:
        small = 0.62 if "_" in style or "^" in style else 1.0
        shift = size * (0.2 if "_" in style else -0.36 if "^" in style else 0.0)
        weight = 560 if "b" in style else 400
        part = ""
        for index, sign in enumerate(text):
            part += sign
            last = index + 1 == len(text)
            if last or _is_greek(text[index + 1]) != _is_greek(sign):
                face = "italic" if "i" in style else "roman"
                face = f"greek-{face}" if _is_greek(sign) else face
                out.append((part, _font(face, weight, round(size * small, 1)), shift))
                part = ""
    return out


class Stage:
    """One frame being drawn. Lengths are pixels of the 1280 x 720 picture; y grows downwards."""

    def __init__(self) -> None:
        info = skia.ImageInfo.Make(WIDTH, HEIGHT, skia.ColorType.kRGBA_8888_ColorType, skia.AlphaType.kPremul_AlphaType)
        self.surface = skia.Surface.MakeRaster(info)
        self.canvas = self.surface.getCanvas()

    def clear(self) -> None:
        self.canvas.clear(GROUND)

    def pixels(self) -> bytes:
        return bytes(self.surface.toarray(colorType=skia.ColorType.kRGBA_8888_ColorType).tobytes())

    def save_png(self, path: Path) -> None:
        self.surface.makeImageSnapshot().save(str(path), skia.EncodedImageFormat.kPNG)

    @staticmethod
    def paint(color: int, width: float | None = None, alpha: float = 1.0, dash: Sequence[float] = ()) -> skia.Paint:
        """A brush: filled when ``width`` is None, else a round pen of that width."""
        paint = skia.Paint(AntiAlias=True, Color=color)
        paint.setAlphaf(max(0.0, min(1.0, alpha)))
        if width is not None:
            paint.setStyle(skia.Paint.kStroke_Style)
            paint.setStrokeWidth(width)
            paint.setStrokeCap(skia.Paint.kButt_Cap if dash else skia.Paint.kRound_Cap)
            paint.setStrokeJoin(skia.Paint.kRound_Join)
            if dash:
                paint.setPathEffect(skia.DashPathEffect.Make(list(dash), 0))
        return paint

    # Marks

    def line(
        self,
        start: Point,
        end: Point,
        color: int = INK,
        width: float = 3,
        alpha: float = 1.0,
        dash: Sequence[float] = (),
        grow: float = 1.0,
    ) -> None:
        if alpha <= 0 or grow <= 0:
            return
        end = between(start, end, grow)
        self.canvas.drawLine(*start, *end, self.paint(color, width, alpha, dash))

    def curve(
        self,
        points: Iterable[Point],
        color: int = INK,
        width: float = 4,
        alpha: float = 1.0,
        closed: bool = False,
        fill: int | None = None,
        fill_alpha: float = 1.0,
        dash: Sequence[float] = (),
        grow: float = 1.0,
    ) -> None:
        """A line through many points; ``grow`` draws only its first part."""
        if alpha <= 0 or grow <= 0:
            return
        path = skia.Path()
        path.addPoly([skia.Point(*point) for point in points], closed)
        if fill is not None:
            self.canvas.drawPath(path, self.paint(fill, alpha=alpha * fill_alpha))
        if width > 0:
            paint = self.paint(color, width, alpha, dash)
            if grow < 1:
                paint.setPathEffect(skia.TrimPathEffect.Make(0, grow))
            self.canvas.drawPath(path, paint)

    def dot(self, at: Point, radius: float = 8, color: int = INK, alpha: float = 1.0, ring: int = 0) -> None:
        if alpha <= 0 or radius <= 0:
            return
        if ring:
            self.canvas.drawCircle(*at, radius + 4, self.paint(GROUND, alpha=alpha))
        self.canvas.drawCircle(*at, radius, self.paint(color, alpha=alpha))

    def circle(self, at: Point, radius: float, color: int = INK, width: float = 3, alpha: float = 1.0) -> None:
        if alpha > 0 and radius > 0:
            self.canvas.drawCircle(*at, radius, self.paint(color, width, alpha))

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        color: int = INK,
        alpha: float = 1.0,
        width: float | None = None,
        radius: float = 0,
    ) -> None:
        if alpha > 0:
            rect = skia.Rect.MakeLTRB(left, top, right, bottom)
            self.canvas.drawRoundRect(rect, radius, radius, self.paint(color, width, alpha))

    def arrow(
        self,
        start: Point,
        end: Point,
        color: int = MINT,
        width: float = 7,
        alpha: float = 1.0,
        dash: Sequence[float] = (),
        grow: float = 1.0,
    ) -> None:
        """A straight arrow with a head for its width; a very short one becomes a dot."""
        end = between(start, end, grow)
        length = math.dist(start, end)
        if alpha <= 0 or grow <= 0:
            return
        head = 9 + width * 2.1
        if length < 2:
            return
        ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        head = min(head, length)
        neck = (end[0] - ux * head * 0.82, end[1] - uy * head * 0.82)
        paint = self.paint(color, width, alpha, dash)
        paint.setStrokeCap(skia.Paint.kButt_Cap)
        self.canvas.drawLine(*start, *neck, paint)
        wing = head * 0.42
        tip = skia.Path()
        tip.moveTo(*end)
        tip.lineTo(end[0] - ux * head - uy * wing, end[1] - uy * head + ux * wing)
        tip.lineTo(end[0] - ux * head + uy * wing, end[1] - uy * head - ux * wing)
        tip.close()
        self.canvas.drawPath(tip, self.paint(color, alpha=alpha))

    def grid(
        self,
        origin: Point,
        unit: float,
        matrix: Matrix = IDENTITY,
        color: int = GRID,
        width: float = 1.5,
        alpha: float = 1.0,
        reach: int = 24,
    ) -> None:
        """The unit grid of the plane after ``matrix``, y upwards.

        It fades towards the picture's edges: quieter to look at, and half the size to store.
        """
        if alpha <= 0:
            return
        path = skia.Path()
        for step in range(-reach, reach + 1):
            for one, two in (
                ((step, -reach), (step, reach)),
                ((-reach, step), (reach, step)),
            ):
                for index, end in enumerate((one, two)):
                    x, y = apply(matrix, end)
                    place = (origin[0] + unit * x, origin[1] - unit * y)
                    (path.lineTo if index else path.moveTo)(*place)
        paint = self.paint(color, width, alpha)
        solid, clear = skia.Color4f(color), skia.Color4f(color)
        solid.fA, clear.fA = alpha, 0.0
        colors = [solid.toColor(), solid.toColor(), clear.toColor()]
        paint.setShader(skia.GradientShader.MakeRadial(skia.Point(*origin), 640, colors, [0.0, 0.42, 1.0]))
        self.canvas.drawPath(path, paint)

    def rule(self) -> None:
        """The fine grid of the background, for videos without a moving grid."""
        self.grid((640, 400), 80, IDENTITY, GRID, 1.5, 0.6, reach=9)

    # Red pencil

    def ring(
        self,
        centre: Point,
        half_width: float,
        half_height: float,
        grow: float,
        tilt: float = -4,
        color: int = CORAL,
        width: float = 4.5,
        alpha: float = 1.0,
    ) -> None:
        """A hand-drawn loop around an area: not quite closed, not quite round."""
        if grow <= 0:
            return
        points = []
        turn = math.radians(tilt)
        steps = 90
        for step in range(steps + 1):
            share = step / steps
            angle = math.radians(-125 + 392 * share)
            swell = 1 + 0.045 * math.sin(2.0 * angle + 0.6) + 0.07 * (share - 0.5)
            x, y = half_width * swell * math.cos(angle), half_height * swell * math.sin(angle)
            points.append(
                (
                    centre[0] + x * math.cos(turn) - y * math.sin(turn),
                    centre[1] + x * math.sin(turn) + y * math.cos(turn),
                )
            )
        self.curve(points, color, width, alpha, grow=grow)

    def note(
        self,
        words: str,
        at: Point,
        grow: float,
        size: float = 40,
        anchor: str = "left",
        color: int = CORAL,
        alpha: float = 1.0,
    ) -> None:
        """A remark in the red pencil's italic, written from left to right."""
        self.text(words, at, size, color, "i", anchor, alpha, grow)

    def leader(self, start: Point, bend: Point, end: Point, grow: float, color: int = CORAL) -> None:
        """A bowed pencil line from a remark to what it is about."""
        points = []
        for step in range(31):
            t = step / 30
            u = 1 - t
            points.append(
                (
                    u * u * start[0] + 2 * u * t * bend[0] + t * t * end[0],
                    u * u * start[1] + 2 * u * t * bend[1] + t * t * end[1],
                )
            )
        self.curve(points, color, 3.5, grow=grow)

    # Type

    def measure(self, runs: str | Sequence[Run], size: float, style: str = "") -> float:
        pieces = _pieces([(runs, style)] if isinstance(runs, str) else runs, size)
        return sum(font.measureText(text) for text, font, _ in pieces)

    def text(
        self,
        runs: str | Sequence[Run],
        at: Point,
        size: float = 40,
        color: int = INK,
        style: str = "",
        anchor: str = "left",
        alpha: float = 1.0,
        grow: float = 1.0,
        halo: bool = True,
    ) -> float:
        """Set a line of type with its baseline at ``at``; returns its width in pixels.

        ``grow`` uncovers it from the left; the halo keeps lines behind it from crossing it.
        """
        pieces = _pieces([(runs, style)] if isinstance(runs, str) else runs, size)
        width = sum(font.measureText(text) for text, font, _ in pieces)
        if alpha <= 0 or grow <= 0:
            return width
        x = at[0] - {"left": 0.0, "center": width / 2, "right": width}[anchor]
        self.canvas.save()
        if grow < 1:
            edge = x - 12 + (width + 24) * grow
            self.canvas.clipRect(skia.Rect.MakeLTRB(x - 24, at[1] - size * 1.3, edge, at[1] + size))
        passes = [self.paint(color, alpha=alpha)]
        if halo:
            passes.insert(0, self.paint(GROUND, size * 0.2, alpha * 0.92))
        for paint in passes:
            pen = x
            for text, font, shift in pieces:
                self.canvas.drawString(text, pen, at[1] + shift, font, paint)
                pen += font.measureText(text)
        self.canvas.restore()
        return width

    def title(self, words: str, alpha: float = 1.0) -> None:
        """The film's title, top left."""
        self.text(words, (72, 112), 58, INK, alpha=alpha)

    def matrix(
        self,
        entries: Sequence[Sequence[str]],
        left: float,
        middle: float,
        size: float = 50,
        colors: Sequence[int] = (YELLOW, MINT),
        alpha: float = 1.0,
        column: float = 1.5,
        shown: Sequence[float] = (1.0, 1.0),
    ) -> float:
        """A bracketed matrix, its columns inked one by one; returns its width in pixels.

        ``shown`` is the opacity of each column, so that columns can appear in their turn.
        """
        rows, columns = len(entries), len(entries[0])
        row_height, gap = size * 1.18, size * column
        width = gap * columns + size * 0.25
        top, bottom = middle - row_height * rows / 2, middle + row_height * rows / 2
        for side, sign in ((left, 1), (left + width, -1)):
            hook = [(side + sign * 13, top), (side, top), (side, bottom), (side + sign * 13, bottom)]
            self.curve(hook, INK, 3.5, alpha)
        for c in range(columns):
            for r in range(rows):
                self.text(
                    entries[r][c],
                    (left + size * 0.125 + gap * (c + 0.5), top + row_height * (r + 0.76)),
                    size,
                    colors[c % len(colors)],
                    "i",
                    "center",
                    alpha * shown[c % len(shown)],
                )
        return width

    def root(self, at: Point, width: float, size: float, color: int = YELLOW, alpha: float = 1.0) -> None:
        """A root sign whose bar covers ``width`` pixels from ``at`` (left end of the baseline)."""
        x, y = at
        points = [
            (x - size * 0.42, y - size * 0.30),
            (x - size * 0.32, y - size * 0.36),
            (x - size * 0.18, y + size * 0.06),
            (x - size * 0.02, y - size * 0.84),
            (x + width, y - size * 0.84),
        ]
        self.curve(points, color, max(2.5, size * 0.055), alpha)
