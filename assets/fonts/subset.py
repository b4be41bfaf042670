#!/usr/bin/env python3
"""Subset the fonts of the interface to the characters of its pages, and write static/fonts.

    npm install --no-save --prefix var/faces @fontsource-variable/{newsreader,instrument-sans,geist,\
geist-mono,stix-two-text}@5.3.0
    python assets/fonts/subset.py var/faces/node_modules/@fontsource-variable

Run it only when a font or its characters change; its results are committed. It needs fonttools
and brotli (requirements-dev.txt). What it removes:

- glyphs: one file per face has Western European Latin and common symbols, which is all that most
  pages fetch; a second one, fetched only for its letters, has the rest of Latin;
- axes: weights that no rule uses; in Newsreader, sizes below 18 px and the deltas of bold large
  sizes (no heading is bold);
- kerning: invisible amounts, the variation along the axes, and the difference between a letter
  with and without an accent. The rest is grouped into classes, a tenth of the size.
"""

import json
import sys
import unicodedata
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from fontTools import subset
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem
from fontTools.varLib import instancer

ROOT = Path(__file__).resolve().parents[2]
FONTS = ROOT / "static" / "fonts"
SHEET = ROOT / "assets" / "styles" / "tokens" / "faces.css"

Limits = dict[str, float | tuple[float, float]]
Pairs = dict[tuple[str, str], int]


class Face(NamedTuple):
    """One font file: its source, its name, and the axes it keeps."""

    name: str
    family: str
    source: str
    limits: Limits
    italic: bool = False
    kern: bool = True
    """Whether it is used for running text."""


LATIN = {
    *range(0x20, 0x7F),
    *(set(range(0xA0, 0x100)) - {0xA4, 0xA6, 0xA8, 0xAF, 0xB4, 0xB8}),
    *(0x131, 0x152, 0x153),
    *(0x2009, 0x200A, 0x200B, 0x202F, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D),
    *(0x201E, 0x2020, 0x2022, 0x2026, 0x2032, 0x2033, 0x2039, 0x203A, 0x2044, 0x20AC, 0x2122),
    *(0x2191, 0x2193, 0x2212, 0x2215),
}

READING: Limits = {"opsz": (18, 72), "wght": (400, 500)}
ASIDE: Limits = {"opsz": 20, "wght": 440}
INTERFACE: Limits = {"wght": (400, 600)}

FACES = [
    Face("newsreader", "Newsreader", "newsreader/{}-opsz-normal", READING),
    Face("newsreader-italic", "Newsreader", "newsreader/{}-opsz-italic", ASIDE, italic=True),
    Face("instrument-sans", "Instrument Sans", "instrument-sans/{}-wght-normal", INTERFACE),
    Face(
        "instrument-sans-italic",
        "Instrument Sans",
        "instrument-sans/{}-wght-italic",
        {"wght": 440},
        italic=True,
    ),
    Face("geist", "Geist", "geist/{}-wght-normal", INTERFACE),
    Face("geist-italic", "Geist", "geist/{}-wght-italic", {"wght": 440}, italic=True),
    Face("geist-mono", "Geist Mono", "geist-mono/{}-wght-normal", {"wght": (400, 500)}, kern=False),
]
"""Newsreader has no Greek, so mathematics in running text uses that of STIX Two under the same name."""
GREEK = [
    Face("stix-greek", "Newsreader", "stix-two-text/greek-wght-normal", {"wght": (400, 500)}),
    Face(
        "stix-greek-italic",
        "Newsreader",
        "stix-two-text/greek-wght-italic",
        {"wght": 440},
        italic=True,
    ),
]

KEPT_FEATURES = ["ccmp", "liga", "locl", "pnum", "rvrn", "tnum"]
KERNED = set(".,:;!?'\"()/-–—‘’“”")
"""The symbols whose kerning is kept, besides that of letters and figures."""
NEGLIGIBLE = 12
"""Kerning below this many thousandths of an em is invisible and dropped."""
GRAIN = 8
"""Kerning is rounded to this many thousandths, so that more glyphs share a class."""
TOLERANCE = 1.0
"""The tolerance, in thousandths of an em, for the position of a point between two masters."""


def reopened(font: TTFont) -> TTFont:
    """The font after saving and reading it, as instancing leaves some tables half decompiled."""
    font.flavor = None
    file = BytesIO()
    font.save(file)
    file.seek(0)
    return TTFont(file)


def without_corners(font: TTFont) -> None:
    """Drop the deltas that apply only where two axes differ from their defaults."""
    if "gvar" in font:
        for glyph, deltas in font["gvar"].variations.items():
            font["gvar"].variations[glyph] = [one for one in deltas if len(one.axes) < 2]


def thin_deltas(font: TTFont) -> None:
    """Leave out deltas that the neighbors of a point imply within the tolerance."""
    if "gvar" not in font:
        return
    outlines, metrics = font["glyf"], font["hmtx"].metrics
    for glyph, deltas in font["gvar"].variations.items():
        points, control = outlines._getCoordinatesAndControls(glyph, metrics)  # noqa: SLF001
        for one in deltas:
            if outlines[glyph].isComposite():
                continue
            one.calcInferredDeltas(points, control.endPts)
            one.roundDeltas()
            one.optimize(points, control.endPts, tolerance=TOLERANCE)


def middle(limits: Limits) -> dict[str, float]:
    """The position on the axes at which the kerning of running text is measured."""
    return {tag: sum(at) / 2 if isinstance(at, tuple) else at for tag, at in limits.items()}


def kerning_of(font: TTFont, glyphs: set[str]) -> Pairs:
    """The kerning between these glyphs as plain pairs, in thousandths of an em."""
    table = font["GPOS"].table
    wanted = {
        index
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag == "kern"
        for index in record.Feature.LookupListIndex
    }
    pairs: Pairs = {}
    for index in sorted(wanted):
        seen: set[tuple[str, str]] = set()
        for raw in table.LookupList.Lookup[index].SubTable:
            rule = getattr(raw, "ExtSubTable", raw)
            for left in glyphs.intersection(rule.Coverage.glyphs):
                for right, value in rights_of(rule, left, glyphs):
                    # Within one lookup, the first subtable with the pair applies.
                    if (left, right) not in seen:
                        seen.add((left, right))
                        pairs[left, right] = pairs.get((left, right), 0) + value
    scale = 1000 / font["head"].unitsPerEm
    return {pair: round(value * scale) for pair, value in pairs.items()}


def rights_of(rule: object, left: str, glyphs: set[str]) -> list[tuple[str, int]]:
    """The glyphs that follow this one in a subtable of pair kerning, with their adjustments."""

    def advance(value: object) -> int:
        return int(getattr(value, "XAdvance", 0) or 0)

    if rule.Format == 1:
        line = rule.PairSet[rule.Coverage.glyphs.index(left)].PairValueRecord
        return [(r.SecondGlyph, advance(r.Value1)) for r in line if r.SecondGlyph in glyphs]
    row = rule.Class1Record[rule.ClassDef1.classDefs.get(left, 0)].Class2Record
    classes = rule.ClassDef2.classDefs
    found = ((right, advance(row[classes.get(right, 0)].Value1)) for right in sorted(glyphs))
    return [(right, value) for right, value in found if value]


def bases(font: TTFont) -> dict[str, str]:
    """Each glyph with kerning, and the unaccented glyph whose kerning it uses."""
    glyph_of = font.getBestCmap()
    found = {}
    for code, glyph in glyph_of.items():
        sign = chr(code)
        if sign.isalnum() or sign in KERNED:
            base = ord(unicodedata.normalize("NFD", sign)[0])
            found[glyph] = glyph_of.get(base, glyph)
    return found


def kerning_rules(pairs: Pairs, base_of: dict[str, str]) -> str:
    """The pairs as a `kern` feature, with classes of glyphs that have the same kerning."""
    rows: dict[str, dict[str, int]] = {}
    for left, left_base in sorted(base_of.items()):
        for right, right_base in sorted(base_of.items()):
            value = pairs.get((left_base, right_base), 0)
            if abs(value) >= NEGLIGIBLE:
                rows.setdefault(left, {})[right] = round(value / GRAIN) * GRAIN
    lefts: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for left, row in rows.items():
        lefts.setdefault(tuple(row.items()), []).append(left)
    lines = []
    columns: dict[tuple[int, ...], list[str]] = {}
    for right in sorted({right for row in lefts for right, _ in row}):
        column = tuple(dict(row).get(right, 0) for row in lefts)
        columns.setdefault(column, []).append(right)
    for number, members in enumerate(lefts.values()):
        for column, rights in columns.items():
            if column[number]:
                lines.append(f"pos [{' '.join(members)}] [{' '.join(rights)}] {column[number]};")
    return "feature kern {\n" + "\n".join(lines) + "\n} kern;\n"


def cut(source: Path, face: Face, characters: set[int] | None) -> TTFont:
    """The font with only these characters, or with all characters of its file."""
    font = instancer.instantiateVariableFont(TTFont(source), face.limits)
    without_corners(font)
    font = reopened(font)
    options = subset.Options(layout_features=KEPT_FEATURES, hinting=False, notdef_outline=True, name_IDs=[1, 2, 13, 14])
    options.drop_tables += ["STAT", "MVAR", "DSIG", "GPOS"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters if characters is not None else font.getBestCmap())
    cutter.subset(font)
    if font["head"].unitsPerEm != 1000:
        scale_upem(font, 1000)
    thin_deltas(font)
    if face.kern:
        still = instancer.instantiateVariableFont(TTFont(source), middle(face.limits))
        base_of = bases(font)
        rules = kerning_rules(kerning_of(still, set(base_of.values())), base_of)
        addOpenTypeFeaturesFromString(font, rules, tables=["GPOS"])
    return font


def ranges(characters: list[int]) -> str:
    """The characters as a CSS unicode-range, with consecutive ones joined."""
    spans: list[list[int]] = []
    for one in sorted(characters):
        if spans and one == spans[-1][1] + 1:
            spans[-1][1] = one
        else:
            spans.append([one, one])
    return ", ".join(f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in spans)


def coarse(characters: list[int]) -> list[int]:
    """The Unicode blocks of these characters without those of the first file: a shorter CSS rule."""
    blocks = {one >> 5 for one in characters if one not in LATIN}
    return [one for one in range(0x10000) if one >> 5 in blocks and one not in LATIN]


def weight(limits: Limits) -> str:
    at = limits["wght"]
    # A font with one weight is declared for all, so that browsers do not synthesize bold.
    return f"{at[0]:g} {at[1]:g}" if isinstance(at, tuple) else "400 700"


def rule_of(face: Face, file: str, characters: str) -> str:
    return (
        f'@font-face {{\n  font-family: "{face.family}";\n'
        f"  font-style: {'italic' if face.italic else 'normal'};\n"
        f"  font-weight: {weight(face.limits)};\n  font-display: swap;\n"
        f'  src: url("../../../static/fonts/{file}") format("woff2");\n'
        f"  unicode-range: {characters};\n}}\n"
    )


def main() -> None:
    sources = Path(sys.argv[1])
    FONTS.mkdir(parents=True, exist_ok=True)
    rules = ["/* Written by assets/fonts/subset.py: change it there. */\n"]
    sizes = {}

    def make(face: Face, name: str, script: str, characters: set[int] | None) -> None:
        folder, stem = face.source.format(script).split("/")
        file = stem if stem.startswith(folder) else f"{folder}-{stem}"
        font = cut(sources / folder / "files" / f"{file}.woff2", face, characters)
        font.flavor = "woff2"
        font.save(FONTS / f"{name}.woff2")
        sizes[name] = (FONTS / f"{name}.woff2").stat().st_size
        set_in = list(font.getBestCmap())
        span = ranges(set_in if characters else coarse(set_in))
        rules.append(rule_of(face, f"{name}.woff2", span))

    for face in FACES:
        make(face, face.name, "latin", LATIN)
        make(face, f"{face.name}-ext", "latin-ext", None)
    for face in GREEK:
        make(face, face.name, "greek", None)
    SHEET.parent.mkdir(parents=True, exist_ok=True)
    SHEET.write_text("\n".join(rules), encoding="utf-8")
    sys.stdout.write(json.dumps(sizes, indent=2) + "\n")


if __name__ == "__main__":
    main()
