"""Flash cards in an answer."""

import re
from typing import NamedTuple

MOST = 30
_CARD = re.compile(
    r"^[ \t>*_-]{0,8}Front:[ *_]{0,4}(\S[^\n]{0,1999})\n[ \t>*_-]{0,8}Back:[ *_]{0,4}(\S[^\n]{0,3999})", re.M
)
_CITED = re.compile(r" ?(?<!\\)\[\d{1,2}\]")


class Card(NamedTuple):
    """The two sides of a flash card, as Markdown without citations."""

    front: str
    back: str


def cards_in(text: str) -> tuple[Card, ...]:
    """Return the cards of an answer: two lines that begin with "Front:" and "Back:"."""
    found: list[Card] = []
    for match in _CARD.finditer(text):
        front, back = (_CITED.sub("", side).strip().removesuffix("**").strip() for side in match.groups())
        if front and back and len(found) < MOST:
            found.append(Card(front, back))
    return tuple(found)
