"""The text of a rendered lesson, paragraph by paragraph, as people read it."""

from html.parser import HTMLParser
from typing import NamedTuple

_BLOCKS = frozenset({"p", "li", "tr", "pre", "blockquote", "dd", "dt", "figure", "figcaption", "math"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_IGNORED = frozenset({"annotation", "script", "style"})


class Block(NamedTuple):
    """A paragraph, an item of a list or a row of a table, with the heading above it."""

    heading: str
    text: str


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.heading = ""
        self._parts: list[str] = []
        self._ignored = 0
        self._is_kind = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _IGNORED:
            self._ignored += 1
        elif tag in _HEADINGS or (tag in _BLOCKS and tag != "math"):
            self.end_block()
            self._is_kind = ("class", "callout__kind") in attrs
        elif tag == "img":
            self._parts.append(f" {dict(attrs).get('alt') or ''} ")
        elif tag in {"td", "th", "br"} and self._parts:
            self._parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _IGNORED:
            self._ignored = max(0, self._ignored - 1)
        elif tag in _HEADINGS:
            self.heading = self._take()
        elif tag == "p" and self._is_kind:  # "Note" says nothing
            self._is_kind = False
            self._take()
        elif tag in _BLOCKS and tag != "math":
            self.end_block()
        elif tag in {"td", "th"}:
            self._parts.append(", ")

    def handle_data(self, data: str) -> None:
        if not self._ignored:
            self._parts.append(data)

    def end_block(self) -> None:
        text = self._take()
        if text:
            self.blocks.append(Block(self.heading, text))

    def _take(self) -> str:
        text = " ".join("".join(self._parts).split()).rstrip(",").replace(" ,", ",")
        self._parts = []
        return text


def blocks_of(html: str) -> list[Block]:
    """Return the blocks of sanitized HTML, in order. Headings are no blocks of their own."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_block()
    return reader.blocks
