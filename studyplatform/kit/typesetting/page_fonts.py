"""The fonts of a PDF of Typst: the text, the advance and the outline of each glyph, and further codes for glyphs."""

import io
import re
from typing import Any

import pikepdf
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

_ENTRIES = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_ENTRY = re.compile(rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]*)>")
Instruction = tuple[Any, pikepdf.Operator]


def number(value: float) -> Any:
    """Return a number as content streams write it."""
    return pikepdf.Object.parse(f"{value:.5f}".rstrip("0").rstrip(".").encode())


class PageFont:
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
            self._descendant.W.append(pikepdf.Array([number(self.advance_of(code))]))
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
            pen = PathPen(self._glyphs)
            self._glyphs[font.getGlyphName(code)].draw(pen)
            em = font["head"].unitsPerEm
            box = pikepdf.Array([-4 * em, -4 * em, 4 * em, 4 * em])
            matrix = pikepdf.Array([number(1 / em), 0, 0, number(1 / em), 0, 0])
            content = pikepdf.unparse_content_stream([*pen.instructions, ([], pikepdf.Operator("f"))])
            form = pdf.make_stream(
                content, Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=box, Matrix=matrix
            )
            self._forms[code] = f"/glyph-{self._font.objgen[0]}-{code}", form
        return self._forms[code]


class PathPen(BasePen):
    """A fontTools pen that writes the path operators of a content stream."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.instructions: list[Instruction] = []

    def _write(self, operator: str, *points: tuple[float, float]) -> None:
        numbers = [number(part) for point in points for part in point]
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
