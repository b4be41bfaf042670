"""Pattern families of counted elements: grids, cells, seeds, bars."""

import math

from .dice import Dice
from .pen import H, Point, W, box, dot, fill, line, n, poly, spots


def lattice(d: Dice) -> str:
    """A checkered plane under a linear map, printed over the points it came from."""
    step = d.pick([34.0, 40.0, 48.0])
    k = d.span(0.30, 0.80) * d.pick([-1, 1])
    s = d.span(0.08, 0.34) * d.pick([-1, 1])
    cx, cy = d.span(110, 210), d.span(70, 130)
    period = d.pick([2, 2, 3])

    def image(i: int, j: int) -> Point:
        x, y = i * step, j * step
        return cx + x + k * y, cy + s * x + y

    cells, points = [], []
    for i in range(-12, 12):
        for j in range(-9, 9):
            if (i + j) % period == 0:
                quad = [image(i, j), image(i + 1, j), image(i + 1, j + 1), image(i, j + 1)]
                if any(-10 < x < W + 10 and -10 < y < H + 10 for x, y in quad):
                    cells.append(poly(quad, close=True))
            x, y = cx + i * step / 2, cy + j * step / 2
            if -6 < x < W + 6 and -6 < y < H + 6:
                points.append((x, y))
    reach = 3 * step
    axis = poly([(cx, cy), (cx + reach, cy + s * reach)]) + poly([(cx, cy), (cx - k * reach, cy - reach)])
    return (
        fill("a", "".join(cells), ".9")
        + spots("b", points, step / 14)
        + line("b", axis, 4.5)
        + fill("b", dot(cx, cy, 8))
    )


def scatter(d: Dice) -> str:
    """Two samples as dot plots of their distributions."""
    out = []
    shape = d.whole(0, 2)
    for ink, mean, spread, radius in (
        ("a", d.span(0.26, 0.44), d.span(0.12, 0.19), 4.4),
        ("b", d.span(0.56, 0.76), d.span(0.09, 0.15), 3.0),
    ):
        pitch = radius * 2.4
        centers = []
        for c in range(int(W / pitch) + 1):
            x = (c + 0.5) * pitch
            z = (x / W - mean) / spread
            if shape == 1 and ink == "a":
                z = z * 0.8 if z > 0 else z * 1.9
            top = math.exp(-0.5 * z * z) * H * d.span(0.74, 0.92)
            if shape == 2 and ink == "b":
                z = (x / W - mean + 0.42) / (spread * 0.7)
                top = max(top, math.exp(-0.5 * z * z) * H * d.span(0.34, 0.46))
            centers += [(x, H - 8 - (r + 0.5) * pitch) for r in range(int(top / pitch))]
        out.append(spots(ink, centers, radius))
    return "".join(out) + line("b", f"M0 {n(H - 5)}H{n(W)}", 1.6)


def automaton(d: Dice) -> str:
    """An elementary cellular automaton run from one cell, woven in two inks."""
    rule = d.pick([30, 45, 73, 90, 105, 110, 150])
    size = 8.0
    columns, rows = 42, 26
    cells = [0] * columns
    cells[d.whole(14, 28)] = 1
    if rule in (45, 73, 105, 110):
        for _ in range(4):
            cells[d.whole(0, columns - 1)] = 1
    a: list[str] = []
    b: list[str] = []
    for r in range(rows):
        run = 0
        for c in range(columns + 1):
            on = c < columns and cells[c]
            if on:
                run += 1
            elif run:
                target = a if (r // 3) % 2 == 0 else b
                target.append(box((c - run) * size - 8, r * size - 2, run * size - 1.4, size - 1.4))
                run = 0
        cells = [(rule >> (cells[i - 1] * 4 + cells[i] * 2 + cells[(i + 1) % columns])) & 1 for i in range(columns)]
    return fill("a", "".join(a)) + fill("b", "".join(b))


def spiral(d: Dice) -> str:
    """Phyllotaxis: seeds at the golden angle, divided between two inks."""
    cx, cy = d.span(60, 260), d.span(60, 140)
    spread = d.span(9.0, 12.5)
    arm = d.pick([3, 5, 8, 13])
    turn = math.radians(137.50776)
    sizes: list[list[list[Point]]] = [[[] for _ in range(4)] for _ in "ab"]
    for i in range(1, 640):
        r = spread * math.sqrt(i)
        x, y = cx + r * math.cos(i * turn), cy + r * math.sin(i * turn)
        if -8 < x < W + 8 and -8 < y < H + 8:
            sizes[1 if i % arm < arm * 0.42 else 0][min(3, int(r / 44))].append((x, y))
    out = fill("a", dot(cx, cy, spread * 5.2), ".34")
    for ink, groups in zip("ab", sizes, strict=True):
        out += "".join(spots(ink, group, spread * (0.20 + 0.075 * k)) for k, group in enumerate(groups) if group)
    return out


def _form(kind: int, x: float, y: float, m: float) -> str:
    """One cut of paper on a module of side m; the kinds beyond the last leave it empty."""
    cuts = (
        dot(x + m / 2, y + m / 2, m / 2),
        f"M{n(x)} {n(y)}h{n(m)}a{n(m)} {n(m)} 0 0 1 {n(-m)} {n(m)}z",
        f"M{n(x + m)} {n(y + m)}h{n(-m)}a{n(m)} {n(m)} 0 0 1 {n(m)} {n(-m)}z",
        f"M{n(x)} {n(y + m / 2)}a{n(m / 2)} {n(m / 2)} 0 0 1 {n(m)} 0z",
        poly([(x, y + m), (x + m, y), (x + m, y + m)], close=True),
        "".join(box(x, y + k * 10, m, 5) for k in range(4)),
        box(x, y, m, m),
        dot(x + m / 2, y + m / 2, 6),
    )
    return cuts[kind] if kind < len(cuts) else ""


def forms(d: Dice) -> str:
    """Cut paper on a module: discs, halves, quarters, bars."""
    m = 40.0
    full_square = 6
    a: list[str] = []
    b: list[str] = []
    for j in range(5):
        for i in range(8):
            target, other = (a, b) if d.unit() < 0.54 else (b, a)
            kind = d.whole(0, 8)
            target.append(_form(kind, i * m, j * m, m))
            if kind == full_square:
                other.append(dot(i * m + m / 2, j * m + m / 2, 9))
    return fill("a", "".join(a)) + fill("b", "".join(b))


def steps(d: Dice) -> str:
    """Two series that cross: one rising in bars, one falling in a staircase."""
    count = d.pick([14, 16, 20])
    w = W / count
    up, down = [], [(0.0, H)]
    bend = d.span(1.2, 2.2)
    for i in range(count):
        t = (i + 0.5) / count
        h = H * (0.12 + 0.72 * t**bend) + d.span(-7, 7)
        up.append(box(i * w + 1.4, H - h, w - 2.8, h + 2))
        fall = H * (0.16 + 0.66 * t ** (1 / bend)) + d.span(-5, 5)
        down += [(i * w, fall), ((i + 1) * w, fall)]
    down += [(W, H)]
    hatch = "".join(f"M0 {n(y)}H{n(W)}" for y in range(4, int(H), 6))
    return fill("a", "".join(up)) + line("b", hatch, 0.5) + fill("b", poly(down, close=True), ".62")
