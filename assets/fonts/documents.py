#!/usr/bin/env python3
"""Build the fonts of documents in studyplatform/kit/typesetting/fonts.

    npm install --no-save --prefix var/faces @fontsource-variable/{newsreader,instrument-sans,stix-two-text}@5.3.0 \
        @fontsource/noto-sans-{adlam,balinese,canadian-aboriginal,cham,cherokee,coptic,javanese,mongolian,nko}@5.3.0 \
        @fontsource/noto-sans-{ol-chiki,runic,symbols-2,syriac,thaana,tifinagh,vai,yi}@5.3.0 \
        @fontsource/noto-serif-tibetan@5.3.0 @fontsource/noto-naskh-arabic@5.3.0
    python assets/fonts/documents.py var/faces/node_modules

Run it only when a font changes; its results are committed. It needs fonttools and brotli
(requirements-dev.txt). The faces of the site are one weight and one size of the variable font each, with all of
Latin, as names are in any language. Greek and Cyrillic names, which Newsreader lacks, use STIX Two. The Noto fonts
are those that the packages of the requirements lack. All are under the SIL Open Font License 1.1.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fontTools import subset
from fontTools.merge import Merger, Options
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

TARGET = Path(__file__).resolve().parents[2] / "studyplatform" / "kit" / "typesetting" / "fonts"


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
    Face("instrument-sans-bold", "instrument-sans/instrument-sans-{}-wght-normal", LATIN, {"wght": 650}),
    Face("instrument-sans-italic", "instrument-sans/instrument-sans-{}-wght-italic", LATIN, {"wght": 420}),
    Face(
        "stix-two", "stix-two-text/stix-two-text-{}-wght-normal", ("cyrillic", "cyrillic-ext", "greek"), {"wght": 400}
    ),
]

NOTO = {  # the package, and its parts with letters that no other font has
    "noto-naskh-arabic": ("arabic",),
    "noto-serif-tibetan": ("tibetan",),
    **{
        f"noto-sans-{script}": (script,)
        for script in (
            "adlam", "balinese", "canadian-aboriginal", "cham", "cherokee", "coptic", "javanese", "mongolian", "nko",
            "ol-chiki", "runic", "syriac", "thaana", "tifinagh", "vai", "yi",
        )
    },
    "noto-sans-symbols-2": ("braille", "math", "mayan-numerals", "symbols"),
}  # fmt: skip


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
        still(sources / "@fontsource-variable" / family / "files" / f"{name}.woff2", face.axes).save(file)
        files.append(str(file))
    return Merger(Options(drop_tables=["STAT"])).merge(files)


def make_noto(package: str, parts: tuple[str, ...], sources: Path, folder: Path) -> TTFont:
    """Merge the parts of a Noto font into one font, with all of its shaping."""
    files = []
    for part in parts:
        font = TTFont(sources / "@fontsource" / package / "files" / f"{package}-{part}-400-normal.woff2")
        cutter = subset.Subsetter(
            subset.Options(layout_features=["*"], hinting=False, notdef_outline=True, glyph_names=False)
        )
        cutter.populate(unicodes=font.getBestCmap())
        cutter.subset(font)
        font.flavor = None
        file = folder / f"{package}-{part}.ttf"
        font.save(file)
        files.append(str(file))
    return TTFont(files[0]) if len(files) == 1 else Merger(Options(drop_tables=["STAT", "vhea", "vmtx"])).merge(files)


def main() -> None:
    sources = Path(sys.argv[1])
    TARGET.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        made = {face.name: make(face, sources, Path(folder)) for face in FACES}
        made |= {name: make_noto(name, parts, sources, Path(folder)) for name, parts in NOTO.items()}
        for name, font in made.items():
            file = TARGET / f"{name}.ttf"
            font.save(file)
            sys.stdout.write(f"{file.name}: {file.stat().st_size // 1000} kB, {len(font.getBestCmap())} characters\n")


if __name__ == "__main__":
    main()
