"""Linear Algebra, Geometrically: four films about what a matrix does to the plane."""

from __future__ import annotations

import math

from studyplatform.demo.draw.film import Clock, Film, smooth
from studyplatform.demo.draw.stage import (
    BLUE,
    CORAL,
    GRID,
    GRID_STRONG,
    IDENTITY,
    INK,
    INK_2,
    MINT,
    YELLOW,
    Matrix,
    Point,
    Stage,
    apply,
    between,
    blend,
    lerp,
    mix,
)

COURSE = "linear-algebra-geometrically"


def place(origin: Point, unit: float, point: Point) -> Point:
    """Where a point of the plane (y upwards) stands in the picture."""
    return (origin[0] + unit * point[0], origin[1] - unit * point[1])


# 1. A matrix moves the plane

MOVES = """
start: Here is the plane, ruled into squares. (0.3)
arrows: Two short arrows rule it: one step east, and one step north. (0.3)
recipe: Any other arrow is a recipe in those two. This one says: two steps east, one step north. (0.5)
move: Now let a matrix move the plane. (2.6)
keep: Lines stay straight and evenly spaced, and the origin stays where it is. (0.4)
first: The east arrow has landed on {(2, 1)|two, one}.
second: The north arrow has landed on {(−1, 1)|minus one, one}. (0.3)
write: Write those two landing places side by side, and you have written the matrix. (0.8)
follow: The recipe still holds. Take the new east arrow twice, and the new north arrow once. (0.4)
land: Our white arrow has gone to {(3, 3)|three, three}, and nobody had to look it up. (0.5)
end: So read a matrix by its columns. Each one answers a question: where did this arrow go? (1.0)
"""

M1: Matrix = ((2, -1), (1, 1))


def draw_moves(s: Stage, c: Clock) -> None:
    origin, unit = (470.0, 556.0), 108.0
    moved = c.p("move", 0.9, 3.2)
    now = blend(IDENTITY, M1, moved)

    def at(x: float, y: float, matrix: Matrix = IDENTITY) -> Point:
        return place(origin, unit, apply(matrix, (x, y)))

    shown = c.p("start", -0.6, 1.2)
    s.grid(origin, unit, IDENTITY, GRID, 1.5, shown)
    s.grid(origin, unit, now, GRID_STRONG, 2, shown * (0.55 + 0.45 * c.p("move")))
    ghost = c.p("keep", 0.2)
    if ghost:
        s.arrow(at(0, 0), at(1, 0), INK_2, 4, 0.55 * ghost, (8, 9))
        s.arrow(at(0, 0), at(0, 1), INK_2, 4, 0.55 * ghost, (8, 9))
    recipe = c.p("recipe", 0.2)
    step = c.p("recipe", 3.0, 1.0), c.p("recipe", 4.4, 0.9)
    trail = step[0] * c.out("move", 0.2)
    s.line(at(0, 0), at(2, 0), INK_2, 4, 0.8 * trail, (9, 10), step[0])
    s.line(at(2, 0), at(2, 1), INK_2, 4, 0.8 * trail, (9, 10), step[1])
    again = c.p("follow", 1.4, 1.6), c.p("follow", 4.0, 1.1)
    s.arrow(at(0, 0), at(1, 0, M1), YELLOW, 5, 0.75 * c.p("follow", 1.2, 0.3), grow=1)
    s.arrow(at(1, 0, M1), at(2, 0, M1), YELLOW, 5, 0.75, (12, 9), again[0])
    s.arrow(at(2, 0, M1), at(2, 1, M1), MINT, 5, 0.75, (12, 9), again[1])
    s.arrow(at(0, 0), at(2, 1, now), INK, 6, recipe, grow=recipe)
    s.arrow(at(0, 0), at(1, 0, now), YELLOW, 9, grow=c.p("arrows", 1.6, 0.9))
    s.arrow(at(0, 0), at(0, 1, now), MINT, 9, grow=c.p("arrows", 3.0, 0.9))
    s.dot(at(0, 0), 9, INK, shown)
    one, two, three = at(1, 0, M1), at(0, 1, M1), at(2, 1, M1)
    s.text("(2, 1)", (one[0] + 20, one[1] + 34), 40, YELLOW, alpha=c.p("first", 0.9))
    s.text("(−1, 1)", (two[0] - 14, two[1] - 6), 40, MINT, anchor="right", alpha=c.p("second", 1.2))
    s.text("(3, 3)", (three[0] + 18, three[1] + 4), 40, INK, alpha=c.p("land", 1.2))
    written = c.p("write", 0.4, 0.6)
    s.matrix(
        [["2", "−1"], ["1", "1"]],
        970,
        262,
        62,
        alpha=written,
        shown=(c.p("write", 0.9), c.p("write", 1.7)),
    )
    s.ring((1026, 262), 54, 104, c.p("end", 1.2, 1.0))
    s.note("where east went", (1096, 440), c.p("end", 2.4, 1.0), anchor="center")
    s.leader((1070, 396), (1056, 386), (1050, 374), c.p("end", 2.1, 0.4))
    s.title("A matrix moves the plane")


# 2. What a determinant measures

DETERMINANT = """
start: Mark one square of the grid. Its area is one. (0.4)
map: A matrix carries the square along, and leaves a slanted tile. How large is it now? (0.6)
box: Put the tile in a box, four wide and three high. The box holds twelve. (0.5)
corner: Cut away two corner squares, one each. (0.3)
flat: The two flat triangles together make three. (0.3)
tall: The two tall triangles make two. (0.3)
left: Five is left. The tile is five times the square. (0.6)
rule: The short cut: multiply down one diagonal, and take away the other. Six, minus one. (0.6)
name: That number is the determinant. Every shape on the plane has grown five times, round ones too. (0.8)
flip: Now let the two arrows trade places. Half way, they lie on one line, and the area is nothing. (0.3)
flat_: A plane that is crushed onto a line cannot be spread out again. (0.6)
over: Then it opens on its other side, like a page turned over. Still five, but the sign says minus. (1.2)
"""

M2: Matrix = ((3, 1), (1, 2))
M2_SWAPPED: Matrix = ((1, 3), (2, 1))


def draw_determinant(s: Stage, c: Clock) -> None:
    origin, unit = (190.0, 584.0), 122.0
    half = 0.5 * c.p("flip", 1.0, 3.4)
    turn = half + 0.5 * c.p("over", 0.3, 2.6)
    now = blend(blend(IDENTITY, M2, c.p("map", 0.3, 2.6)), M2_SWAPPED, turn)
    (a, b), (d, e) = now
    area = a * e - b * d

    def at(x: float, y: float, matrix: Matrix = IDENTITY) -> Point:
        return place(origin, unit, apply(matrix, (x, y)))

    s.grid(origin, unit, IDENTITY, GRID, 1.5, c.p("start", -0.6, 1.0))
    cut = c.out("name", 0.0)
    boxed = c.p("box", 0.3, 1.2)
    frame = [at(0, 0), at(4, 0), at(4, 3), at(0, 3), at(0, 0)]
    pieces: list[tuple[str, float, list[Point]]] = [
        ("corner", 0.6, [at(3, 0), at(4, 0), at(4, 1), at(3, 1)]),
        ("corner", 1.2, [at(0, 2), at(1, 2), at(1, 3), at(0, 3)]),
        ("flat", 0.6, [at(0, 0), at(3, 0), at(3, 1)]),
        ("flat", 1.2, [at(1, 2), at(4, 3), at(1, 3)]),
        ("tall", 0.4, [at(0, 0), at(1, 2), at(0, 2)]),
        ("tall", 1.0, [at(3, 1), at(4, 1), at(4, 3)]),
    ]
    for key, delay, shape in pieces:
        seen = c.p(key, delay, 0.5) * cut
        s.curve(shape, CORAL, 2.5, seen, True, CORAL, 0.22)
    s.curve(frame, INK_2, 3.5, cut, grow=boxed)
    s.text("4", (at(2, 0)[0], at(2, 0)[1] + 38), 36, INK_2, anchor="center", alpha=boxed * cut)
    s.text("3", (at(4, 1.5)[0] + 20, at(4, 1.5)[1] + 12), 36, INK_2, alpha=boxed * cut)
    tile = [at(0, 0, now), at(1, 0, now), at(1, 1, now), at(0, 1, now)]
    color = mix(YELLOW, BLUE, smooth((0.2 - area) / 1.4))
    found = c.p("start", 0.2)
    s.curve(tile, color, 4, found, True, color, 0.20)
    if c.since("name") > 2.0:
        round_ = c.p("name", 3.4, 0.8) * c.out("flip", 0.2)
        ring = [
            apply(now, (0.5 + 0.36 * math.cos(t / 40 * math.pi), 0.5 + 0.36 * math.sin(t / 40 * math.pi)))
            for t in range(81)
        ]
        s.curve([place(origin, unit, p) for p in ring], INK, 3.5, round_, True, INK, 0.13)
    s.arrow(at(0, 0), at(1, 0, now), YELLOW, 8, found)
    s.arrow(at(0, 0), at(0, 1, now), MINT, 8, found)
    s.dot(at(0, 0), 9, INK, found)
    s.text(
        "1",
        (at(0.5, 0.5)[0], at(0.5, 0.5)[1] + 16),
        46,
        INK,
        "i",
        "center",
        c.p("start", 1.6) * c.out("map"),
        halo=False,
    )
    s.text(
        "5",
        (at(2, 1.5)[0], at(2, 1.5)[1] + 18),
        58,
        INK,
        "i",
        "center",
        c.p("left", 0.2) * c.out("name", 3.0),
        halo=False,
    )

    right = 820.0
    sums = c.out("rule", 0.0)
    rows = [
        ("box", 2.8, "the box", "12", INK),
        ("corner", 1.4, "corners", "− 2", CORAL),
        ("flat", 1.8, "flat ones", "− 3", CORAL),
        ("tall", 1.4, "tall ones", "− 2", CORAL),
    ]
    for index, (key, delay, words, number, ink) in enumerate(rows):
        seen = c.p(key, delay, 0.5) * sums
        y = 196 + 56 * index
        s.text(words, (right, y), 38, INK_2, "i", alpha=seen)
        s.text(number, (right + 300, y), 40, ink, anchor="right", alpha=seen)
    total = c.p("left", 0.1) * sums
    s.line((right, 384), (right + 300, 384), INK_2, 2.5, total)
    s.text("the tile", (right, 432), 38, YELLOW, "i", alpha=total)
    s.text("5", (right + 300, 432), 44, YELLOW, anchor="right", alpha=total)
    ruled = c.p("rule", 0.2)
    fade = c.out("flip", 0.0)
    s.matrix([["3", "1"], ["1", "2"]], right + 40, 236, 62, alpha=ruled * fade)
    s.line((right + 62, 196), (right + 210, 288), YELLOW, 3, 0.7 * fade, grow=c.p("rule", 1.4, 0.8))
    s.line((right + 210, 196), (right + 62, 288), CORAL, 3, 0.7 * fade, grow=c.p("rule", 3.2, 0.8))
    s.text("3 × 2 − 1 × 1 = 5", (right - 10, 392), 46, YELLOW, alpha=c.p("rule", 4.4) * fade)
    s.note("the determinant", (right + 4, 462), c.p("name", 0.9, 1.0), 42, alpha=fade)
    live = c.p("flip", 0.4)
    reading = f"{area:.1f}".replace("-", "−")
    reading = "0" if reading in ("0.0", "−0.0") else reading.removesuffix(".0")
    s.text("area", (right, 200), 40, INK_2, "i", alpha=live)
    s.text(reading, (right, 280), 84, color, alpha=live)
    crushed = c.p("flip", 5.4, 0.8) * c.out("over", 0.0, 0.4)
    s.note("nothing left", (right, 350), c.p("flip", 5.4, 0.8), 42, alpha=crushed)
    s.note("turned over", (right, 350), c.p("over", 4.2, 0.8), 42)
    s.title("What a determinant measures")


# 3. Eigenvectors, seen before named

EIGEN = """
start: Hold the floor of the grid still, and slide the ceiling to the right. (1.0)
turn: Nearly every arrow swings round with it. (0.6)
floor: One family does not. An arrow along the floor points where it always pointed. (0.8)
second: Here is another matrix. It pulls the plane out along a diagonal. (1.6)
ring: Watch a whole ring of arrows. Most of them turn a little, towards the pull. (0.8)
first: The arrow along the diagonal keeps its line, and grows to three times its length. (0.6)
other: The one square across it keeps its line too, and does not grow at all. (0.6)
name: An arrow that keeps its line is called an eigenvector. Its stretch is the eigenvalue: here three, and one. (0.5)
formula: On such an arrow, the whole matrix does no more than a single number. (0.9)
rotate: And a rotation? It turns every arrow, so no line is kept. Not every matrix has such a line to show. (1.2)
"""

SHEAR: Matrix = ((1, 1), (0, 1))
PULL: Matrix = ((2, 1), (1, 2))


def draw_eigen(s: Stage, c: Clock) -> None:
    shear_part = c.out("second", 0.0, 0.7)
    if shear_part > 0:
        origin, unit = (560.0, 470.0), 100.0
        slid = c.p("start", 1.4, 2.6)
        now = blend(IDENTITY, SHEAR, slid)
        s.grid(origin, unit, IDENTITY, GRID, 1.5, shear_part)
        s.grid(origin, unit, now, GRID_STRONG, 2, shear_part)
        for tip in ((0.0, 2.0), (-1.6, 1.6), (0.9, 1.4)):
            start, old = place(origin, unit, (0, 0)), place(origin, unit, tip)
            s.arrow(start, old, INK_2, 4, 0.6 * shear_part * c.p("start", 1.4), (10, 11))
            s.arrow(start, place(origin, unit, apply(now, tip)), MINT, 7, shear_part)
        s.arrow(place(origin, unit, (0, 0)), place(origin, unit, (2.6, 0)), YELLOW, 9, shear_part)
        s.dot(origin, 9, INK, shear_part)
        if c.since("floor") > 0:
            s.ring((700, 470), 205, 52, c.p("floor", 0.9, 1.1), alpha=shear_part)
            s.leader((960, 540), (900, 540), (884, 512), c.p("floor", 2.0, 0.4))
            s.note("not turned", (972, 556), c.p("floor", 2.3, 0.8), 44, alpha=shear_part)
    pull_part = c.p("second", 0.4, 0.7) * c.out("rotate", 0.0, 0.6)
    origin, unit = (470.0, 400.0), 112.0
    if pull_part > 0:
        pulled = c.p("ring", 0.6, 3.0)
        hint = c.p("second", 2.0, 1.6) * (1 - c.p("ring", -0.9, 0.8))
        now = blend(IDENTITY, PULL, max(pulled, 0.36 * hint))
        s.grid(origin, unit, IDENTITY, GRID, 1.5, pull_part)
        s.grid(origin, unit, now, GRID_STRONG, 2, pull_part * 0.8)
        ringed = c.p("ring", -0.4, 0.6)
        calm = 1 - 0.62 * c.p("first", 0.2)
        kept_first, kept_other = c.p("first", 0.4), c.p("other", 0.4)
        axis = 560.0
        for slope, shown in (((1, -1), kept_first), ((1, 1), kept_other)):
            far = axis * shown
            s.line(
                (origin[0] - slope[0] * far, origin[1] - slope[1] * far),
                (origin[0] + slope[0] * far, origin[1] + slope[1] * far),
                YELLOW,
                2.5,
                0.5 * pull_part * shown,
            )
        for number in range(16):
            angle = math.radians(22.5 * number)
            tip = (math.cos(angle), math.sin(angle))
            first, other = number in (2, 10), number in (6, 14)
            kept = kept_first if first else kept_other if other else 0.0
            color = mix(MINT, YELLOW, kept)
            strength = max(calm, kept) * ringed * pull_part
            s.arrow(origin, place(origin, unit, tip), INK_2, 3, 0.5 * strength, (6, 7))
            s.arrow(origin, place(origin, unit, apply(now, tip)), color, 5 + 3 * kept, strength)
        s.dot(origin, 8, INK, pull_part)
        tip3 = place(origin, unit, apply(PULL, (math.sqrt(0.5), math.sqrt(0.5))))
        tip1 = place(origin, unit, (math.sqrt(0.5), -math.sqrt(0.5)))
        s.text("× 3", (tip3[0] + 28, tip3[1] + 22), 52, YELLOW, alpha=c.p("first", 2.8) * pull_part)
        s.text("× 1", (tip1[0] + 28, tip1[1] + 16), 52, YELLOW, alpha=c.p("other", 1.6) * pull_part)
        s.matrix([["2", "1"], ["1", "2"]], 856, 270, 58, (INK, INK), c.p("second", 1.0) * pull_part)
        s.note("keeps its line", (850, 416), c.p("name", 0.6, 1.0), 44, alpha=pull_part)
        s.note("eigenvector", (850, 472), c.p("name", 1.8, 0.8), 44, alpha=pull_part)
        runs = [("A", "i"), ("v", "ib"), (" = ", ""), ("λ", "i"), ("v", "ib")]
        s.text(runs, (850, 566), 72, YELLOW, alpha=c.p("formula", 0.3) * pull_part)
    spin_part = c.p("rotate", 0.4, 0.7)
    if spin_part > 0:
        turn = math.radians(30) * c.p("rotate", 1.0, 4.2)
        cos, sin = math.cos(turn), math.sin(turn)
        now = ((cos, -sin), (sin, cos))
        origin, unit = (560.0, 396.0), 88.0
        s.grid(origin, unit, IDENTITY, GRID, 1.5, spin_part)
        s.grid(origin, unit, now, GRID_STRONG, 2, spin_part * 0.8)
        for number in range(8):
            angle = math.radians(45 * number)
            tip = (2.1 * math.cos(angle), 2.1 * math.sin(angle))
            s.arrow(origin, place(origin, unit, tip), INK_2, 3.5, 0.6 * spin_part, (8, 9))
            s.arrow(origin, place(origin, unit, apply(now, tip)), MINT, 6, spin_part)
        s.dot(origin, 9, INK, spin_part)
        s.note("none stays", (840, 330), c.p("rotate", 3.4, 0.8), 44)
    s.title("Eigenvectors, seen before named")


# 4. The best line is a shadow

SHADOW = """
start: An arrow, and a line that it does not lie on. (0.3)
ask: Which point of the line comes nearest to the arrow's tip? (0.4)
slide: Slide a point along, and watch the gap. (2.6)
right: The gap is shortest where it meets the line at a right angle. (0.5)
shadow: That point is the arrow's shadow: its projection on the line. (0.5)
dots: Two dot products find it. Three, four with two, one makes ten; two, one with itself makes five. (0.4)
twice: Ten over five is two. So the shadow is two of the line's own arrow. (0.8)
fit: Now measure something six times. No straight line runs through all the points. (0.4)
gaps: Each point misses the line by a gap, up or down. (0.5)
tilt: Least squares moves the line until the squares on those gaps are as small as they can be. (1.6)
same: It is the same act. Six heights are one long arrow; the lines you may draw are a flat sheet. (0.4)
end: Drop the arrow on the sheet. The best line is its shadow. (1.4)
"""

POINTS: tuple[Point, ...] = ((1, 1.2), (2, 2.6), (3, 2.2), (4, 3.7), (5, 3.4), (6, 4.9))


def best_line() -> tuple[float, float]:
    """Slope and height at zero of the least-squares line through POINTS."""
    count = len(POINTS)
    mean_x, mean_y = sum(x for x, _ in POINTS) / count, sum(y for _, y in POINTS) / count
    slope = sum((x - mean_x) * (y - mean_y) for x, y in POINTS) / sum((x - mean_x) ** 2 for x, _ in POINTS)
    return slope, mean_y - slope * mean_x


def draw_shadow(s: Stage, c: Clock) -> None:
    one = c.out("fit", 0.0, 0.6)
    if one > 0:
        origin, unit = (270.0, 580.0), 96.0

        def at(x: float, y: float) -> Point:
            return place(origin, unit, (x, y))

        s.grid(origin, unit, IDENTITY, GRID, 1.5, one)
        s.line(at(-2.4, -1.2), at(8.3, 4.15), GRID_STRONG, 4, one)
        settle = c.p("right", 0.0, 1.0)
        go = c.since("slide") - 0.8
        wander = 1.1 + 2.3 * (1 - math.cos(go * 1.25)) / 2 if go > 0 else 1.1
        if c.since("right") > 0:
            go = c.beats["right"].start - c.beats["slide"].start - 0.8
            wander = lerp(1.1 + 2.3 * (1 - math.cos(go * 1.25)) / 2, 2.0, settle)
        foot, tip = at(2 * wander, wander), at(3, 4)
        gap = math.dist((2 * wander, wander), (3, 4))
        seen = c.p("ask", 1.0) * one
        s.line(foot, tip, CORAL, 4.5, seen, (11, 9))
        shadow = c.p("shadow", 0.4, 1.2)
        s.arrow(at(0, 0), at(4, 2), YELLOW, 10, one, grow=shadow)
        s.arrow(at(0, 0), tip, INK, 7, one, grow=c.p("start", -0.2, 1.0))
        s.dot(foot, 9, CORAL, seen, 1)
        s.dot(at(0, 0), 9, INK, one)
        reading = c.p("slide", 0.2) * one * c.out("shadow", 0.8)
        s.text("gap", (830, 440), 40, INK_2, "i", alpha=reading)
        s.text(f"{gap:.2f}", (830, 516), 72, CORAL, alpha=reading)
        square = c.p("right", 1.2, 0.7)
        if square:
            u, v = (0.894 * 0.26, 0.447 * 0.26), (-0.447 * 0.26, 0.894 * 0.26)
            corner = [
                at(4 - u[0], 2 - u[1]),
                at(4 - u[0] + v[0], 2 - u[1] + v[1]),
                at(4 + v[0], 2 + v[1]),
            ]
            s.curve(corner, CORAL, 3.5, one, grow=square)
        s.note(
            "the shadow", (at(3.5, 1.3)[0], at(3.5, 1.3)[1] + 20), c.p("shadow", 1.3, 0.8), 42, color=YELLOW, alpha=one
        )
        work = c.p("dots", 0.2) * one
        s.text("(3, 4)", (tip[0] - 10, tip[1] - 22), 38, INK, anchor="center", alpha=work)
        s.arrow(at(0, 0), at(2, 1), MINT, 6, work)
        s.text("(2, 1)", (at(2, 1)[0] - 6, at(2, 1)[1] + 50), 38, MINT, anchor="left", alpha=work)
        s.text("3 × 2 + 4 × 1 = 10", (836, 424), 42, INK, alpha=c.p("dots", 1.8) * one)
        s.text("2 × 2 + 1 × 1 = 5", (836, 486), 42, MINT, alpha=c.p("dots", 4.6) * one)
        s.text("10 ∕ 5 = 2", (836, 562), 52, YELLOW, alpha=c.p("twice", 0.3) * one)
    two = c.p("fit", 0.4, 0.7)
    if two > 0:
        origin, unit_x, unit = (120.0, 590.0), 88.0, 74.0
        shift = c.p("same", 0.0, 1.2)
        slope, height = best_line()
        tried = c.p("tilt", 1.4, 3.4)
        m, h = lerp(0.28, slope, tried), lerp(2.5, height, tried)

        def on(x: float, y: float) -> Point:
            return (origin[0] + unit_x * x, origin[1] - unit * y)

        s.line(on(0, 0), on(7.2, 0), GRID_STRONG, 2.5, two)
        s.line(on(0, 0), on(0, 5.1), GRID_STRONG, 2.5, two)
        drawn = c.p("fit", 2.4, 1.2)
        gaps = c.p("gaps", 0.4, 0.9)
        for index, (x, y) in enumerate(POINTS):
            miss = m * x + h - y
            squared = c.p("tilt", 0.2, 0.9) * two
            side = abs(miss) * unit
            left, top = on(x, max(y, m * x + h))
            s.box(left, top, left + side, top + side, CORAL, 0.16 * squared)
            s.box(left, top, left + side, top + side, CORAL, 0.75 * squared, 2)
            s.line(on(x, y), on(x, y + miss * gaps), CORAL, 4, two * min(1, gaps * 2))
            s.dot(on(x, y), 9, INK, c.p("fit", 0.3 + 0.18 * index, 0.4))
        s.line(on(0.2, m * 0.2 + h), on(6.9, m * 6.9 + h), YELLOW, 5, two, grow=drawn)
        total = sum((m * x + h - y) ** 2 for x, y in POINTS)
        reading = c.p("tilt", 0.6) * c.out("same", -0.3)
        s.text("squares, in all", (880, 206), 40, INK_2, "i", alpha=reading)
        s.text(f"{total:.2f}", (880, 280), 72, CORAL, alpha=reading)
        if shift > 0:
            sheet = [(790.0, 500.0), (1130.0, 552.0), (1240.0, 430.0), (900.0, 378.0)]
            s.curve(sheet, MINT, 3, shift, True, MINT, 0.12)
            s.text("all straight lines", (1010, 604), 38, MINT, "i", "center", c.p("same", 4.2))
            base, top = (890.0, 470.0), (1096.0, 216.0)
            foot = (1096.0, 474.0)
            s.arrow(base, top, INK, 7, grow=c.p("same", 1.2, 1.0))
            s.text("six heights", (1086, 196), 40, INK, "i", "right", c.p("same", 2.0))
            fall = c.p("end", 0.2, 1.2)
            s.line(top, between(top, foot, fall), CORAL, 4.5, fall, (11, 9))
            s.arrow(base, foot, YELLOW, 9, grow=c.p("end", 1.5, 0.9))
            s.dot(base, 8, INK, shift)
        s.note("the best line", on(4.55, 1.7), c.p("end", 2.2, 0.8), 42, "left", YELLOW)
    s.title("The best line is a shadow")


FILMS = (
    Film(COURSE, "a-matrix-moves-the-plane", "A matrix moves the plane", MOVES, draw_moves),
    Film(COURSE, "what-a-determinant-measures", "What a determinant measures", DETERMINANT, draw_determinant),
    Film(COURSE, "eigenvectors-seen-before-named", "Eigenvectors, seen before named", EIGEN, draw_eigen),
    Film(COURSE, "the-best-line-is-a-shadow", "The best line is a shadow", SHADOW, draw_shadow),
)
