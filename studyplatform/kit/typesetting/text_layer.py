"""Repair the text of a PDF, so that programs read what people see.

Where a letter has marks above or below its line, Typst 0.15 writes each part of the letter as a text of its own, each
time with the whole letter as its Unicode text: a copy of an Arabic word has its letters several times. Here one part of
such a letter stays text, and the others become outlines. Letters of several characters in text from right to left get
an /ActualText (ISO 32000-2, 14.9.4), as some readers reverse the characters otherwise.
"""

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pikepdf
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

MAX_PAGES = 3
"""Further pages stay as they are: a page takes up to a second. Certificates and receipts have one."""
_NEAR = 1.0  # of the font size: how far above or below the line the parts of a letter are at most
_ENTRIES = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_ENTRY = re.compile(rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]*)>")
Instruction = tuple[Any, pikepdf.Operator]


def has_composed_letters(text: str) -> bool:
    """Return whether a text has letters that may be written in parts: with marks, or of a script from right to left."""
    return any(
        unicodedata.category(char) in {"Mn", "Mc"} or unicodedata.bidirectional(char) in {"R", "AL"} for char in text
    )


def repair(document: bytes) -> bytes:
    """Return a PDF of Typst with the text layer of its first ``MAX_PAGES`` pages repaired."""
    with pikepdf.open(io.BytesIO(document)) as pdf:
        known: dict[Any, _Font] = {}
        for page in list(pdf.pages)[:MAX_PAGES]:
            named = page.Resources.get("/Font", {}).items()
            fonts = {str(name): known.setdefault(font.objgen, _Font(font)) for name, font in named}
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


class _Font:
    """A font of the page: the Unicode text, the advance and the outline of its glyphs."""

    def __init__(self, font: pikepdf.Object) -> None:
        self._font = font
        self._descendant = font.DescendantFonts[0] if "/DescendantFonts" in font else None
        self._texts: dict[int, str] | None = None
        self._widths: dict[int, float] | None = None
        self._outlines: TTFont | None = None
        self._glyphs: Any = None
        self._forms: dict[int, tuple[str, pikepdf.Object]] = {}
        self._recoded: dict[tuple[int, str], int] = {}

    @property
    def can_be_outlined(self) -> bool:
        return self._descendant is not None and "/FontFile2" in self._descendant.FontDescriptor

    def text_of(self, code: int) -> str:
        if self._texts is None:
            cmap = self._font.ToUnicode.read_bytes() if "/ToUnicode" in self._font else b""
            self._texts = {
                int(code, 16): bytes.fromhex(text.decode()).decode("utf-16-be", "replace")
                for block in _ENTRIES.findall(cmap)
                for code, text in _ENTRY.findall(block)
            }
        return self._texts.get(code, "")

    def advance_of(self, code: int) -> float:
        """Return the advance in thousandths of the font size."""
        if self._widths is None:
            self._widths, rest = {}, list(self._descendant.get("/W", [])) if self._descendant is not None else []
            while rest:
                first, second = int(rest.pop(0)), rest.pop(0)
                if isinstance(second, pikepdf.Array):
                    self._widths |= {first + place: float(width) for place, width in enumerate(second)}
                else:
                    self._widths |= dict.fromkeys(range(first, int(second) + 1), float(rest.pop(0)))
        default = float(self._descendant.get("/DW", 1000)) if self._descendant is not None else 1000.0
        return self._widths.get(code, default)

    def code_for(self, code: int, text: str) -> int:
        """Return a code of its own for a glyph that has another text elsewhere; `save` adds it to the font."""
        if self.text_of(code) == text:
            return code
        new = 1 + max([*(self._texts or {}), *(self._widths or {}), code, *self._recoded.values()])
        return self._recoded.setdefault((code, text), new)

    def save(self, pdf: pikepdf.Pdf) -> None:
        """Add the codes that `code_for` gave."""
        if not self._recoded or self._descendant is None:
            return
        glyphs = list(range(1 + max(self._recoded.values())))
        lines = []
        for (code, text), new in self._recoded.items():
            glyphs[new] = code
            self._descendant.W.append(new)
            self._descendant.W.append(pikepdf.Array([_number(self.advance_of(code))]))
            lines.append(f"<{new:04X}> <{text.encode('utf-16-be').hex().upper()}>")
        self._descendant.CIDToGIDMap = pdf.make_stream(b"".join(each.to_bytes(2, "big") for each in glyphs))
        blocks = (lines[start : start + 100] for start in range(0, len(lines), 100))  # the most that a block may have
        added = "".join(f"{len(one)} beginbfchar\n" + "\n".join(one) + "\nendbfchar\n" for one in blocks)
        cmap = self._font.ToUnicode.read_bytes().replace(b"endcmap", added.encode() + b"endcmap", 1)
        self._font.ToUnicode = pdf.make_stream(cmap)

    def outline_of(self, code: int, pdf: pikepdf.Pdf) -> tuple[str, pikepdf.Object]:
        """Return the outline of a glyph as a form of one em, and its name."""
        if self._outlines is None and self._descendant is not None:
            self._outlines = TTFont(io.BytesIO(self._descendant.FontDescriptor.FontFile2.read_bytes()))
            self._glyphs = self._outlines.getGlyphSet()
        if code not in self._forms:
            font: Any = self._outlines
            pen = _PathPen(self._glyphs)
            self._glyphs[font.getGlyphName(code)].draw(pen)
            em = font["head"].unitsPerEm
            box = pikepdf.Array([-4 * em, -4 * em, 4 * em, 4 * em])
            matrix = pikepdf.Array([_number(1 / em), 0, 0, _number(1 / em), 0, 0])
            content = pikepdf.unparse_content_stream([*pen.instructions, ([], pikepdf.Operator("f"))])
            form = pdf.make_stream(
                content, Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=box, Matrix=matrix
            )
            self._forms[code] = f"/glyph-{self._font.objgen[0]}-{code}", form
        return self._forms[code]


class _PathPen(BasePen):
    """A fontTools pen that writes the path operators of a content stream."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.instructions: list[Instruction] = []

    def _write(self, operator: str, *points: tuple[float, float]) -> None:
        numbers = [_number(part) for point in points for part in point]
        self.instructions.append((numbers, pikepdf.Operator(operator)))

    def _moveTo(self, pt: tuple[float, float]) -> None:  # noqa: N802 (fontTools names it)
        self._write("m", pt)

    def _lineTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
        self._write("l", pt)

    def _curveToOne(self, *points: tuple[float, float]) -> None:  # noqa: N802
        self._write("c", *points)

    def _closePath(self) -> None:  # noqa: N802
        self._write("h")

    def _endPath(self) -> None:  # noqa: N802
        """Nothing to do: filling closes a path."""


@dataclass(eq=False)
class _Unit:
    """One glyph, or several that are written together and share an /ActualText."""

    codes: list[int]
    text: str
    x: float  # points
    before: float = 0.0  # thousandths of the font size that the first glyph is moved to the left
    gaps: list[float] = field(default_factory=list)  # the same for the further ones
    head: list[Instruction] = field(default_factory=list)  # font and place, of the first glyph after a Tm
    origin: tuple[float, float] = (0.0, 0.0)
    is_recoded: bool = False  # gets a code of its own instead of an /ActualText
    is_marked: bool = False  # has an /ActualText
    is_grown: bool = False  # has absorbed others
    is_outlined: bool = False
    is_absorbed: bool = False  # by the unit that has the text of its letter


@dataclass(eq=False)
class _Block:
    """One BT … ET: its instructions from ``start`` to ``end``, and its glyphs, which are on one line."""

    start: int
    end: int
    font: str
    size: float
    x: float
    y: float
    head: list[Instruction] = field(default_factory=list)
    origin: tuple[float, float] = (0.0, 0.0)
    units: list[_Unit] = field(default_factory=list)
    moved: float = 0.0  # thousandths of the font size by which the next glyph is moved to the left
    pen: float = 0.0  # points from the origin

    def add(self, parts: Any, font: _Font, actual: str | None) -> None:
        """Add the glyphs of a TJ; ``actual`` is their /ActualText."""
        found = []
        for part in parts:
            if not isinstance(part, pikepdf.String):
                self.moved += float(part)
                continue
            raw = bytes(part)
            for start in range(0, len(raw), 2):
                code = int.from_bytes(raw[start : start + 2], "big")
                self.pen -= self.moved * self.size / 1000
                x = self.x + self.origin[0] + self.pen
                found.append(_Unit([code], font.text_of(code), x, self.moved, head=self.head, origin=self.origin))
                self.pen += font.advance_of(code) * self.size / 1000
                self.moved, self.head = 0.0, []
        if found and actual is not None:
            found = self._marked(found, font, actual)
        self.units += found

    @staticmethod
    def _marked(found: list[_Unit], font: _Font, actual: str) -> list[_Unit]:
        """Return the glyphs of a letter with an /ActualText.

        From right to left, readers misplace a letter of several glyphs and may reverse the line after an /ActualText
        of one character: there, the widest glyph alone is text, and if it can be, with a code of its own.
        """
        if _is_right_to_left(actual) and font.can_be_outlined:
            widest = max(found, key=lambda unit: font.advance_of(unit.codes[0]))
            for unit in found:
                unit.is_outlined, unit.text = unit is not widest, actual if unit is widest else ""
            widest.is_marked = len(actual) > 1
            widest.is_recoded = not widest.is_marked
            return found
        first, *others = found
        first.text, first.is_marked = actual, True
        for unit in others:
            first.codes += unit.codes
            first.gaps.append(unit.before)
        return [first]


def _repaired(
    instructions: list[Instruction], fonts: dict[str, _Font], pdf: pikepdf.Pdf, forms: dict[str, pikepdf.Object]
) -> list[Instruction]:
    """Return the repaired instructions of a page, and add the forms that they use to ``forms``."""
    blocks = list(_blocks(instructions, fonts))
    _choose_outlines(blocks, fonts)
    written: list[Instruction] = []
    done = 0
    for block in blocks:
        if any(_is_changed(unit) for unit in block.units):
            written += instructions[done : block.start]
            written += _written(block, fonts[block.font], pdf, forms)
            done = block.end
    return [*written, *instructions[done:]]


def _blocks(instructions: list[Instruction], fonts: dict[str, _Font]) -> Iterator[_Block]:
    """Yield the texts of a page, each as Typst writes it: cm, BT, Tr, Tf, Tm and one TJ, perhaps marked."""
    place = (0.0, 0.0)
    block: _Block | None = None
    actual: str | None = None
    for at, (operands, operator) in enumerate(instructions):
        match str(operator):
            case "cm":
                place = (float(operands[4]), float(operands[5]))
            case "BT":
                block, actual = _Block(at, at, "", 0.0, *place), None
            case "BDC" if block is not None and "/ActualText" in operands[1]:
                actual = str(operands[1]["/ActualText"])
            case "Tf" if block is not None:
                block.font, block.size = str(operands[0]), float(operands[1])
                block.head.append((operands, operator))
            case "Tr" if block is not None:
                block.head.append((operands, operator))
            case "Tm" if block is not None:
                block.head.append((operands, operator))
                block.origin, block.moved, block.pen = (float(operands[4]), float(operands[5])), 0.0, 0.0
            case "TJ" | "Tj" if block is not None and block.font in fonts:
                parts = operands[0] if str(operator) == "TJ" else [operands[0]]
                block.add(parts, fonts[block.font], actual)
            case "EMC":
                actual = None
            case "ET" if block is not None:
                block.end = at + 1
                yield block
                block = None


def _choose_outlines(blocks: list[_Block], fonts: dict[str, _Font]) -> None:
    """Decide which glyphs become outlines: of those that repeat a letter on several lines, all but one per letter."""
    places = {id(block): place for place, block in enumerate(blocks)}
    glyphs = [(block, unit) for block in blocks for unit in block.units]
    for text, group in groupby(glyphs, key=lambda pair: pair[1].text):
        same = list(group)
        heights = {round(block.y, 3) for block, _unit in same}
        size = same[0][0].size
        if not text or len(heights) < 2 or max(heights) - min(heights) > _NEAR * size:
            continue
        if not all(fonts[block.font].can_be_outlined for block, _unit in same):
            continue
        letters = max(Counter((block.font, *unit.codes) for block, unit in same).values())
        first = places[id(same[0][0])]
        line = _line_of(heights, blocks[max(0, first - 8) : first + len(same) + 8])
        on_line = [pair for pair in same if round(pair[0].y, 3) == line] or same
        parts, rest = divmod(len(on_line), letters)
        kept = on_line[:letters] if rest else on_line[::parts]
        for _block, unit in same:
            unit.is_outlined = True
        for place, (block, unit) in enumerate(kept):
            unit.is_outlined = False
            if not rest:  # the letter's other parts on the line are written with it
                for other_block, other in on_line[place * parts + 1 : (place + 1) * parts]:
                    _absorb(unit, other, fonts[block.font], block.size, is_same=other_block.font == block.font)


def _absorb(unit: _Unit, other: _Unit, font: _Font, size: float, *, is_same: bool) -> None:
    if not is_same:
        return
    end = unit.x + (sum(map(font.advance_of, unit.codes)) - sum(unit.gaps)) * size / 1000
    unit.gaps.append((end - other.x) * 1000 / size)
    unit.codes += other.codes[:1]
    unit.is_marked = unit.is_grown = True
    for code, gap in zip(other.codes[1:], other.gaps, strict=True):
        unit.codes.append(code)
        unit.gaps.append(gap)
    other.is_absorbed = True


def _line_of(heights: set[float], around: list[_Block]) -> float:
    """Return the one of the heights that is the line: that of most glyphs around."""
    counted = Counter(dict.fromkeys(heights, 0))
    for block in around:
        if round(block.y, 3) in heights:
            counted[round(block.y, 3)] += len(block.units)
    return counted.most_common(1)[0][0]


def _is_changed(unit: _Unit) -> bool:
    has_moved = unit.is_outlined or unit.is_absorbed or unit.is_grown
    return has_moved or unit.is_recoded or (_is_reversible(unit.text) and not unit.is_marked)


def _is_reversible(text: str) -> bool:
    return len(text) > 1 and _is_right_to_left(text)


def _is_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in {"R", "AL"} for char in text)


def _written(block: _Block, font: _Font, pdf: pikepdf.Pdf, forms: dict[str, pikepdf.Object]) -> list[Instruction]:
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
                    matrix = [_number(part) for part in (block.size, 0, 0, -block.size, *at)]  # y points down here
                    paths += [
                        ([], pikepdf.Operator("q")),
                        (matrix, pikepdf.Operator("cm")),
                        ([pikepdf.Name(name)], pikepdf.Operator("Do")),
                        ([], pikepdf.Operator("Q")),
                    ]
            moved, x = moved - width, x + width
            continue
        if moved:
            row.append(_number(moved))
            moved = 0.0
        if unit.is_recoded:
            unit.codes[0] = font.code_for(unit.codes[0], unit.text)
        codes: list[Any] = [_string(unit.codes[0])]
        for code, gap in zip(unit.codes[1:], unit.gaps, strict=True):
            codes += [_number(gap), _string(code)] if gap else [_string(code)]
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
    unit: _Unit, font: _Font, place: tuple[float, float], size: float
) -> Iterator[tuple[int, tuple[float, float]]]:
    """Yield each glyph of a unit with its place."""
    x, y = place
    for code, gap in zip(unit.codes, (0.0, *unit.gaps), strict=True):
        x -= gap * size / 1000
        yield code, (x, y)
        x += font.advance_of(code) * size / 1000


def _string(code: int) -> pikepdf.String:
    return pikepdf.String(code.to_bytes(2, "big"))


def _number(value: float) -> Any:
    return pikepdf.Object.parse(f"{value:.5f}".rstrip("0").rstrip(".").encode())
