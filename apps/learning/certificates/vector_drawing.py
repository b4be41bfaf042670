"""Draw the project's SVG pictures on a PDF canvas: plates, seals, icons.

Only the subset of SVG that these pictures use is supported: paths, rects, circles and rotated groups, filled or
stroked in one of the plate's three inks.
"""

import re
from xml.etree import ElementTree

from fontTools.pens.basePen import BasePen
from fontTools.svgLib.path import parse_path
from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.pathobject import PDFPathObject

from apps.courses.artwork import Inks
from apps.courses.artwork.colors import srgb_of

# Lightness and chroma of the plate's inks in the light theme (assets/styles/tokens/colors.css).
GROUND, INK_A, INK_B = (0.925, 0.030), (0.63, 0.140), (0.42, 0.085)


def oklch(lightness: float, chroma: float, hue: float, alpha: float = 1.0) -> Color:
    """Return the sRGB color nearest to this OKLCH color (https://www.w3.org/TR/css-color-4/#ok-lab)."""
    return Color(*srgb_of(lightness, chroma, hue), alpha=alpha)


class PDFPathPen(BasePen):
    """A fontTools pen that draws into a path of a PDF."""

    def __init__(self, path: PDFPathObject) -> None:
        super().__init__(None)
        self._path = path

    def _moveTo(self, pt: tuple[float, float]) -> None:  # noqa: N802 (fontTools names it)
        self._path.moveTo(*pt)

    def _lineTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
        self._path.lineTo(*pt)

    def _curveToOne(  # noqa: N802
        self, pt1: tuple[float, float], pt2: tuple[float, float], pt3: tuple[float, float]
    ) -> None:
        self._path.curveTo(*pt1, *pt2, *pt3)

    def _closePath(self) -> None:  # noqa: N802
        self._path.close()

    def _endPath(self) -> None:  # noqa: N802
        """Nothing to do: a PDF path may stay open."""


def trace(canvas: Canvas, data: str) -> PDFPathObject:
    """Return an SVG path's ``d`` as a path of the canvas."""
    path = canvas.beginPath()
    parse_path(data, PDFPathPen(path))
    return path


def draw_plate(canvas: Canvas, svg: str, inks: Inks, *, width: float, height: float) -> None:
    """Draw a plate that covers the given area from its lower left corner, clipped to it."""
    canvas.saveState()
    area = canvas.beginPath()
    area.rect(0, 0, width, height)
    canvas.clipPath(area, stroke=0, fill=0)
    scale = max(width / 320, height / 200)
    # The y axis points down in SVG, and up in PDF.
    canvas.translate((width - 320 * scale) / 2, height - (height - 200 * scale) / 2)
    canvas.scale(scale, -scale)
    colors = {
        "g": oklch(*GROUND, inks.stock),
        "a": oklch(*INK_A, inks.a),
        "b": oklch(*INK_B, inks.b),
    }
    for element in ElementTree.fromstring(svg):  # noqa: S314 (drawn by apps.courses.artwork)
        _draw(canvas, element, colors)
    canvas.restoreState()


_CLASSES: dict[str, tuple[str, bool]] = {
    "pl-ground": ("g", True),
    "pl-a": ("a", True),
    "pl-b": ("b", True),
    "pl-al": ("a", False),
    "pl-bl": ("b", False),
    "pl-gl": ("g", False),
}


def _draw(canvas: Canvas, element: ElementTree.Element, colors: dict[str, Color]) -> None:
    if element.tag == "g":
        canvas.saveState()
        rotation = re.fullmatch(r"rotate\(([-.\d]+) ([-.\d]+) ([-.\d]+)\)", element.get("transform", ""))
        if rotation:
            angle, x, y = (float(part) for part in rotation.groups())
            canvas.translate(x, y)
            canvas.rotate(angle)
            canvas.translate(-x, -y)
        for child in element:
            _draw(canvas, child, colors)
        canvas.restoreState()
        return
    ink, is_filled = _CLASSES[element.get("class", "")]
    canvas.saveState()
    canvas.setBlendMode("Multiply" if ink != "g" else "Normal")
    if is_filled:
        canvas.setFillColor(colors[ink])
        canvas.setFillAlpha(float(element.get("fill-opacity", "1")))
    else:
        canvas.setStrokeColor(colors[ink])
        canvas.setLineWidth(float(element.get("stroke-width", "1")))
        canvas.setLineCap(1 if element.get("stroke-linecap") == "round" else 0)
    if element.tag == "rect":
        canvas.rect(0, 0, float(element.get("width", "0")), float(element.get("height", "0")), stroke=0, fill=1)
    else:
        canvas.drawPath(trace(canvas, element.get("d", "")), stroke=int(not is_filled), fill=int(is_filled))
    canvas.restoreState()


def draw_seal(canvas: Canvas, svg: str, *, ink: Color, paper: Color, size: float) -> None:
    """Draw a seal, centered on the canvas's current origin."""
    scale = size / 88
    canvas.saveState()
    canvas.translate(-size / 2, size / 2)
    canvas.scale(scale, -scale)
    canvas.setStrokeColor(ink)
    canvas.setFillColor(paper)
    canvas.setLineWidth(1.15)
    for element in ElementTree.fromstring(svg):  # noqa: S314 (drawn by apps.courses.artwork)
        if element.tag == "circle":
            canvas.circle(44, 44, float(element.get("r", "0")), stroke=1, fill=1)
        else:
            canvas.drawPath(trace(canvas, element.get("d", "")), stroke=1, fill=0)
    canvas.restoreState()


def draw_lines(canvas: Canvas, paths: list[str], *, ink: Color, size: float, width: float = 1.5) -> None:
    """Draw a stroked icon of 24 units, centered on the canvas's current origin."""
    canvas.saveState()
    canvas.translate(-size / 2, size / 2)
    canvas.scale(size / 24, -size / 24)
    canvas.setStrokeColor(ink)
    canvas.setLineWidth(width)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    for data in paths:
        canvas.drawPath(trace(canvas, data), stroke=1, fill=0)
    canvas.restoreState()
