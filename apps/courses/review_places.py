"""Places of a lesson that a comment of a review can be about, as a form names them."""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from django.utils.text import Truncator

from studyplatform.kit.text import content

MAX_QUOTE = 300  # characters of a paragraph that are copied to a comment
SHOWN_QUOTE = 70  # characters of a paragraph in a list of choices
MAX_PARAGRAPHS = 300  # of a text, that a list of choices offers
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TIME = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):([0-5]?\d)")


@dataclass(frozen=True)
class Choice:
    """A place in a list of choices. ``value``: of a paragraph `paragraph_value`, of a question "q" and its uid."""

    value: str
    label: str


def paragraphs_of(text: str) -> list[str]:
    """Return the paragraphs of a Markdown text as it is written, a block of code as one."""
    return [paragraph for _line, paragraph in numbered_paragraphs_of(text)]


def numbered_paragraphs_of(text: str) -> list[tuple[int, str]]:
    """Return the paragraphs of a Markdown text as it is written, each with the line, from 1, at which it begins."""
    found: list[tuple[int, list[str]]] = []
    fence = ""
    is_between = True
    for number, line in enumerate(text.split("\n"), 1):
        if not fence and not line.strip():
            is_between = True
            continue
        if is_between:
            found.append((number, []))
            is_between = False
        found[-1][1].append(line)
        mark = _FENCE.match(line)
        if fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and mark:
            fence = mark[1]
    return [(number, "\n".join(lines)) for number, lines in found]


def line_of(text: str, digest: str) -> int:
    """Return the line, from 1, at which the paragraph with a digest begins; 0 if there is none."""
    return next((line for line, one in numbered_paragraphs_of(text) if digest_of(one) == digest), 0)


def quote_of(markdown: str, place: content.Place) -> str:
    """Return how a paragraph or a question begins, without marks, for a comment about it."""
    words = " ".join(content.plain_text(markdown, place).split()) or " ".join(markdown.split())
    return Truncator(words).chars(MAX_QUOTE)


def digest_of(markdown: str) -> str:
    """Return a short digest of a paragraph or a question, by which a change of it is noticed."""
    return hashlib.sha256(markdown.encode()).hexdigest()[:12]


@lru_cache(maxsize=16)  # a page asks for the same text once for each of its comments
def digests_in(text: str) -> frozenset[str]:
    """Return the digests of the paragraphs of a text."""
    return frozenset(map(digest_of, paragraphs_of(text)))


def paragraph_value(number: int, paragraph: str) -> str:
    """Return how a form names a paragraph: by its number and its digest, as the text may change meanwhile."""
    return f"p{number}-{digest_of(paragraph)}"


def read_second(text: str) -> int | None:
    """Return the seconds of "4:12", "1:04:12" or "252"; None if it is no time."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= 6:
        return int(text)
    found = _TIME.fullmatch(text) if text.isascii() else None
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds
