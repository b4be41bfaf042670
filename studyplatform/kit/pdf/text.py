"""Write text in any script: each character in a font that has it. Lengths are in points."""

import unicodedata
from functools import cache
from pathlib import Path

from reportlab.lib.colors import Color
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONTS = Path(__file__).with_name("fonts")
DISPLAY, ITALIC, PLAIN, OTHER = "Newsreader", "Newsreader-Italic", "InstrumentSans", "STIXTwo"
FILES = {
    DISPLAY: "newsreader-display.ttf",
    ITALIC: "newsreader-italic.ttf",
    PLAIN: "instrument-sans.ttf",
    OTHER: "stix-two.ttf",
}
# Not embedded: PDF viewers supply these fonts, which would add megabytes.
HAN, KANA, HANGUL = "STSong-Light", "HeiseiMin-W3", "HYSMyeongJo-Medium"
EAST_ASIA = {
    HAN: (range(0x4E00, 0xA000), range(0x3400, 0x4DC0), range(0x3000, 0x3040)),
    KANA: (range(0x3040, 0x3100),),
    HANGUL: (range(0xAC00, 0xD7B0), range(0x1100, 0x1200)),
}
Runs = list[tuple[str, str]]


@cache
def register_fonts() -> dict[str, frozenset[int]]:
    """Register the fonts, once in a process; return the code points that each font can write."""
    glyphs = {}
    for name, file in FILES.items():
        font = TTFont(name, str(FONTS / file))
        pdfmetrics.registerFont(font)
        glyphs[name] = frozenset(font.face.charToGlyph)
    for name in (HAN, KANA, HANGUL):
        pdfmetrics.registerFont(UnicodeCIDFont(name))
    return glyphs


def _font_for(char: str, preferred: str) -> str | None:
    """Return a font that can write this character: the preferred one, another embedded one, or an East Asian one."""
    glyphs, point = register_fonts(), ord(char)
    for name in (preferred, DISPLAY, OTHER):
        if point in glyphs[name]:
            return name
    return next((name for name, ranges in EAST_ASIA.items() if any(point in span for span in ranges)), None)


def runs_of(text: str, font: str) -> Runs:
    """Split the text into (text, font) runs; characters that no font can write are left out."""
    runs: Runs = []
    for char in unicodedata.normalize("NFC", text):
        found = _font_for(char, font)
        if found is None:
            continue
        if runs and runs[-1][1] == found:
            runs[-1] = (runs[-1][0] + char, found)
        else:
            runs.append((char, found))
    return runs


def width_of(runs: Runs, size: float) -> float:
    """Return how wide the runs are in this size."""
    return float(sum(pdfmetrics.stringWidth(text, font, size) for text, font in runs))


def write(canvas: Canvas, runs: Runs, x: float, y: float, size: float, color: Color) -> None:
    """Draw the runs from this point of the base line."""
    canvas.setFillColor(color)
    for text, font in runs:
        canvas.setFont(font, size)
        canvas.drawString(x, y, text, shaping=font in FILES)
        x += pdfmetrics.stringWidth(text, font, size)
