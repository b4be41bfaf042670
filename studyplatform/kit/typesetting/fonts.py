"""The fonts of documents: those of the site, Noto from packages, and what is installed on the machine."""

import unicodedata
from functools import cache
from pathlib import Path

import manimgx_fonts
import manimgx_fonts_cjk
import typst
from fontTools.ttLib import TTFont

SITE_FONTS = Path(__file__).with_name("fonts")
# In this order; the first that has a character writes it.
DISPLAY, SERIF_FALLBACK, PLAIN, PLAIN_FALLBACK = "Newsreader 16pt", "STIX Two Text", "Instrument Sans", "Noto Sans"
CODE = "DejaVu Sans Mono"
_FIRST = (DISPLAY, SERIF_FALLBACK, PLAIN, PLAIN_FALLBACK)
_EAST_ASIAN = "Noto Sans CJK"
# Letters of formulas ("𝔸") are in New Computer Modern Math, a font that Typst carries and has no file of.
_MATHEMATICAL = range(0x1D400, 0x1D800)
_IGNORABLE = ("\u034f", "\u061c", "\u180b", "\u180c", "\u180d", "\u180f", "\u3164", "\uffa0", "\u115f", "\u1160")


def _packaged_folders() -> list[Path]:
    modules = (manimgx_fonts, manimgx_fonts_cjk)
    return [SITE_FONTS, *(Path(module.__file__ or "").parent for module in modules)]


@cache
def font_book() -> typst.Fonts:
    """Return all fonts that documents can use. Scanned once per process."""
    return typst.Fonts(include_system_fonts=True, include_embedded_fonts=True, font_paths=_packaged_folders())


@cache
def _packaged_fonts() -> typst.Fonts:
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=_packaged_folders())


@cache
def fallback_families() -> tuple[str, ...]:
    """Return the families for what the first font lacks, but those for East Asia.

    They are named so that a document looks the same whatever the machine has installed: Typst looks among the
    installed fonts for what no named one has.
    """
    families = sorted(set(_packaged_fonts().families()) - set(_FIRST), key=lambda name: ("Emoji" in name, name))
    others = [name for name in families if not name.startswith(_EAST_ASIAN)]
    # Noto Sans Arabic builds letters from strokes and dots, which makes the text of a PDF hard to read for programs.
    others.sort(key=lambda name: name != "Noto Naskh Arabic")
    return (SERIF_FALLBACK, PLAIN_FALLBACK, *others, "New Computer Modern Math")


@cache
def characters_of(family: str) -> frozenset[int]:
    """Return the code points that the upright regular font of a packaged family can write."""
    return frozenset().union(*(_read(info) for info in _packaged_fonts().fonts() if info.family == family))


@cache
def _packaged_characters() -> frozenset[int]:
    one_per_file = {info.path: info for info in _packaged_fonts().fonts()}
    return frozenset(_MATHEMATICAL).union(*(_read(info) for info in one_per_file.values()))


@cache
def _installed_characters() -> frozenset[int]:
    packaged = {info.path for info in _packaged_fonts().fonts()}
    others = [info for info in font_book().fonts() if info.path and info.path not in packaged]
    return frozenset().union(*(_read(info) for info in others))


def _read(info: typst.FontInfo) -> frozenset[int]:
    if info.path is None:
        return frozenset()
    try:
        with TTFont(info.path, fontNumber=info.index, lazy=True) as font:
            return frozenset(font.getBestCmap() or ())
    except Exception:  # an installed font may be broken in any way; then it writes nothing
        return frozenset()


def find_unprintable(text: str) -> list[str]:
    """Return the characters of a text that no font can write, each once, in their order.

    Characters without a glyph by nature (joiners, variation selectors, marks of direction, spaces) are not among them.
    """
    return [char for char in dict.fromkeys(unicodedata.normalize("NFC", text)) if not _is_printable(char)]


def _is_printable(char: str) -> bool:
    point = ord(char)
    if point in _packaged_characters() or unicodedata.category(char) in {"Cc", "Cf", "Zs", "Zl", "Zp"}:
        return True
    if char in _IGNORABLE or 0xFE00 <= point <= 0xFE0F or 0xE0000 <= point <= 0xE0FFF:
        return True
    return point in _installed_characters()
