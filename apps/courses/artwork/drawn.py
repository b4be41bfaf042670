"""Pattern families that are drawn: waves, hills, orbits, arches, strokes, sheets, strings."""

import math

from .dice import Dice
from .pen import H, Point, Segment, W, box, dot, fill, join, line, n, poly


def ripples(d: Dice) -> str:
    """Waves from two sources; sometimes one of them is a plane wave."""
    gap = d.span(14, 20)
    x1, y1 = d.span(40, 130), d.span(50, 150)
    x2, y2 = d.span(190, 290), d.span(40, 160)
    one = "".join(dot(x1, y1, gap * i) for i in range(1, int(330 / gap)))
    if d.unit() < 0.34:
        lean = d.span(-0.5, 0.5)
        other = gap * d.span(0.8, 1.1)
        two = "".join(
            f"M{n(i * other - lean * H)} 0L{n(i * other + lean * H)} {n(H)}" for i in range(-8, int(W / other) + 9)
        )
        center = ""
    else:
        two = "".join(dot(x2, y2, gap * i) for i in range(1, int(330 / gap)))
        center = fill("b", dot(x2, y2, gap * 0.55))
    return line("a", one, gap * 0.42) + line("b", two, gap * 0.16) + fill("a", dot(x1, y1, gap * 0.55)) + center


def _level_set(grid: list[list[float]], xs: list[float], ys: list[float], level: float) -> list[Segment]:
    """Return the segments along which a sampled field crosses a level, by marching squares."""
    segments: list[Segment] = []
    for j in range(len(ys) - 1):
        for i in range(len(xs) - 1):
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            cuts: list[Point] = []
            for (c, r), (c2, r2) in zip(corners, corners[1:] + corners[:1], strict=True):
                v, w = grid[r][c], grid[r2][c2]
                if (v < level) != (w < level):
                    t = (level - v) / (w - v)
                    cuts.append((xs[c] + (xs[c2] - xs[c]) * t, ys[r] + (ys[r2] - ys[r]) * t))
            segments += [(cuts[p], cuts[p + 1]) for p in range(0, len(cuts) - 1, 2)]
    return segments


def contours(d: Dice) -> str:
    """Hills seen from above: level sets of a few summed bumps."""
    hills = [(d.span(20, 300), d.span(20, 180), d.span(42, 78), d.span(0.6, 1.0)) for _ in range(4)]

    def height(x: float, y: float) -> float:
        return sum(k * math.exp(-((x - hx) ** 2 + ((y - hy) * 1.25) ** 2) / (2 * s * s)) for hx, hy, s, k in hills)

    step = 13.0
    nx, ny = int(W / step) + 3, int(H / step) + 3
    xs = [i * step - 8 for i in range(nx)]
    ys = [j * step - 8 for j in range(ny)]
    grid = [[height(x, y) for x in xs] for y in ys]
    out = []
    for number in range(11):
        heavy = number % 4 == 1
        segments = _level_set(grid, xs, ys, 0.12 + 0.105 * number)
        out.append(line("a" if heavy else "b", join(segments), 3.4 if heavy else 1.1))
    peak = max(hills, key=lambda h: h[3])
    out.insert(0, fill("a", dot(peak[0], peak[1], d.span(34, 52)), ".55"))
    return "".join(out)


def orbits(d: Dice) -> str:
    """Ellipses about a shared focus, a body on each, and a fixed field of stars."""
    cx, cy = d.span(110, 175), d.span(88, 118)
    tilt = d.span(-24, 24)
    rings, bodies = [], []
    for i in range(7):
        rx = 22 + i * d.span(23, 27)
        ry = rx * 0.62
        rings.append(f"M{n(cx - rx)} {n(cy)}a{n(rx)} {n(ry)} 0 1 0 {n(2 * rx)} 0a{n(rx)} {n(ry)} 0 1 0 {n(-2 * rx)} 0")
        angle = d.span(0, math.tau)
        bodies.append(dot(cx + rx * math.cos(angle), cy + ry * math.sin(angle), d.span(2.6, 7.5)))
    stars = "".join(dot(d.span(0, W), d.span(0, H), d.span(0.5, 1.3)) for _ in range(70))
    return (
        fill("b", stars)
        + f'<g transform="rotate({n(tilt)} {n(cx)} {n(cy)})">'
        + line("b", "".join(rings), 0.9)
        + fill("b", "".join(bodies))
        + "</g>"
        + fill("a", dot(cx, cy, d.span(26, 38)))
    )


def arcade(d: Dice) -> str:
    """Rows of arches, with the second ink printed slightly out of register."""
    out = []
    span = d.pick([46.0, 54.0, 64.0])
    for ink, shift, grow in (("a", d.span(0, span), 1.0), ("b", d.span(0, span), 0.72)):
        path = []
        base, row = H + 6, 0
        while base > 10:
            width = span * grow * 0.80
            r = width / 2
            leg = span * 0.52
            x = -span + (shift + row * span * 0.5) % span
            while x < W + span:
                path.append(f"M{n(x)} {n(base)}v{n(-leg)}a{n(r)} {n(r)} 0 0 1 {n(width)} 0v{n(leg)}z")
                x += span
            base -= span * 1.06
            row += 1
        out.append(fill(ink, "".join(path)))
    return "".join(out)


def cadence(d: Dice) -> str:
    """The rhythm of speech: rows of long and short strokes that alternate between two voices."""
    a: list[str] = []
    b: list[str] = []
    height = d.pick([9.0, 11.0])
    y, row = 14.0, 0
    while y < H:
        x = d.span(-30, 0)
        while x < W:
            width = d.pick([height, height, 22, 34, 48, 70])
            target = a if (row % 3 != 2) != (d.unit() < 0.18) else b
            if d.unit() > 0.16:
                r = height / 2
                inner = max(0.0, width - height)
                target.append(
                    f"M{n(x + r)} {n(y)}h{n(inner)}a{n(r)} {n(r)} 0 0 1 0 {n(height)}"
                    f"h{n(-inner)}a{n(r)} {n(r)} 0 0 1 0 {n(-height)}z"
                )
            x += width + 7
        y += height + 7
        row += 1
    return fill("a", "".join(a)) + fill("b", "".join(b))


def leaves(d: Dice) -> str:
    """Loose sheets, fanned, with ruled lines on the top one."""
    cx, cy = d.span(130, 190), H + d.span(30, 60)
    start = d.span(-62, -50)
    count = 7
    out = []
    for i in range(count):
        angle = start + i * (112 / (count - 1))
        ink = "a" if i % 2 == 0 else "b"
        out.append(
            f'<g transform="rotate({n(angle)} {n(cx)} {n(cy)})">'
            + fill(ink, box(cx - 34, cy - 225, 68, 200), ".72")
            + line(
                "g",
                "".join(f"M{n(cx - 22)} {n(cy - 205 + k * 13)}h{n(44 - 18 * ((k + i) % 3 == 2))}" for k in range(9)),
                1.6,
            )
            + "</g>"
        )
    return "".join(out)


def strings(d: Dice) -> str:
    """Standing waves: the harmonics of one string, bowed twice."""
    out = []
    first = d.whole(1, 3)
    rows = d.pick([5, 6, 7])
    pitch = H / rows
    for ink, width, sign in (("a", pitch * 0.20, 1), ("b", pitch * 0.09, -1)):
        path = []
        for i in range(rows):
            mode = first + (i * 2) % 5
            amp = pitch * 0.62 * sign * (0.55 + 0.45 * math.cos(i * 1.3))
            y = (i + 0.5) * pitch
            path.append(poly([(x, y + amp * math.sin(math.pi * mode * x / W)) for x in range(0, 321, 8)]))
        out.append(line(ink, "".join(path), width))
    beads = []
    for i in range(rows):
        mode = first + (i * 2) % 5
        node, parts = (d.whole(1, mode - 1), mode) if mode > 1 else (1, 2)
        beads.append(dot(W * node / parts, (i + 0.5) * pitch, pitch * d.pick([0.18, 0.24, 0.30])))
    return "".join(out) + fill("b", "".join(beads))
