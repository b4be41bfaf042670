"""Plates: two-ink pictures drawn from a word.

    svg = plate("linear-algebra-geometrically", "mathematics")

The same word always gives the same picture: its only source of variation is a 32-bit hash. Each
subject has a family of patterns and three hues. The style sheet (assets/styles/components/plate.css)
sets the lightness and chroma of the inks, so a picture changes its colors with the theme and style.
Hues are classes and not a `style` attribute, which the content security policy would block:
`plate--<subject>` sets the hues, `pl-n<degrees>` or `pl-p<degrees>` rotates both inks a little, and
`pl-swap` swaps them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from .counted import automaton, forms, lattice, scatter, spiral, steps
from .dice import Dice, fnv1a
from .drawn import arcade, cadence, contours, leaves, orbits, ripples, strings
from .pen import poly

__all__ = ["SUBJECTS", "Inks", "inks", "plate", "seal"]

DRIFT = 12
"""The most degrees by which the hues of a picture differ from those of its subject."""


@dataclass(frozen=True)
class Subject:
    """A family of patterns and its hues in degrees: the stock, ink a and ink b."""

    family: Callable[[Dice], str]
    stock: int
    a: int
    b: int


@dataclass(frozen=True)
class Inks:
    """The hues of one picture in degrees, for media without style sheets."""

    stock: int
    a: int
    b: int


SUBJECTS = {
    "mathematics": Subject(lattice, 85, 32, 258),
    "statistics": Subject(scatter, 240, 250, 28),
    "computing": Subject(automaton, 150, 160, 275),
    "physics": Subject(ripples, 215, 222, 45),
    "biology": Subject(spiral, 130, 145, 355),
    "earth-science": Subject(contours, 85, 68, 195),
    "astronomy": Subject(orbits, 90, 82, 270),
    "history": Subject(arcade, 75, 40, 240),
    "languages": Subject(cadence, 70, 15, 205),
    "writing": Subject(leaves, 100, 95, 25),
    "music": Subject(strings, 60, 350, 235),
    "art-and-design": Subject(forms, 80, 60, 248),
    "economics": Subject(steps, 180, 185, 35),
}


def _subject_key(subject: str) -> str:
    """Return the subject, or for a subject without its own family one chosen by its name."""
    return subject if subject in SUBJECTS else list(SUBJECTS)[fnv1a(subject) % len(SUBJECTS)]


def _start(word: str, variant: int) -> tuple[Dice, int, bool]:
    dice = Dice(fnv1a(f"{word}/{variant}" if variant else word))
    drift = round(dice.span(-DRIFT, DRIFT))
    return dice, drift, dice.unit() < 0.38


def plate(word: str, subject: str, variant: int = 0) -> str:
    """Return the picture of a word in the pattern of its subject, as an `<svg>` element.

    `variant` selects another picture of the same word: the owner's choice, or the number of a part.
    """
    key = _subject_key(subject)
    dice, drift, swapped = _start(word, variant)
    classes = ["plate-art", f"plate--{key}"]
    if swapped:
        classes.append("pl-swap")
    if drift:
        classes.append(f"pl-{'n' if drift < 0 else 'p'}{abs(drift)}")
    return (
        f'<svg class="{" ".join(classes)}" viewBox="0 0 320 200"'
        ' preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">'
        f'<rect class="pl-ground" width="320" height="200"/>{SUBJECTS[key].family(dice)}</svg>'
    )


def inks(word: str, subject: str, variant: int = 0) -> Inks:
    """Return the hues of the picture of this word."""
    hues = SUBJECTS[_subject_key(subject)]
    _, drift, swapped = _start(word, variant)
    a, b = (hues.b, hues.a) if swapped else (hues.a, hues.b)
    return Inks(hues.stock, a + drift, b + drift)


def seal(key: str, teeth: int | None = None) -> str:
    """Return a rosette in one ink, drawn from the key of an achievement, as an `<svg>` element."""
    dice = Dice(fnv1a(key))
    petals = teeth or dice.pick([9, 11, 12, 14, 16])
    rings = []
    for k in range(3):
        swing, base = 3.2 - k * 0.7, 36 - k * 4.2
        points = []
        for i in range(144):
            t = i / 144 * math.tau
            r = base + swing * math.cos(petals * t + k * math.pi / 2)
            points.append((44 + r * math.cos(t), 44 + r * math.sin(t)))
        rings.append(poly(points, close=True))
    return (
        '<svg class="seal-art" viewBox="0 0 88 88" aria-hidden="true" focusable="false">'
        f'<path d="{"".join(rings)}"/><circle cx="44" cy="44" r="23"/></svg>'
    )
