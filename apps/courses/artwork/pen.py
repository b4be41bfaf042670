"""Path data for plates: short numbers, few elements, two inks.

Elements carry a class, never a color: `pl-a` and `pl-b` are filled with an ink, `pl-al` and
`pl-bl` stroked with one, `pl-gl` stroked with the ground to rule lines out of a shape.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

W, H = 320.0, 200.0
"""The frame that every picture is drawn for; it slices to any other."""

Point = tuple[float, float]
Segment = tuple[Point, Point]


def n(value: float) -> str:
    """Return a coordinate with one decimal, or none if the decimal is zero."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def dot(x: float, y: float, r: float) -> str:
    """Return a disc as path data, so that one element can contain hundreds of discs."""
    return f"M{n(x - r)} {n(y)}a{n(r)} {n(r)} 0 1 0 {n(2 * r)} 0a{n(r)} {n(r)} 0 1 0 {n(-2 * r)} 0"


def poly(points: Iterable[Point], *, close: bool = False) -> str:
    body = "L".join(f"{n(x)} {n(y)}" for x, y in points)
    return f"M{body}{'Z' if close else ''}"


def box(x: float, y: float, w: float, h: float) -> str:
    return f"M{n(x)} {n(y)}h{n(w)}v{n(h)}h{n(-w)}z"


def fill(ink: str, shape: str, opacity: str = "") -> str:
    """Return a filled path; `opacity` as written in the attribute, such as ".62"."""
    veil = f' fill-opacity="{opacity}"' if opacity else ""
    return f'<path class="pl-{ink}"{veil} d="{shape}"/>'


def line(ink: str, shape: str, width: float) -> str:
    return f'<path class="pl-{ink}l" stroke-width="{n(width)}" d="{shape}"/>'


def spots(ink: str, centers: Iterable[Point], radius: float) -> str:
    """Return equal discs as points with round caps: four characters each instead of forty."""
    shape = "".join(f"M{n(x)} {n(y)}h0" for x, y in centers)
    return f'<path class="pl-{ink}l" stroke-width="{n(2 * radius)}" stroke-linecap="round" d="{shape}"/>'


def _key(point: Point) -> Point:
    """The distance within which two ends count as the same."""
    return round(point[0], 2), round(point[1], 2)


def join(segments: Sequence[Segment]) -> str:
    """Join separate segments end to end, which shortens the path data, and smooth them."""
    at: dict[Point, list[int]] = {}
    for index, (p, q) in enumerate(segments):
        at.setdefault(_key(p), []).append(index)
        at.setdefault(_key(q), []).append(index)

    used: set[int] = set()

    def next_point(tail: Point) -> Point | None:
        for index in at.get(_key(tail), ()):
            if index not in used:
                used.add(index)
                start, end = segments[index]
                return end if _key(start) == _key(tail) else start
        return None

    chains = []
    for index, (p, q) in enumerate(segments):
        if index in used:
            continue
        used.add(index)
        chain = [p, q]
        while (point := next_point(chain[-1])) is not None:
            chain.append(point)
        while (point := next_point(chain[0])) is not None:
            chain.insert(0, point)
        chains.append(smooth(chain))
    return "".join(chains)


def smooth(points: Sequence[Point]) -> str:
    """Smooth a chain with a quadratic curve through the midpoint of every segment."""
    distinct = [points[0]]
    for x, y in points[1:-1]:
        if math.hypot(x - distinct[-1][0], y - distinct[-1][1]) > 7.5:
            distinct.append((x, y))
    distinct.append(points[-1])
    if len(distinct) < 3:
        return poly(distinct)
    out = [f"M{n(distinct[0][0])} {n(distinct[0][1])}"]
    for (x, y), (u, v) in pairwise(distinct[1:]):
        out.append(f"Q{n(x)} {n(y)} {n((x + u) / 2)} {n((y + v) / 2)}")
    out.append(f"L{n(distinct[-1][0])} {n(distinct[-1][1])}")
    return "".join(out)
