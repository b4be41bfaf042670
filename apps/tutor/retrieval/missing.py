"""What single words say about whether a question is answered.

A rare word that stands in no passage of the course ("radiocarbon") says that it isn't, unless the passages found
contain a word that means the same. And where one word of the question is as near to the passages as the question is,
they may only share its subject: "What is the law of cosines?" finds what is said about cosines.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from apps.tutor.retrieval import encoder
from apps.tutor.retrieval.index import Index
from apps.tutor.retrieval.words import MOST_WORDS, content_words, stem

COMPARED = 3
"""Passages whose words are compared with the missing ones."""
MOST_COMPARED = 400
"""Words of the passages that are compared."""

MOST_KEPT = 10_000
"""Vectors of words that a process keeps: 15 MB."""

Array = NDArray[np.float32]
_kept: dict[str, Array] = {}


def missing(question: str, known: Index, places: NDArray[np.bool_], passages: Sequence[str]) -> float:
    """Return, for the word that is missing most, its rarity times how far the nearest word of the passages is.

    From 0 (every word is in a passage) to 1. ``places`` are the rows of the index in which a word may stand,
    ``passages`` the texts that were found. It takes up to 30 ms the first time that passages are compared.
    """
    words = {word for word in content_words(question)[:MOST_WORDS] if not _stands(word, known, places)}
    rarities = {word: rarity for word in words if (rarity := encoder.rarity(word)) > 0}
    if not rarities or not passages:
        return 0.0
    nearby = sorted(set(content_words(" ".join(passages[:COMPARED]))))[:MOST_COMPARED]
    if not nearby:
        return max(rarities.values())
    others = _vectors(nearby)
    nearest = (_vectors(list(rarities)) @ others.T).max(axis=1)
    return float(max(rarity * (1 - max(0.0, near)) for rarity, near in zip(rarities.values(), nearest, strict=True)))


def nearest_word(question: str, passages: Array) -> float:
    """Return the similarity of the word of the question that is nearest to one of the passages; 0 without words.

    ``passages``: the vectors of those that were found.
    """
    words = sorted(set(content_words(question)[:MOST_WORDS]))
    return max(0.0, float((_vectors(words) @ passages.T).max())) if words and len(passages) else 0.0


def _stands(word: str, known: Index, places: NDArray[np.bool_]) -> bool:
    rows, _scores = known.postings.get(stem(word), (None, None))
    return rows is not None and bool(places[rows].any())


def _vectors(words: Sequence[str]) -> Array:
    """The vectors of single words, most of which an earlier question has asked for."""
    found = {word: _kept.get(word) for word in words}  # another thread may clear what is kept
    unknown = [word for word, vector in found.items() if vector is None]
    if unknown:
        new: dict[str, Array] = dict(zip(unknown, encoder.encode(unknown), strict=True))
        if len(_kept) + len(new) > MOST_KEPT:
            _kept.clear()
        _kept.update(new)
        found |= new
    return np.array([found[word] for word in words], np.float32)
