"""Correct misspelled words of a question to words of the passages.

The distance is counted here and not by the database, so that both databases forgive the same mistakes.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from apps.tutor.retrieval import encoder
from apps.tutor.retrieval.words import STOP_WORDS
from studyplatform.kit.text.folding import fold

SHORTEST = 4
"""Shorter words are not corrected: too many others are one letter away."""
TWO_FROM = 7
"""Words of at least this length may have two mistakes, shorter ones one."""
_WORD = re.compile(r"[^\W\d_]+")


def correct(
    question: str,
    vocabulary: Counter[str],
    *,
    is_word: Callable[[str], bool] = lambda word: encoder.knows(word),
    candidates: Callable[[], Sequence[str]] | None = None,
) -> str:
    """Return the question with each unknown word replaced by the nearest of the vocabulary, if one is near.

    Words that the encoder's dictionary contains are English: they stay, even if no passage contains them.
    ``is_word`` decides it otherwise; ``candidates`` returns what ``correctable`` makes of the vocabulary.
    """

    def replaced(found: re.Match[str]) -> str:
        word = fold(found[0])
        if len(word) < SHORTEST or word in STOP_WORDS or word in vocabulary or is_word(word):
            return found[0]
        others = candidates() if candidates is not None else correctable(vocabulary)
        return _nearest(word, others, vocabulary) or found[0]

    return _WORD.sub(replaced, question)


def correctable(vocabulary: Counter[str]) -> list[str]:
    """Return the words that may replace others."""
    return [word for word in vocabulary if len(word) >= SHORTEST]


def _nearest(word: str, candidates: Sequence[str], vocabulary: Counter[str]) -> str | None:
    """The word with the fewest mistakes, then with the same first letter, then the more frequent one.

    Mistakes are counted as in ``courses.spelling``: a letter added, omitted, replaced, or swapped with the next.
    """
    most = 1 if len(word) < TWO_FROM else 2
    found = process.extract(word, candidates, scorer=OSA.distance, score_cutoff=most, limit=12)
    return min(
        (one for one, _mistakes, _place in found),
        key=lambda one: (OSA.distance(word, one), one[0] != word[0], -vocabulary[one], one),
        default=None,
    )
