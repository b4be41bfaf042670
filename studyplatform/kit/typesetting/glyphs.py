"""The glyphs of a page of a PDF of Typst, and which of them repeat a letter."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pikepdf

from studyplatform.kit.typesetting.page_fonts import Instruction, PageFont

_NEAR = 1.0  # of the font size: how far above or below the line the parts of a letter are at most


@dataclass(eq=False)
class Glyph:
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
class Block:
    """One BT … ET: its instructions from ``start`` to ``end``, and its glyphs, which are on one line."""

    start: int
    end: int
    font: str
    size: float
    x: float
    y: float
    head: list[Instruction] = field(default_factory=list)
    origin: tuple[float, float] = (0.0, 0.0)
    units: list[Glyph] = field(default_factory=list)
    moved: float = 0.0  # thousandths of the font size by which the next glyph is moved to the left
    pen: float = 0.0  # points from the origin

    def add(self, parts: Any, font: PageFont, actual: str | None) -> None:
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
                found.append(Glyph([code], font.text_of(code), x, self.moved, head=self.head, origin=self.origin))
                self.pen += font.advance_of(code) * self.size / 1000
                self.moved, self.head = 0.0, []
        if found and actual is not None:
            found = self._marked(found, font, actual)
        self.units += found

    @staticmethod
    def _marked(found: list[Glyph], font: PageFont, actual: str) -> list[Glyph]:
        """Return the glyphs of a letter with an /ActualText.

        From right to left, readers misplace a letter of several glyphs and may reverse the line after an /ActualText
        of one character: there, the widest glyph alone is text, and if it can be, with a code of its own.
        """
        if is_right_to_left(actual) and font.can_be_outlined:
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


def find_blocks(instructions: list[Instruction], fonts: dict[str, PageFont]) -> Iterator[Block]:
    """Yield the texts of a page, each as Typst writes it: cm, BT, Tr, Tf, Tm and one TJ, perhaps marked."""
    place = (0.0, 0.0)
    block: Block | None = None
    actual: str | None = None
    for at, (operands, operator) in enumerate(instructions):
        match str(operator):
            case "cm":
                place = (float(operands[4]), float(operands[5]))
            case "BT":
                block, actual = Block(at, at, "", 0.0, *place), None
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


def choose_outlines(blocks: list[Block], fonts: dict[str, PageFont]) -> None:
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
        if len(text) == 1 and is_right_to_left(text):
            # The dots of an Arabic letter are above or below the line: each part on it is another letter. In "یی"
            # the two have different shapes.
            letters = max(letters, len(on_line))
        parts, rest = divmod(len(on_line), letters)
        kept = on_line[:letters] if rest else on_line[::parts]
        for _block, unit in same:
            unit.is_outlined = True
        for place, (block, unit) in enumerate(kept):
            unit.is_outlined = False
            if not rest:  # the letter's other parts on the line are written with it
                for other_block, other in on_line[place * parts + 1 : (place + 1) * parts]:
                    _absorb(unit, other, fonts[block.font], block.size, is_same=other_block.font == block.font)


def _absorb(unit: Glyph, other: Glyph, font: PageFont, size: float, *, is_same: bool) -> None:
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


def _line_of(heights: set[float], around: list[Block]) -> float:
    """Return the one of the heights that is the line: that of most glyphs around."""
    counted = Counter(dict.fromkeys(heights, 0))
    for block in around:
        if round(block.y, 3) in heights:
            counted[round(block.y, 3)] += len(block.units)
    return counted.most_common(1)[0][0]


def is_right_to_left(text: str) -> bool:
    """Return whether a text has a letter that is written from right to left."""
    return any(unicodedata.bidirectional(char) in {"R", "AL"} for char in text)
