#!/usr/bin/env python3
"""Build the fonts of PDFs in studyplatform/kit/pdf/fonts.

    npm install --no-save --prefix var/faces @fontsource-variable/{newsreader,instrument-sans,stix-two-text}@5.3.0
    python assets/fonts/certificate.py var/faces/node_modules/@fontsource-variable

Run it only when a font changes; its results are committed. It needs fonttools and brotli
(requirements-dev.txt). A document embeds its fonts, so each file is one weight and one size of
the variable font with all of Latin, as names are in any language. Greek and Cyrillic names, which Newsreader
lacks, use STIX Two.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fontTools import subset
from fontTools.merge import Merger, Options
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

TARGET = Path(__file__).resolve().parents[2] / "studyplatform" / "kit" / "pdf" / "fonts"


class Face(NamedTuple):
    """One font file: the parts and the face it is built from, and its position on the axes."""

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
    """One instance of a variable font, without hinting, with the features that the shaping of names needs."""
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
    """Merge the parts of a face into one font."""
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
