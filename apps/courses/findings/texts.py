"""What a text of a course shows and links, with the line where it stands, and what is wrong with its form."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.text import markdown
from studyplatform.kit.text.picture_rules import alternative_text

_DECORATIVE = re.compile(r"\{[^{}]*\bdecorative\b[^{}]*\}")
_MAY_MATTER = re.compile(r"!\[|\]\(|\]:|://|^ {0,3}#|^ {0,3}(?:=+|-+) *$", re.MULTILINE)
MAX_QUOTE_LENGTH = 80  # characters


@dataclass(frozen=True)
class Spot:
    """Something in a text: the line on which its paragraph begins or it stands, counted from 1, and what it is."""

    line: int
    quote: str


@dataclass(frozen=True)
class TextFacts:
    """``pictures``: those neither described nor decorative. ``headings``: those that skip a level. ``links``: all."""

    pictures: tuple[Spot, ...] = ()
    headings: tuple[Spot, ...] = ()
    links: tuple[Spot, ...] = ()


_NOTHING = TextFacts()
_read: LruCache[TextFacts] = LruCache(4096)  # texts, each by its digest: a course is read at each of its changes


def read_text(text: str) -> TextFacts:
    """Return what the rules need to know of a Markdown text."""
    if _MAY_MATTER.search(text) is None:
        return _NOTHING
    key = hashlib.sha256(text.encode()).hexdigest()
    known = _read.get(key)
    return _read.put(key, _facts_of(text)) if known is None else known


@cache
def _parser() -> MarkdownIt:
    return markdown.new_parser()


def _facts_of(text: str) -> TextFacts:
    pictures: list[Spot] = []
    links: list[Spot] = []
    headings: list[tuple[int, Spot]] = []
    tokens = _parser().parse(text)
    line = 1
    for at, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else line
        if token.type == "heading_open":
            headings.append((int(token.tag[1]), Spot(line, _quote(tokens[at + 1].content))))
        if token.type == "inline":
            for where, child, following in _children(token, line):
                if child.type == "image":
                    links.append(Spot(where, str(child.attrs.get("src", ""))))
                    is_described = alternative_text(child) or _DECORATIVE.match(following)
                    if not is_described:
                        pictures.append(Spot(where, _quote(str(child.attrs.get("src", "")))))
                elif child.type == "link_open":
                    links.append(Spot(where, str(child.attrs.get("href", ""))))
    return TextFacts(tuple(pictures), tuple(_skipping(headings)), tuple(dict.fromkeys(links)))


def _children(block: Token, line: int) -> Iterator[tuple[int, Token, str]]:
    """Yield each part of a paragraph with its line, and the text that follows it."""
    children = block.children or []
    for at, child in enumerate(children):
        if child.type in {"softbreak", "hardbreak"}:
            line += 1
        following = children[at + 1].content if at + 1 < len(children) else ""
        yield line, child, following


def _skipping(headings: list[tuple[int, Spot]]) -> Iterator[Spot]:
    """Yield the headings that are more than one level below the one before.

    The highest headings of a text are shown directly below the title of the page, whatever their level, so the first
    one must be such a heading.
    """
    before = min((level for level, _ in headings), default=1) - 1
    for level, spot in headings:
        if level > before + 1:
            yield spot
        before = level


def _quote(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MAX_QUOTE_LENGTH else f"{words[: MAX_QUOTE_LENGTH - 1]}…"
