"""Repair the text of a PDF, so that programs read what people see.

Where a letter has marks above or below its line, Typst 0.15 writes each part of the letter as a text of its own, each
time with the whole letter as its Unicode text: a copy of an Arabic word has its letters several times. Here one part of
such a letter stays text, and the others become outlines. Letters of several characters in text from right to left get
an /ActualText (ISO 32000-2, 14.9.4), as some readers reverse the characters otherwise.
"""

import io
import unicodedata
from collections.abc import Iterator
from typing import Any

import pikepdf

from studyplatform.kit.typesetting.glyphs import Block, Glyph, choose_outlines, find_blocks, is_right_to_left
from studyplatform.kit.typesetting.page_fonts import Instruction, PageFont, number

MAX_PAGES = 3
"""Further pages stay as they are: a page takes up to a second. Certificates and receipts have one."""


def has_composed_letters(text: str) -> bool:
    """Return whether a text has letters that may be written in parts: with marks, or of a script from right to left."""
    return any(
        unicodedata.category(char) in {"Mn", "Mc"} or unicodedata.bidirectional(char) in {"R", "AL"} for char in text
    )


def repair(document: bytes) -> bytes:
    """Return a PDF of Typst with the text layer of its first ``MAX_PAGES`` pages repaired."""
    with pikepdf.open(io.BytesIO(document)) as pdf:
        known: dict[Any, PageFont] = {}
        for page in list(pdf.pages)[:MAX_PAGES]:
            named = page.Resources.get("/Font", {}).items()
            fonts = {str(name): known.setdefault(font.objgen, PageFont(font)) for name, font in named}
            forms: dict[str, pikepdf.Object] = {}
            instructions: list[Any] = list(pikepdf.parse_content_stream(page))
            repaired = _repaired(instructions, fonts, pdf, forms)
            page.Contents = pdf.make_stream(pikepdf.unparse_content_stream(repaired))
            if forms:
                page.Resources.XObject = pikepdf.Dictionary(dict(page.Resources.get("/XObject", {})) | forms)
        for font in known.values():
            font.save(pdf)
        out = io.BytesIO()
        pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return out.getvalue()


def _repaired(
    instructions: list[Instruction], fonts: dict[str, PageFont], pdf: pikepdf.Pdf, forms: dict[str, pikepdf.Object]
) -> list[Instruction]:
    """Return the repaired instructions of a page, and add the forms that they use to ``forms``."""
    blocks = list(find_blocks(instructions, fonts))
    choose_outlines(blocks, fonts)
    written: list[Instruction] = []
    done = 0
    for block in blocks:
        if any(_is_changed(unit) for unit in block.units):
            written += instructions[done : block.start]
            written += _written(block, fonts[block.font], pdf, forms)
            done = block.end
    return [*written, *instructions[done:]]


def _is_changed(unit: Glyph) -> bool:
    has_moved = unit.is_outlined or unit.is_absorbed or unit.is_grown
    return has_moved or unit.is_recoded or (_is_reversible(unit.text) and not unit.is_marked)


def _is_reversible(text: str) -> bool:
    return len(text) > 1 and is_right_to_left(text)


def _written(block: Block, font: PageFont, pdf: pikepdf.Pdf, forms: dict[str, pikepdf.Object]) -> list[Instruction]:
    """Return the instructions of a block: its text without the outlined glyphs, then these as forms."""
    text: list[Instruction] = []
    paths: list[Instruction] = []
    row: list[Any] = []
    moved, x, origin = 0.0, 0.0, (0.0, 0.0)  # thousandths of the size; points

    def end_row() -> None:
        if row:
            text.append(([pikepdf.Array(row.copy())], pikepdf.Operator("TJ")))
            row.clear()

    for unit in block.units:
        if unit.head:
            end_row()
            text += unit.head
            moved, x, origin = 0.0, 0.0, unit.origin
        moved, x = moved + unit.before, x - unit.before
        width = sum(map(font.advance_of, unit.codes)) - sum(unit.gaps)
        if unit.is_outlined or unit.is_absorbed:
            if not unit.is_absorbed:
                place = (origin[0] + x * block.size / 1000, origin[1])
                for code, at in _places(unit, font, place, block.size):
                    name, form = font.outline_of(code, pdf)
                    forms[name] = form
                    matrix = [number(part) for part in (block.size, 0, 0, -block.size, *at)]  # y points down here
                    paths += [
                        ([], pikepdf.Operator("q")),
                        (matrix, pikepdf.Operator("cm")),
                        ([pikepdf.Name(name)], pikepdf.Operator("Do")),
                        ([], pikepdf.Operator("Q")),
                    ]
            moved, x = moved - width, x + width
            continue
        if moved:
            row.append(number(moved))
            moved = 0.0
        if unit.is_recoded:
            unit.codes[0] = font.code_for(unit.codes[0], unit.text)
        codes: list[Any] = [_string(unit.codes[0])]
        for code, gap in zip(unit.codes[1:], unit.gaps, strict=True):
            codes += [number(gap), _string(code)] if gap else [_string(code)]
        if unit.is_marked or _is_reversible(unit.text):
            end_row()
            marked = pikepdf.Dictionary(ActualText=pikepdf.String(unit.text))
            text.append(([pikepdf.Name.Span, marked], pikepdf.Operator("BDC")))
            text.append(([pikepdf.Array(codes)], pikepdf.Operator("TJ")))
            text.append(([], pikepdf.Operator("EMC")))
        else:
            row += codes
        x += width
    end_row()
    shown = [([], pikepdf.Operator("BT")), *text, ([], pikepdf.Operator("ET"))]
    return [*shown, *paths]


def _places(
    unit: Glyph, font: PageFont, place: tuple[float, float], size: float
) -> Iterator[tuple[int, tuple[float, float]]]:
    """Yield each glyph of a unit with its place."""
    x, y = place
    for code, gap in zip(unit.codes, (0.0, *unit.gaps), strict=True):
        x -= gap * size / 1000
        yield code, (x, y)
        x += font.advance_of(code) * size / 1000


def _string(code: int) -> pikepdf.String:
    return pikepdf.String(code.to_bytes(2, "big"))
