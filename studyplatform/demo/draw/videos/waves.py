"""Waves and Interference: four films, one of them to be listened to."""

from __future__ import annotations

import math

import numpy
import skia

from studyplatform.demo.draw.film import Clock, Film, smooth
from studyplatform.demo.draw.stage import (
    BLUE,
    CORAL,
    GRID_STRONG,
    INK,
    INK_2,
    INK_3,
    MINT,
    PANEL,
    YELLOW,
    Point,
    Stage,
    between,
    lerp,
    mix,
)
from studyplatform.demo.draw.voice import RATE, Sound

COURSE = "waves-and-interference"


def bracket(s: Stage, left: float, right: float, y: float, color: int, alpha: float = 1.0, grow: float = 1.0) -> None:
    """A measuring line with a tick at each end."""
    end = lerp(left, right, grow)
    s.line((left, y), (end, y), color, 3.5, alpha)
    s.line((left, y - 11), (left, y + 11), color, 3.5, alpha)
    s.line((end, y - 11), (end, y + 11), color, 3.5, alpha)


# 1. What a wave carries

CARRIES = """
start: Here is a string, with beads along it. (0.3)
shake: Shake its left end up and down, and a wave runs to the right. (3.2)
bead: Now watch one bead. It goes up, it comes down, and it stays where it lives. (1.0)
shape: What travels is the shape: news of a movement, passed from bead to bead. (0.6)
length: Stop the clock. From crest to crest is one wavelength. (0.7)
period: Let it run. The time in which one bead goes up, down, and back is one period. (0.8)
speed: And in one period, a crest moves on by just one wavelength. (2.6)
formula: So the speed is wavelength over period; or wavelength times frequency, the periods in a second. (0.6)
sound: The A above middle C swings four hundred and forty times a second. Sound in air goes {343 meters|three hundred and forty three metres} in that second. (0.4)
divide: Divide, and the note is {78 centimeters|seventy eight centimetres} long: about as long as an arm. (1.2)
"""

LENGTH, PERIOD, AMPLITUDE, AXIS = 340.0, 2.6, 92.0, 372.0


def wave_time(c: Clock) -> float:
    """Seconds that the string has been shaken: the clock of the string stops when it is told to."""
    run = max(0.0, c.since("shake") - 0.8)
    stop = c.beats["length"].start - c.beats["shake"].start - 0.8 + 0.5
    again = c.beats["period"].start - c.beats["shake"].start - 0.8 + 0.6
    halt = c.beats["formula"].start - c.beats["shake"].start - 0.8 + 0.4
    if run <= stop:
        return run
    if run <= again:
        return stop
    return stop + min(run, halt) - again


def draw_carries(s: Stage, c: Clock) -> None:
    s.rule()
    time = wave_time(c)
    left = 96.0
    speed = LENGTH / PERIOD

    def height(x: float) -> float:
        age = time - (x - left) / speed
        return AMPLITUDE * smooth(age / 0.9) * math.sin(2 * math.pi * age / PERIOD) if age > 0 else 0

    shown = c.p("start", -0.5)
    dim = 1 - 0.9 * c.p("sound", 0.2)
    s.line((60, AXIS), (1220, AXIS), GRID_STRONG, 2, 0.7 * shown, (4, 12))
    xs = [left + 34 * i for i in range(33)]
    s.curve([(x, AXIS - height(x)) for x in numpy.arange(left, xs[-1] + 1, 6)], MINT, 3.5, 0.8 * shown * dim)
    chosen = 13
    lit = c.p("bead", 0.3)
    x = xs[chosen]
    s.line((x, AXIS - 118), (x, AXIS + 118), YELLOW, 2.5, 0.55 * lit * dim, (5, 9))
    for index, bead in enumerate(xs):
        spot = (bead, AXIS - height(bead))
        if index == chosen:
            s.dot(spot, 9 + 7 * lit, mix(INK, YELLOW, lit), shown * (dim if dim < 1 else 1), 1)
        else:
            s.dot(spot, 8.5, INK, shown * (1 - 0.45 * lit) * dim)
    hand = c.p("shake", 0.0) * c.out("bead", 0.0)
    s.arrow((left - 44, AXIS + 8), (left - 44, AXIS - 66), CORAL, 5, hand)
    s.arrow((left - 44, AXIS - 8), (left - 44, AXIS + 66), CORAL, 5, hand)
    s.note(
        "up and down, no further", (x + 4, 552), c.p("bead", 2.6, 1.2) * 1.0, 42, "center", YELLOW, c.out("shape", 0.4)
    )
    travel = c.p("shape", 0.9) * c.out("length", 0.0)
    s.arrow((720, 208), (720 + 250 * c.p("shape", 0.6, 1.6), 208), CORAL, 6, travel)
    s.note("the shape", (716, 184), c.p("shape", 1.0), 42, alpha=travel)
    stopped = c.p("length", 1.8) * c.out("period", 0.0)
    if c.since("length") > 0:
        stop = c.beats["length"].start - c.beats["shake"].start - 0.3
        crest = left + speed * (stop - PERIOD / 4)
        first = crest - LENGTH * math.floor((crest - 250) / LENGTH)
        bracket(s, first, first + LENGTH, 238, YELLOW, stopped, c.p("length", 1.9, 1.1))
        for end in (first, first + LENGTH):
            s.line((end, 252), (end, AXIS - AMPLITUDE - 12), YELLOW, 2, 0.6 * stopped, (4, 7))
        s.text([("λ", "i")], (first + LENGTH / 2, 218), 60, YELLOW, anchor="center", alpha=stopped)
    counting = c.p("period", 2.2) * c.out("speed", 0.0)
    if counting > 0:
        turn = (time / PERIOD) % 1
        hub = (x, 560.0)
        s.circle(hub, 30, INK_3, 4, counting)
        arc = [
            (hub[0] + 30 * math.sin(2 * math.pi * turn * k / 40), hub[1] - 30 * math.cos(2 * math.pi * turn * k / 40))
            for k in range(41)
        ]
        s.curve(arc, YELLOW, 6, counting)
        s.text("one period, ", (x + 52, 574), 42, YELLOW, "i", alpha=counting)
        s.text([("T", "i")], (x + 52 + s.measure("one period, ", 42, "i"), 574), 50, YELLOW, alpha=counting)
    if c.since("speed") > 1.0:
        begin = c.beats["speed"].start + 1.2
        gone = min(max(0.0, (c.now - begin) / PERIOD), 1.0)
        base = wave_time(Clock(c.beats, c.length, begin))
        crest = left + speed * (base - PERIOD / 4)
        crest -= LENGTH * math.floor((crest - 200) / LENGTH)
        alpha = c.p("speed", 1.0, 0.4) * c.out("formula", 0.2)
        y = AXIS - AMPLITUDE
        s.line((crest, 226), (crest, y - 14), CORAL, 2.5, 0.7 * alpha, (4, 7))
        bracket(s, crest, crest + LENGTH, 238, CORAL, alpha, gone)
        if gone < 1:
            s.dot((crest + LENGTH * gone, y), 11, CORAL, alpha, 1)
        s.note(
            "one wavelength on", (crest + LENGTH / 2, 212), c.p("speed", 1.2 + PERIOD, 0.8), 42, "center", CORAL, alpha
        )
    formula = c.p("formula", 0.4)
    s.text([("v", "i"), (" = ", ""), ("λ", "i"), (" ∕ ", ""), ("T", "i")], (150, 566), 66, YELLOW, alpha=formula)
    s.text(
        [("v", "i"), (" = ", ""), ("λ", "i"), (" ", ""), ("f", "i")], (500, 566), 66, YELLOW, alpha=c.p("formula", 3.2)
    )
    s.text([("f", "i"), (" = 440 per second", "")], (150, 236), 46, INK, alpha=c.p("sound", 1.0))
    s.text([("v", "i"), (" = 343 meters per second", "")], (150, 304), 46, INK, alpha=c.p("sound", 5.2))
    s.text([("λ", "i"), (" = 343 ∕ 440 = 0.78 meters", "")], (150, 396), 56, YELLOW, alpha=c.p("divide", 0.5))
    s.title("What a wave carries")


# 2. Two waves in one place

TWO = """
start: Two humps run towards each other along one string. (1.0)
meet: Where they meet, do they push each other back? No. Their heights add, point by point. (0.8)
pass: Then each goes on its way, as if it had met nobody. (1.4)
upside: Now turn one of them upside down. (1.6)
flat: For an instant the string lies flat. But it is still moving, and both humps come out again. (1.6)
trains: Now take two long waves. Draw them apart, and their sum below. (0.5)
step: In step, crest on crest, the sum is twice as high. (0.8)
slide: Slide one along by half a wavelength. Crest falls on trough, and nothing is left. (1.0)
between: In between lies every height from nothing to double. (2.2)
name: In step is called constructive; out of step, destructive. Both are only addition. (1.2)
"""


def hump(x: float, centre: float, height: float, width: float = 82) -> float:
    return height * math.exp(-(((x - centre) / width) ** 2))


def draw_two(s: Stage, c: Clock) -> None:
    s.rule()
    pulses = c.out("trains", 0.0, 0.6)
    if pulses > 0:
        y = 410.0
        second = c.since("upside") > -0.3
        if not second:
            meeting = c.beats["meet"].start - c.beats["start"].start
            near = lerp(-450, -92, smooth(c.since("start") / (meeting + 1.2)))
            near = lerp(near, 0, c.p("meet", 3.2, 1.8))
            offset = lerp(near, 470, c.p("pass", 0.5, 3.4))
            sign = 1.0
        else:
            offset = lerp(-450, 0, c.p("upside", 0.8, 3.6))
            offset = lerp(offset, 470, c.p("flat", 2.6, 3.6))
            sign = -1.0
        fresh = c.p("upside", -0.2, 0.7) if second else c.p("start", -0.6)
        fresh *= pulses if second else c.out("upside", -0.9, 0.6)
        xs = numpy.arange(60, 1221, 5)
        one = [hump(x, 640 + offset, 120) for x in xs]
        two = [hump(x, 640 - offset, 120 * sign) for x in xs]
        s.line((60, y), (1220, y), GRID_STRONG, 2, 0.7 * fresh, (4, 12))
        close = smooth(1.6 - abs(offset) / 150)
        s.curve([(x, y - h) for x, h in zip(xs, one, strict=True)], MINT, 3.5, 0.85 * fresh * close, dash=(10, 9))
        s.curve([(x, y - h) for x, h in zip(xs, two, strict=True)], BLUE, 3.5, 0.85 * fresh * close, dash=(10, 9))
        s.curve([(x, y - a - b) for x, a, b in zip(xs, one, two, strict=True)], YELLOW, 6, fresh)
        away = fresh * smooth((abs(offset) - 150) / 120)
        s.arrow((640 + offset - 40, y - 160), (640 + offset + 50, y - 160), MINT, 5, away)
        lift = -160 if sign > 0 else 166
        s.arrow((640 - offset + 40, y + lift), (640 - offset - 50, y + lift), BLUE, 5, away)
        if not second:
            add = c.p("meet", 4.6, 0.6) * c.out("pass", 0.2)
            s.arrow((640, y), (640, y - 114), MINT, 5, add)
            s.arrow((640, y - 120), (640, y - 236), BLUE, 5, add)
            s.note("heights add", (690, y - 206), c.p("meet", 5.2, 0.8), 44, alpha=c.out("pass", 0.2))
        else:
            s.note(
                "flat, for an instant", (640, y + 190), c.p("flat", 0.8, 0.8), 44, "center", CORAL, c.out("flat", 3.0)
            )
    trains = c.p("trains", 0.5, 0.7)
    if trains > 0:
        length = 220.0
        swing = c.since("between") - 0.4
        settle = c.p("name", 0.0, 0.6)
        shift = c.p("slide", 0.6, 2.6)
        if swing > 0:
            free = 0.5 + 0.5 * math.cos(min(swing, 60) * 1.5)
            shift = free
        if settle > 0:
            start = c.beats["name"].start - c.beats["between"].start - 0.4
            held = 0.5 + 0.5 * math.cos(start * 1.5)
            shift = lerp(held, 0, settle)
            shift = lerp(shift, 1, c.p("name", 2.6, 1.6))
        xs = numpy.arange(250, 1221, 5)
        rows = ((226.0, 0.0, MINT), (330.0, shift * length / 2, BLUE))
        for row, moved, color in rows:
            s.line((250, row), (1220, row), GRID_STRONG, 2, 0.6 * trains, (4, 12))
            s.curve(
                [(x, row - 38 * math.sin(2 * math.pi * (x - 250 - moved) / length)) for x in xs],
                color,
                4.5,
                trains,
            )
        total = [
            38
            * (
                math.sin(2 * math.pi * (x - 250) / length)
                + math.sin(2 * math.pi * (x - 250 - shift * length / 2) / length)
            )
            for x in xs
        ]
        s.line((250, 492), (1220, 492), GRID_STRONG, 2, 0.6 * trains, (4, 12))
        s.curve([(x, 492 - h) for x, h in zip(xs, total, strict=True)], YELLOW, 6, trains * c.p("trains", 3.2))
        for words, row, color in (("one", 238.0, MINT), ("other", 342.0, BLUE), ("sum", 504.0, YELLOW)):
            s.text(words, (210, row), 42, color, "i", "right", trains)
        marks = c.p("slide", 0.5) * c.out("between", 0.0)
        bracket(s, 250 + length / 4, 250 + length / 4 + max(1.0, shift * length / 2), 280, CORAL, marks)
        s.note("crest on crest", (1210, 606), c.p("step", 0.6, 0.8), 42, "right", CORAL, c.out("slide", 0.0))
        s.note("crest on trough", (1210, 606), c.p("slide", 3.0, 0.8), 42, "right", CORAL, c.out("between", 0.0))
        s.note("constructive", (1210, 606), c.p("name", 0.6, 0.8), 42, "right", CORAL, c.out("name", 2.7, 0.3))
        s.note("destructive", (1210, 606), c.p("name", 3.2, 0.8), 42, "right", CORAL)
    s.title("Two waves in one place")


# 3. Two notes that nearly agree

BEATS = """
start: This is a note of two hundred and twenty hertz.
one = low [A steady tone, 220 hertz] (0.2)
next: And this is one of two hundred and twenty-two. You will hardly hear a difference.
two = high [A steady tone, 222 hertz] (0.2)
both: Now sound them together.
sum = both [Both tones: the loudness swells and fades twice a second] (0.4)
why: Look at the two waves. Here their crests agree, and the sum is loud. (0.3)
gain: But one of them gains on the other. A quarter of a second later they are opposed, and it is silent. (0.4)
again: Another quarter, and they agree again. (0.4)
count: So the swell comes twice a second: two hundred and twenty-two, less two hundred and twenty. (0.5)
tune: Piano tuners listen for this. Tighten the string until the swell grows slow.
glide = glide [The swell slows down, and the two tones become one] (0.3)
end: When it stops, the notes are the same. (1.2)
"""


GLIDE = 0.74  # of the sound: by then the two notes have become one


def tone(seconds: float, *frequencies: float) -> Sound:
    time = numpy.arange(int(seconds * RATE)) / RATE
    wave = sum(numpy.sin(2 * numpy.pi * f * time) + 0.22 * numpy.sin(4 * numpy.pi * f * time) for f in frequencies)
    edge = numpy.minimum(1, numpy.minimum(time, seconds - time) / 0.06)
    return (0.105 * wave * edge).astype(numpy.float32)


def glide(seconds: float = 7.0) -> Sound:
    """A note of 222 hertz drawn down to meet one of 220, and both held."""
    time = numpy.arange(int(seconds * RATE)) / RATE
    off = 2.0 * numpy.clip(1 - time / (seconds * GLIDE), 0, 1) ** 1.4
    phase = 2 * numpy.pi * numpy.cumsum(220 + off) / RATE
    other = 2 * numpy.pi * 220 * time
    # Start where the phase difference will have come round to nothing when the glide ends.
    phase -= (phase - other)[-1]
    edge = numpy.minimum(1, numpy.minimum(time, seconds - time) / 0.06)
    wave = numpy.sin(phase) + numpy.sin(other)
    return (0.12 * wave * edge).astype(numpy.float32)


def draw_beats(s: Stage, c: Clock) -> None:
    s.rule()
    left, right = 190.0, 1210.0
    seconds = 2.0
    per = (right - left) / seconds
    xs = numpy.arange(left, right + 1, 2.5)
    gone = max(0.0, c.since("glide")) / (7.0 * GLIDE)
    difference = 2.0 * max(0.0, 1 - gone) ** 1.4
    first, second = 8.0, 8.0 + difference

    def draw(row: float, height: float, color: int, alpha: float, *rates: float) -> None:
        s.line((left, row), (right, row), GRID_STRONG, 2, 0.6 * alpha, (4, 12))
        points = [(x, row - height * sum(math.cos(2 * math.pi * f * (x - left) / per) for f in rates)) for x in xs]
        s.curve(points, color, 3.5, alpha)

    one, two, both = c.p("start", 0.2), c.p("next", 0.2), c.p("both", 0.2)
    draw(226, 36, MINT, one, first)
    draw(334, 36, BLUE, two, second)
    if both > 0:
        draw(490, 44, YELLOW, both, first, second)
        wrap = c.p("sum", 0.2) * 0.8
        for side in (1, -1):
            s.curve(
                [(x, 490 - side * 90 * abs(math.cos(math.pi * difference * (x - left) / per))) for x in xs],
                CORAL,
                3,
                wrap,
                dash=(9, 8),
            )
    for words, row, color, alpha in (
        ("220", 240, MINT, one),
        (f"{220 + difference:.1f}".removesuffix(".0"), 348, BLUE, two),
        ("sum", 502, YELLOW, both),
    ):
        s.text(words, (158, row), 44, color, "i" if words == "sum" else "", "right", alpha)
    for key in ("one", "two", "sum"):
        sounding = c.since(key)
        if 0 <= sounding < c.span(key) - 0.5:
            x = left + per * (sounding % seconds)
            rows = {"one": (180, 272), "two": (288, 380), "sum": (180, 590)}[key]
            s.line((x, rows[0]), (x, rows[1]), INK, 3, 0.9)
    quarter = per / 4
    marks = c.out("tune", 0.0)
    spots = (
        (0.0, "why", 1.6, "agree", "loud"),
        (1.0, "gain", 2.6, "opposed", "silent"),
        (2.0, "again", 0.7, "agree", "loud"),
    )
    for step, key, delay, over, under in spots:
        x = left + quarter * (2 + step)
        seen = c.p(key, delay, 0.5) * marks
        s.line((x, 176), (x, 586), CORAL, 3, 0.9 * seen, (7, 8))
        s.note(over, (x, 168), c.p(key, delay + 0.2, 0.5), 36, "center", CORAL, marks if c.since(key) > 0 else 0)
        s.note(under, (x, 622), c.p(key, delay + 0.6, 0.5), 38, "center", CORAL, marks if c.since(key) > 0 else 0)
    s.text("222 − 220 = 2 a second", (right, 624), 46, YELLOW, anchor="right", alpha=c.p("count", 1.6) * marks)
    s.note("the same", (right, 622), c.p("end", 0.8), 44, "right")
    s.title("Two notes that nearly agree")
    s.text("drawn with fewer waves than you hear", (left, 622), 32, INK_3, "i", alpha=one * c.out("why", -0.5))


# 4. Two openings and a pattern

OPENINGS = """
start: Waves come to a wall with two openings. (1.2)
spread: Behind the wall, each opening sends out ripples of its own. (2.8)
cross: Stop them for a moment. Wherever crest meets crest, the two add up. (0.9)
lanes: Those places line up in lanes, with calm water in between. (0.9)
centre: Where does a lane reach the far side? Straight ahead, both ways are equally long. The waves agree: bright. (0.5)
half: Go up, and one way becomes the longer. Half a wavelength longer, and crest meets trough: dark. (0.5)
whole: A whole wavelength longer, and they agree again: bright. (0.5)
stripes: So the far side is striped, bright and dark by turns. (0.8)
rule: Bright lies wherever the difference is a whole number of wavelengths. (0.6)
ruler: Now read it backwards. Measure the stripes, and you have measured the wave: even of light, half a thousandth of a {millimeter|millimetre} long. (1.2)
"""

WALL, SCREEN, MIDDLE, APART, RIPPLE = 400.0, 1010.0, 388.0, 176.0, 32.0
SLITS: tuple[Point, Point] = ((WALL, MIDDLE - APART / 2), (WALL, MIDDLE + APART / 2))


def detour(y: float) -> float:
    """How much longer the way from the lower opening to (SCREEN, y) is, in wavelengths."""
    spot = (SCREEN, y)
    return (math.dist(SLITS[1], spot) - math.dist(SLITS[0], spot)) / RIPPLE


def height_of(order: float) -> float:
    """Where on the screen the detour is ``order`` wavelengths."""
    low, high = 0.0, 600.0
    for _ in range(50):
        half = (low + high) / 2
        low, high = (half, high) if detour(MIDDLE - half) < order else (low, half)
    return MIDDLE - low


def draw_openings(s: Stage, c: Clock) -> None:
    s.rule()
    speed = 72.0
    run = c.since("start") + 4.0
    stop = c.beats["cross"].start - c.beats["start"].start + 4.0 + 0.7
    time = min(run, stop)
    quiet = 1 - 0.8 * c.p("centre", 0.0, 0.8)
    travelled = speed * time
    come = c.p("start", -0.5) * quiet
    phase = travelled % RIPPLE
    x = WALL - RIPPLE + phase
    while x > 40:
        s.line((x, 170), (x, 606), MINT, 3, come * 0.75 * min(1, (x - 40) / 120))
        x -= RIPPLE
    age = speed * max(0.0, time - (c.beats["spread"].start - c.beats["start"].start + 4.0) + 0.2)
    s.canvas.save()
    s.canvas.clipRect(skia.Rect.MakeLTRB(WALL + 7, 146, SCREEN - 8, 640))
    crests: list[float] = []
    radius = phase
    while radius < min(age, 660):
        crests.append(radius)
        radius += RIPPLE
    for slit, color in zip(SLITS, (MINT, BLUE), strict=True):
        for r in crests:
            if r > 4:
                points = [
                    (slit[0] + r * math.cos(a), slit[1] + r * math.sin(a))
                    for a in numpy.linspace(-math.pi / 2, math.pi / 2, 64)
                ]
                s.curve(points, color, 2.6, 0.85 * quiet * max(0.12, 1 - r / 780))
    lit = c.p("cross", 1.2, 0.9)
    if lit > 0:
        for r1 in crests:
            for r2 in crests:
                if max(r1, r2) < 40:
                    continue
                y = (r1 * r1 - r2 * r2) / (2 * APART)
                inside = r1 * r1 - (y + APART / 2) ** 2
                if inside > 0:
                    s.dot((WALL + math.sqrt(inside), MIDDLE + y), 5.5 * lit, YELLOW, lit * quiet)
    lanes = c.p("lanes", 0.4, 1.4)
    if lanes > 0:
        for order in range(-4, 5):
            half = order * RIPPLE / 2
            points = []
            for step in range(81):
                across = step / 80 * (SCREEN - WALL)
                side = math.sqrt(max(0.0, (APART / 2) ** 2 - half * half))
                points.append((WALL + across, MIDDLE + half * math.sqrt(1 + (across / side) ** 2)))
            s.curve(points, YELLOW, 3, 0.6 * lanes * (0.35 + 0.65 * quiet), grow=lanes)
    s.canvas.restore()
    wall = c.p("start", -0.5)
    gap = 13.0
    spans = ((60, SLITS[0][1] - gap), (SLITS[0][1] + gap, SLITS[1][1] - gap), (SLITS[1][1] + gap, 640))
    for top, bottom in spans:
        s.line((WALL, max(top, 170)), (WALL, bottom), INK, 9, wall)
    far = c.p("centre", 0.2)
    s.line((SCREEN, 140), (SCREEN, 640), INK_2, 4, far)

    spot = lerp(MIDDLE, height_of(0.5), c.p("half", 0.3, 3.2))
    spot = lerp(spot, height_of(1.0), c.p("whole", 0.2, 1.6))
    paths = c.p("centre", 2.4) * c.out("stripes", 0.0)
    target = (SCREEN, spot)
    for slit, color in zip(SLITS, (MINT, BLUE), strict=True):
        s.line(slit, target, color, 4, paths, grow=c.p("centre", 2.4, 1.2))
    extra = math.dist(SLITS[1], target) - math.dist(SLITS[0], target)
    if extra > 1:
        long = math.dist(SLITS[1], target)
        s.line(SLITS[1], between(SLITS[1], target, extra / long), CORAL, 9, paths)
    bright = (math.cos(math.pi * detour(spot))) ** 2
    s.dot(target, 14, mix(PANEL, YELLOW, bright), paths, 1)
    s.circle(target, 14, INK_2, 2.5, paths)
    words = [
        ("centre", 5.6, "bright", MIDDLE, "half"),
        ("half", 5.0, "dark", height_of(0.5), "whole"),
        ("whole", 2.2, "bright", height_of(1), "stripes"),
    ]
    for key, delay, word, y, until in words:
        s.note(word, (SCREEN + 34, y + 14), c.p(key, delay, 0.5), 44, "left", CORAL, c.out(until, 0.0))
    s.note("half a wavelength", (448, 628), c.p("half", 3.6, 0.8), 40, alpha=c.out("whole", 0.0))
    s.note("one wavelength", (448, 628), c.p("whole", 1.4, 0.8), 40, alpha=c.out("stripes", 0.0))
    striped = c.p("stripes", 0.3, 1.6)
    if striped > 0:
        ys = numpy.arange(144, 637, 4)
        for y in ys:
            if abs(y - MIDDLE) <= 250 * striped:
                s.line((SCREEN, y), (SCREEN, y + 4), mix(PANEL, YELLOW, math.cos(math.pi * detour(y)) ** 2), 16)
        curve = [(SCREEN + 34 + 112 * math.cos(math.pi * detour(y)) ** 2, y) for y in ys]
        s.curve(curve, YELLOW, 4, 0.95, grow=striped)
    rule = c.p("rule", 0.4)
    for order in (-2, -1, 0, 1, 2):
        y = height_of(abs(order))
        y = y if order >= 0 else 2 * MIDDLE - y
        runs = [(f"{abs(order)} " if abs(order) != 1 else "1 ", ""), ("λ", "i")] if order else [("0", "")]
        s.text(runs, (SCREEN + 160, y + 14), 42, YELLOW, alpha=rule)
    ruled = c.p("ruler", 0.9)
    one, nought = height_of(1), MIDDLE
    s.line((SCREEN - 34, nought), (SCREEN - 34, one), CORAL, 3.5, ruled)
    for y in (one, nought):
        s.line((SCREEN - 45, y), (SCREEN - 23, y), CORAL, 3.5, ruled)
    s.note("measure here", (SCREEN - 60, (one + nought) / 2 + 12), c.p("ruler", 1.5), 42, "right")
    s.title("Two openings and a pattern")


FILMS = (
    Film(COURSE, "what-a-wave-carries", "What a wave carries", CARRIES, draw_carries),
    Film(COURSE, "two-waves-in-one-place", "Two waves in one place", TWO, draw_two),
    Film(
        COURSE,
        "two-notes-that-nearly-agree",
        "Two notes that nearly agree",
        BEATS,
        draw_beats,
        sounds={
            "low": lambda: tone(2.2, 220),
            "high": lambda: tone(2.2, 222),
            "both": lambda: tone(6.0, 220, 222),
            "glide": glide,
        },
    ),
    Film(COURSE, "two-openings-and-a-pattern", "Two openings and a pattern", OPENINGS, draw_openings),
)
