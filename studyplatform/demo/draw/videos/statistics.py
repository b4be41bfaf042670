"""Statistics for Curious People: three films about crowds, averages and being sure."""

from __future__ import annotations

import math
from functools import cache

import numpy

from studyplatform.demo.draw.film import Clock, Film, smooth
from studyplatform.demo.draw.stage import (
    CORAL,
    INK,
    INK_2,
    MINT,
    PANEL,
    YELLOW,
    Point,
    Stage,
    lerp,
    mix,
)
from studyplatform.demo.draw.voice import Voice

COURSE = "statistics-for-curious-people"
VOICE = Voice(language="en-US", speed=95, pitch=100)

# 1. The middle of a crowd

MIDDLE = """
start: Eleven people tell us how long they travel to work. Each dot is one of them. (0.4)
mean: Lay the line on a finger. It stays level at one place only: that place is the mean. (0.6)
median: Now count. The person in the middle has five below and five above: that is the median. (0.5)
same: Here, both say twenty minutes. (0.5)
far: Then the last one moves to the country. Thirty-five minutes become a hundred and forty-five. (1.0)
tip: The line tips. To hold it level, the finger has to go all the way to thirty. (0.6)
still: But the person in the middle is the same person. The median stays at twenty. (0.5)
which: Which one is right? Each answers its own question. (0.3)
total: For the total, take the mean: eleven times thirty are all the minutes there are. (0.3)
usual: For what is usual, take the median: half of them need less, and half need more. (0.4)
end: And when the two disagree, look at the dots. (1.3)
"""

TIMES = (5, 10, 10, 15, 15, 20, 20, 25, 30, 35, 35)


def draw_middle(s: Stage, c: Clock) -> None:
    s.rule()
    zoom = c.p("far", 0.6, 1.6)
    reach = lerp(50, 155, zoom)
    left, width, y = 120.0, 1040.0, 470.0
    last = lerp(35, 145, c.p("far", 2.4, 2.4))
    level = c.p("tip", 1.8, 2.6)
    fulcrum = lerp(20, 30, level)
    angle = 8.5 * c.p("far", 4.4, 1.1) * (1 - level)

    def x(minutes: float) -> float:
        return left + width * minutes / reach

    held = c.p("mean", 0.3)
    s.canvas.save()
    s.canvas.rotate(angle, x(fulcrum), y)
    s.line((left - 20, y), (left + width + 20, y), INK_2, 5, c.p("start", -0.5))
    step = 10 if reach < 80 else 30
    for mark in range(0, 151, 10):
        if mark <= reach:
            strong = 1.0 if mark % step == 0 else 1 - zoom
            s.line((x(mark), y), (x(mark), y + 12), INK_2, 3, 1)
            s.text(str(mark), (x(mark), y + 52), 36, INK_2, anchor="center", alpha=strong)
    stack: dict[float, int] = {}
    radius = lerp(25, 14.5, zoom)
    middle = c.p("median", 2.6)
    for index, minutes in enumerate(TIMES):
        value = last if index == 10 else float(minutes)
        floor = stack.get(minutes if index != 10 or zoom == 0 else -1, 0)
        if index == 10:
            floor_now = lerp(1.0, 0.0, c.p("far", 2.4, 0.8))
        else:
            floor_now = float(floor)
            stack[minutes] = floor + 1
        fall = smooth((c.since("start") - 0.6 - 0.22 * index) / 0.6)
        color = INK
        if index == 5:
            color = mix(INK, YELLOW, middle)
        elif index == 10:
            color = mix(INK, CORAL, c.p("far", 1.0))
        spot = (x(value), y - radius * 1.08 - floor_now * radius * 2.16 - 90 * (1 - fall))
        s.dot(spot, radius, color, fall)
    s.canvas.restore()
    foot = [(x(fulcrum), y + 5), (x(fulcrum) - 34, y + 74), (x(fulcrum) + 34, y + 74)]
    s.curve(foot, MINT, 3, held, True, MINT, 0.9)
    calm = c.out("far", 0.0)
    s.text("mean 20", (x(20) + 58, y + 118), 44, MINT, alpha=c.p("mean", 3.4) * calm)
    s.text("mean 30", (x(30) + 50, y + 118), 44, MINT, alpha=c.p("tip", 3.6))
    s.text("median 20", (x(20) - 42, y + 118), 44, YELLOW, anchor="right", alpha=c.p("median", 4.4) * calm)
    below = c.p("median", 2.8) * c.out("same", 0.0)
    s.note("five below", (x(10), 210), c.p("median", 2.6, 0.6), 40, "center", CORAL, below)
    s.note("five above", (x(32), 210), c.p("median", 3.3, 0.6), 40, "center", CORAL, below)
    s.line((x(20), 180), (x(20), y - 130), YELLOW, 3, 0.7 * below, (6, 8))
    s.note(
        "moved out",
        (x(last) + 6, y - 70),
        c.p("far", 5.0, 0.8),
        42,
        "right" if last > 100 else "center",
        CORAL,
        c.out("tip", 1.0),
    )
    again = c.p("still", 1.2)
    s.leader((x(20) - 6, 330), (x(20) - 8, 360), (x(20), y - 84), again, YELLOW)
    s.text("median still 20", (x(20) - 60, 308), 44, YELLOW, alpha=again)
    s.text("11 × 30 = 330 minutes", (560, 226), 46, MINT, alpha=c.p("total", 1.2))
    s.text("half below, half above", (560, 300), 46, YELLOW, alpha=c.p("usual", 1.6))
    s.title("The middle of a crowd")


# 2. Why averages settle down

SETTLE = """
start: Roll one die, again and again, and count. No face is favored, so the columns end up level. (0.6)
two: Now roll two dice at a time, and keep their average. (0.4)
heap: The middle fills up, and the ends stay low. (0.5)
why: Why? An average of one can happen in one way only: two ones. (0.3)
six: Three and a half can happen in six. The middle has more ways to happen. (0.5)
ten: Average ten dice. For an extreme, all ten must agree, and they almost never do. (0.5)
bell: The heap draws together, and takes the shape of a bell. (0.8)
width: How wide is it? Average four times as many, and it is half as wide. (0.9)
root: The spread of one die, divided by the square root of how many you average. (0.7)
end: That is how a thousand people can speak for millions. Odd ones are many; but all to one side, hardly ever. (1.2)
"""


@cache
def chances(dice: int) -> tuple[float, ...]:
    """The chance of each total of ``dice`` dice, from ``dice`` to ``6 * dice``."""
    one = numpy.full(6, 1 / 6)
    out = numpy.array([1.0])
    for _ in range(dice):
        out = numpy.convolve(out, one)
    return tuple(out)


@cache
def rolls(dice: int, many: int) -> tuple[tuple[float, ...], ...]:
    """Shares of each total after a growing number of throws: sixty snapshots of one long game."""
    chance = numpy.random.default_rng(7 + dice)
    totals = chance.integers(1, 7, size=(many, dice)).sum(axis=1) - dice
    out = []
    for step in range(1, 61):
        seen = totals[: max(6, int(many * (step / 60) ** 2))]
        share = numpy.bincount(seen, minlength=5 * dice + 1) / len(seen)
        full = (step / 60) ** 0.5
        out.append(tuple(share * full))
    return tuple(out)


def draw_settle(s: Stage, c: Clock) -> None:
    s.rule()
    left, right, y = 110.0, 770.0, 560.0

    def x(value: float) -> float:
        return left + (right - left) * (value - 0.5) / 6.0

    shown = c.p("start", -0.5)
    s.line((left, y), (right, y), INK_2, 4, shown)
    for face in range(1, 7):
        s.text(str(face), (x(face), y + 46), 40, INK_2, anchor="center", alpha=shown)

    def heap(shares: tuple[float, ...], dice: int, color: int, alpha: float, tall: float) -> None:
        half = (right - left) / 6 / dice / 2
        gap = min(5.0, half * 0.22)
        for index, share in enumerate(shares):
            middle = x((index + dice) / dice)
            top = y - 2 - share * dice * tall
            if share * dice * tall > 1:
                s.box(middle - half + gap, top, middle + half - gap, y - 3, color, alpha)

    def play(dice: int, key: str, delay: float, over: float, many: int) -> tuple[float, ...]:
        step = int(59 * min(1.0, max(0.0, (c.since(key) - delay) / over)))
        return rolls(dice, many)[step]

    tall = 620.0
    first = c.out("two", 0.2)
    if first > 0 and c.since("start") > 0.5:
        heap(play(1, "start", 0.6, 4.6, 4000), 1, MINT, 0.85 * first, tall)
    second = c.p("two", 0.4) * c.out("ten", 0.0)
    if second > 0:
        heap(play(2, "two", 1.2, 4.6, 12000), 2, MINT, 0.85 * second, tall)
    tenth = c.p("ten", 0.2) * (1 - 0.78 * c.p("width", 2.2))
    low = 330.0
    if tenth > 0:
        heap(play(10, "ten", 0.5, 3.4, 90000), 10, MINT, 0.85 * tenth, low)
    wide = c.p("width", 2.4, 1.2)
    spread = math.sqrt(35 / 12)

    def bell(dice: int, scale: float) -> list[Point]:
        deviation = spread / math.sqrt(dice)
        peak = 1 / (deviation * math.sqrt(2 * math.pi))
        return [
            (x(v), y - 2 - scale * peak * math.exp(-(((v - 3.5) / deviation) ** 2) / 2))
            for v in numpy.linspace(1, 6, 181)
        ]

    s.curve(bell(10, low), YELLOW, 4.5, c.p("bell", 0.4) * (1 - 0.5 * wide), grow=c.p("bell", 0.6, 1.8))
    if wide > 0:
        squeeze = bell(40, low * 0.78)
        start = bell(10, low)
        morph = [(b[0], lerp(a[1], b[1], wide)) for a, b in zip(start, squeeze, strict=True)]
        s.curve(morph, CORAL, 5, 1)
        for dice, row, color in ((10, 500.0, YELLOW), (40, 540.0, CORAL)):
            deviation = spread / math.sqrt(dice)
            alpha = c.p("width", 4.0 if dice == 40 else 0.5)
            s.line((x(3.5 - deviation), row), (x(3.5 + deviation), row), color, 4, alpha)
            for side in (-1, 1):
                end = x(3.5 + side * deviation)
                s.line((end, row - 9), (end, row + 9), color, 4, alpha)
    label = c.p("ten", 0.4)
    s.text("ten dice", (840, 250), 46, YELLOW, alpha=label)
    s.text("forty dice", (840, 316), 46, CORAL, alpha=wide)

    dice_seen = c.out("ten", 0.0)
    table = c.p("why", 0.0) * c.out("ten", 0.0)
    side, gx, gy = 50.0, 880.0, 220.0
    for row in range(6):
        for column in range(6):
            seen = table * smooth((c.since("why") - 0.03 * (row + column)) / 0.5)
            one = row == column == 0
            seven = row + column == 5
            color = mix(PANEL, CORAL, c.p("why", 3.0) * 0.9) if one else PANEL
            if seven:
                color = mix(PANEL, YELLOW, smooth((c.since("six") - 0.5 - 0.16 * column) / 0.4))
            s.box(
                gx + side * column + 3,
                gy + side * row + 3,
                gx + side * (column + 1) - 3,
                gy + side * (row + 1) - 3,
                color,
                seen,
                radius=4,
            )
    for number in range(6):
        s.text(str(number + 1), (gx + side * (number + 0.5), gy - 14), 32, INK_2, anchor="center", alpha=table)
        s.text(str(number + 1), (gx - 18, gy + side * (number + 0.74)), 32, INK_2, anchor="right", alpha=table)
    s.note("one way", (gx - 2, gy + side * 6 + 50), c.p("why", 3.4, 0.6), 42, alpha=table)
    s.note("six ways", (gx + side * 6, gy + side * 6 + 50), c.p("six", 1.6, 0.6), 42, "right", YELLOW, table)

    pips = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
        5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
        6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
    }
    rolling = c.since("start") - 0.5
    faces = [
        int(abs(math.sin(max(0, math.floor(rolling * 4)) * 12.9898 + k * 78.233)) * 43758.5453 % 6) + 1 for k in (0, 1)
    ]
    for k, alpha in ((0, shown * c.out("why", -0.3, 0.4)), (1, c.p("two", 0.0) * c.out("why", -0.3, 0.4))):
        cx, cy = 920.0 + 150 * k, 330.0
        s.box(cx - 54, cy - 54, cx + 54, cy + 54, INK, alpha * dice_seen, radius=14)
        for px, py in pips[faces[k]]:
            s.dot((cx + 29 * px, cy + 29 * py), 9.5, PANEL, alpha * dice_seen)
    if c.since("two") > 0:
        mean = sum(faces) / 2
        number = f"{mean:.1f}".removesuffix(".0")
        s.text("average", (920 - 54, 452), 40, INK_2, "i", alpha=c.p("two", 1.2) * c.out("why", -0.3, 0.4))
        s.text(number, (1124, 452), 48, YELLOW, anchor="right", alpha=c.p("two", 1.2) * c.out("why", -0.3, 0.4))
    root = c.p("root", 1.0)
    s.text([("σ", "i")], (876, 440), 64, YELLOW, anchor="center", alpha=root)
    s.line((836, 464), (916, 464), YELLOW, 3, root)
    s.root((862, 526), 44, 60, YELLOW, root)
    s.text([("n", "i")], (884, 526), 60, YELLOW, anchor="center", alpha=root)
    s.note("spread of one", (950, 436), c.p("root", 1.2), 40)
    s.note("how many", (950, 522), c.p("root", 3.0), 40)
    s.title("Why averages settle down")


# 3. How sure can we be?

SURE = """
start: Somewhere on this line is the truth: the average of everyone. We are not allowed to see it. (0.5)
sample: So we ask a few. Here is a sample, and here is its average. (0.5)
off: It will be a little off. How far? Draw a bar on both sides, about two standard errors long. (0.6)
again: Ask another few, and they give another average, with a bar of its own. (0.3)
many: And again, and again, twenty times. (2.0)
reveal: Now lift the curtain. (0.9)
count: Nineteen of the twenty bars have caught the truth. One has missed it. (0.6)
luck: Nobody made a mistake there. That sample was merely unlucky. (0.4)
means: This is what {95 percent|ninety-five percent} means: a way of drawing bars that catches nineteen times in twenty. (0.4)
promise: It is a promise about the method. Of your own single bar, you cannot know which kind it is. (0.5)
narrow: Would you like it shorter? Ask four times as many, and all the bars shrink to half. (1.6)
"""

TRUTH, ERROR = 640.0, 78.0


@cache
def estimates() -> tuple[float, ...]:
    """Twenty sample means, in standard errors from the truth; exactly one lies beyond 1.96."""
    chance = numpy.random.default_rng(0)
    while True:
        found = chance.normal(size=20)
        found[0], found[1] = 0.62, -0.85
        outside = [abs(value) > 1.96 for value in found]
        clear = all(abs(abs(value) - 1.96) > 0.16 for value in found)
        if sum(outside) == 1 and outside[12] and clear and abs(found[12]) < 2.6:
            return tuple(float(value) for value in found)


def draw_sure(s: Stage, c: Clock) -> None:
    s.rule()
    top, step = 196.0, 20.2
    first = c.p("again", 0.0, 0.8)
    shown = c.p("start", -0.5)
    s.line((110, 616), (1170, 616), INK_2, 3.5, shown)
    narrow = c.p("narrow", 2.4, 2.2)
    error = ERROR * lerp(1, 0.5, narrow)
    curtain = c.out("reveal", 0.6, 1.2)
    truth = c.p("reveal", 0.6, 1.0)
    s.line((TRUTH, 170), (TRUTH, 616), MINT, 5, truth)
    s.note("the truth", (TRUTH + 18, 172), c.p("reveal", 1.2), 42, "left", MINT)
    hidden = c.p("start", 1.4) * curtain
    s.box(TRUTH - 230, 596, TRUTH + 250, 636, PANEL, hidden, radius=6)
    s.text("hidden in here", (TRUTH + 10, 628), 36, MINT, "i", "center", hidden, halo=False)
    people = [-2.9, -2.1, -1.7, -1.2, -0.8, -0.4, 0.1, 0.4, 0.9, 1.3, 1.6, 2.2, 2.7, 3.3, 3.5, 1.9]
    mean = sum(people) / len(people)
    single = 1 - first
    middle = TRUTH + estimates()[0] * ERROR
    y_one = 400.0
    for index, person in enumerate(people):
        seen = smooth((c.since("sample") - 0.5 - 0.08 * index) / 0.5) * single
        s.dot((middle + (person - mean) * ERROR * 0.95, y_one - 120 + 44 * (1 - seen)), 11, INK, 0.9 * seen)
    y = lerp(y_one, top, first)
    for index, value in enumerate(estimates()):
        if index == 0:
            row, born = y, c.p("sample", 2.6, 0.5)
            bar = c.p("off", 2.6, 1.2)
        elif index == 1:
            row, born = top + step, c.p("again", 1.2, 0.5)
            bar = c.p("again", 3.0, 0.6)
        else:
            row = top + step * index
            born = smooth((c.since("many") - 0.3 - 0.2 * index) / 0.4)
            bar = smooth((c.since("many") - 0.45 - 0.2 * index) / 0.4)
        x = TRUTH + value * error
        misses = abs(value) > 1.96
        lost = c.p("count", 2.4) if misses else 0.0
        color = mix(YELLOW, CORAL, lost)
        thick = lerp(7, 4.5, first) if index == 0 else 4.5
        half = 1.96 * error * bar
        s.line((x - half, row), (x + half, row), color, thick, born * (1 if bar > 0.02 else 0))
        s.dot((x, row), lerp(12, 6.5, first) if index == 0 else 6.5, mix(INK, color, lost), born)
    s.note("its average", (middle + 26, y_one + 60), c.p("sample", 3.0, 0.8), 42, "left", CORAL, c.out("off", 0.0))
    s.note(
        "two standard errors",
        (middle + 10, y_one + 62),
        c.p("off", 3.4, 0.9),
        42,
        "left",
        CORAL,
        single * c.out("again", -0.2, 0.3),
    )
    miss = estimates()[12]
    spot = (TRUTH + miss * error, top + 12 * step)
    circle = c.out("narrow", 1.6)
    s.ring(spot, 1.96 * ERROR + 34, 25, c.p("count", 2.6, 1.0), -1, alpha=circle)
    side = 1 if miss > 0 else -1
    s.note(
        "missed",
        (spot[0] + side * (1.96 * ERROR + 54), spot[1] + 12),
        c.p("count", 3.6, 0.6),
        42,
        "left" if side > 0 else "right",
        CORAL,
        circle,
    )
    s.note(
        "unlucky",
        (spot[0] + side * (1.96 * ERROR + 54), spot[1] + 60),
        c.p("luck", 1.6, 0.7),
        42,
        "left" if side > 0 else "right",
        CORAL,
        circle,
    )
    s.text("19 of 20", (110, 250), 60, YELLOW, alpha=c.p("means", 3.0))
    s.note("half as long", (1170, 250), c.p("narrow", 4.0, 0.8), 42, "right")
    s.title("How sure can we be?")


FILMS = (
    Film(COURSE, "the-middle-of-a-crowd", "The middle of a crowd", MIDDLE, draw_middle, VOICE),
    Film(COURSE, "why-averages-settle-down", "Why averages settle down", SETTLE, draw_settle, VOICE),
    Film(COURSE, "how-sure-can-we-be", "How sure can we be?", SURE, draw_sure, VOICE),
)
