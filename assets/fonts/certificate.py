#!/usr/bin/env python3
"""Make the faces that certificates are printed in, and write apps/learning/fonts.

    npm install --no-save --prefix var/faces @fontsource-variable/{newsreader,instrument-sans,stix-two-text}@5.3.0
    python assets/fonts/certificate.py var/faces/node_modules/@fontsource-variable

Run it only when a face changes; its results are committed. It needs fonttools and brotli
(requirements-dev.txt). A document carries its fonts with it, so each is one weight and one size cut
from the variable face, with all of Latin in one file: names are written in every language. Greek and
Cyrillic names, which Newsreader lacks, are set in STIX Two.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fontTools import subset
from fontTools.merge import Merger, Options
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

TARGET = Path(__file__).resolve().parents[2] / "apps" / "learning" / "fonts"


class Face(NamedTuple):
    """One file to make: from which parts of which face, at which point of its axes."""

    name: str
    source: str
    parts: tuple[str, ...]
    axes: dict[str, float]


LATIN = ("latin", "latin-ext")
FACES = [
    Face(
        "newsreader-display", "newsreader/newsreader-{}-opsz-normal", (*LATIN, "vietnamese"), {"opsz": 48, "wght": 400}
    ),
    Face(
        "newsreader-italic", "newsreader/newsreader-{}-opsz-italic", (*LATIN, "vietnamese"), {"opsz": 18, "wght": 420}
    ),
    Face("instrument-sans", "instrument-sans/instrument-sans-{}-wght-normal", LATIN, {"wght": 420}),
    Face(
        "stix-two", "stix-two-text/stix-two-text-{}-wght-normal", ("cyrillic", "cyrillic-ext", "greek"), {"wght": 400}
    ),
]


def still(path: Path, axes: dict[str, float]) -> TTFont:
    """One instance of a variable face, without hints and with the features that shaping names needs."""
    font = TTFont(path)
    instancer.instantiateVariableFont(
        font, {tag: axes[tag] for tag in (axis.axisTag for axis in font["fvar"].axes)}, inplace=True
    )
    options = subset.Options(layout_features=["kern"], hinting=False, notdef_outline=True)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=font.getBestCmap())
    cutter.subset(font)
    font.flavor = None
    return font


def make(face: Face, sources: Path, folder: Path) -> TTFont:
    """The parts of a face as one font."""
    files = []
    for part in face.parts:
        family, name = face.source.format(part).split("/")
        file = folder / f"{face.name}-{part}.ttf"
        still(sources / family / "files" / f"{name}.woff2", face.axes).save(file)
        files.append(str(file))
    return Merger(Options(drop_tables=["STAT"])).merge(files)


def main() -> None:
    sources = Path(sys.argv[1])
    TARGET.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        for face in FACES:
            font = make(face, sources, Path(folder))
            file = TARGET / f"{face.name}.ttf"
            font.save(file)
            sys.stdout.write(f"{file.name}: {file.stat().st_size // 1000} kB, {len(font.getBestCmap())} characters\n")


if __name__ == "__main__":
    main()
