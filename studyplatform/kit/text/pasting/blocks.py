"""Blocks of Markdown: headings, paragraphs, lists, tables, quotations, code."""

import re
from collections.abc import Sequence
from dataclasses import replace

from studyplatform.kit.text.formula_reading import Element
from studyplatform.kit.text.pasting.phrases import PhraseReader
from studyplatform.kit.text.pasting.runs import Run, join_runs, styles_of, write_runs
from studyplatform.kit.text.pasting.tree import (
    BLOCKS,
    HEADINGS,
    MAX_COLUMNS,
    code_text,
    has_number,
    items_of,
    rows_of,
    span_of,
    text_without,
    walk,
    with_word_lists,
)

MAX_CELLS = 5_000  # of a table


class BlockWriter(PhraseReader):
    """Writes the blocks of Markdown of a tree."""

    def blocks(self, children: Sequence[Element | str], styles: frozenset[str] = frozenset()) -> list[str]:
        """The blocks of Markdown of these nodes."""
        found: list[str] = []
        line: list[Run] = []
        children = with_word_lists(children)

        def flush() -> None:
            found.extend(self._paragraph(line))
            line.clear()

        last_list = ""
        for child in children:
            if isinstance(child, str):
                line += self.text(child, styles)
                continue
            is_block = child.tag in BLOCKS or getattr(child, "has_blocks", False)
            if not is_block:
                line += self.inline(child, styles)
                continue
            flush()
            before = len(found)
            if child.tag in {"ul", "ol"}:
                is_same = last_list == child.tag
                found += self._list(child, is_second=is_same)
                last_list = "" if is_same else child.tag if len(found) > before else last_list
                continue
            found += self._block(child, styles)
            last_list = "" if len(found) > before else last_list
        flush()
        return found

    def _block(self, node: Element, styles: frozenset[str]) -> list[str]:
        match node.tag:
            case tag if tag in HEADINGS or node.attributes.get("class", "") == "MsoTitle":
                level = int(tag[1]) if tag in HEADINGS else 1
                return self._heading(node, level)
            case "hr":
                return ["***"]  # "- ---" in a list would be a rule of its own: "- - ---"
            case "pre":
                return self._code(node)
            case "blockquote":
                inside = self.blocks(node.children, styles)
                return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(inside).split("\n"))] if inside else []
            case "table":
                return self._table(node)
            case "figure":
                return self._figure(node, styles)
            case "dt" | "summary":
                return self.blocks(node.children, styles | {"strong"})
            case "a" | "b" | "strong" | "i" | "em" | "span" | "font" | "s" | "del" | "code" | "sup" | "sub":
                if node.tag == "a" and node.attributes.get("href"):
                    return self._paragraph(self.inline(node, styles))
                return self.blocks(node.children, styles_of(node, styles) - {"code"})
            case _:
                return self.blocks(node.children, styles)

    def _paragraph(self, line: Sequence[Run]) -> list[str]:
        runs = join_runs(line)
        if not runs:
            return []
        if len(runs) == 1 and runs[0].kind == "formula":
            return [f"$$\n{runs[0].text.strip('$')}\n$$"]
        return [write_runs(runs)]

    def _heading(self, node: Element, level: int) -> list[str]:
        for marker in (one for one in walk(node) if one.tag == "list-marker"):
            if not has_number(marker.text()):
                marker.children.clear()  # a bullet
        line = [Run(" ") if run.kind == "break" else run for run in self.flat(node, frozenset())]
        runs = [replace(run, styles=run.styles - {"strong"}) for run in line]
        text = write_runs(join_runs(runs), in_table=False).replace("\n", " ")
        if not text:
            return []
        text = re.sub(r"(?<![\\#])#+$", r"\\\g<0>", text)  # it would end the heading
        return [f"{'#' * level} {text}"]

    def _code(self, node: Element) -> list[str]:
        text = "".join(code_text(node)).strip("\n")
        pictures = [image for one in walk(node) if one.tag == "img" and (image := self.image(one, ""))]
        if not text.strip():
            return pictures
        classes = " ".join(one.attributes.get("class", "") for one in (node, *node.elements))
        language = re.search(r"(?:language|lang|brush)[-:]\s*([A-Za-z0-9+#]{1,20})", classes)
        ticks = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
        return [f"{ticks}{language[1] if language else ''}\n{text}\n{ticks}", *pictures]

    def _figure(self, node: Element, styles: frozenset[str]) -> list[str]:
        images = [one for one in walk(node) if one.tag == "img"]
        captions = [one for one in node.elements if one.tag == "figcaption"]
        rest = text_without(node, captions).strip()
        if len(images) != 1 or len(captions) != 1 or rest or any(one.tag == "img" for one in walk(captions[0])):
            return self.blocks(node.children, styles)
        caption = write_runs(join_runs(self.flat(captions[0], frozenset()))).replace("\n", " ")
        image = self.image(images[0], caption)
        return [image] if image else self.blocks(captions[0].children, styles)

    def _list(self, node: Element, *, is_second: bool) -> list[str]:
        is_ordered = node.tag == "ol"
        start = node.attributes.get("start", "1")
        number = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
        items: list[str] = []
        is_loose = False
        for child in items_of(node):
            inside = self.blocks(child.children)
            if not inside:
                continue
            marker = f"{number}{')' if is_second else '.'} " if is_ordered else "* " if is_second else "- "
            number += 1
            text = inside[0]
            for block in inside[1:]:
                is_nested = bool(re.match(r"(?:[-*]|\d{1,9}[.)]) ", block))
                text += ("\n" if is_nested else "\n\n") + block
                is_loose = is_loose or not is_nested
            lines = text.split("\n")
            pad = " " * len(marker)
            items.append("\n".join([marker + lines[0], *(pad + line if line else "" for line in lines[1:])]))
        return [("\n\n" if is_loose else "\n").join(items)] if items else []

    def _table(self, node: Element) -> list[str]:
        rows, captions = rows_of(node)
        before = [block for caption in captions for block in self.blocks(caption.children)]
        width = sum(span_of(cell, "colspan") for cell in rows[0]) if rows else 0
        width = max([width, *(sum(span_of(cell, "colspan") for cell in row) for row in rows)]) if rows else 0
        is_layout = width <= 1 and all(getattr(cell, "has_blocks", False) for row in rows for cell in row)
        if not rows or width > MAX_COLUMNS or width * len(rows) > MAX_CELLS or is_layout:
            return before + [block for row in rows for cell in row for block in self.blocks(cell.children)]
        grid: list[list[str]] = []
        spanned: dict[int, int] = {}  # rows that cells from above still fill, by column
        for row in rows:
            cells: list[str] = []
            for cell in row:
                while spanned.get(len(cells), 0) > 0:
                    spanned[len(cells)] -= 1
                    cells.append("")
                columns, lines = span_of(cell, "colspan"), span_of(cell, "rowspan")
                if columns > 1 or lines > 1:
                    self.notes["merged_cells"] = None
                for offset in range(columns):
                    spanned[len(cells) + offset] = lines - 1
                cells += [self._cell(cell), *[""] * (columns - 1)]
            grid.append(cells)
        width = max(len(cells) for cells in grid)
        if width > MAX_COLUMNS:
            return before + [block for row in rows for cell in row for block in self.blocks(cell.children)]
        grid = [[*cells, *[""] * (width - len(cells))] for cells in grid]
        lines_ = [f"| {' | '.join(cells)} |" for cells in grid]
        return [*before, "\n".join([lines_[0], f"|{' --- |' * width}", *lines_[1:]])]

    def _cell(self, cell: Element) -> str:
        is_head = cell.tag == "th"
        runs = [
            replace(run, styles=run.styles - {"strong"}) if is_head else run for run in self.flat(cell, frozenset())
        ]
        return write_runs(join_runs(runs), in_table=True).strip()
