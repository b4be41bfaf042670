"""Spelling correction: words of the catalog that are one or two typing mistakes away.

The edit distance is computed here and not by the database, so that SQLite and PostgreSQL correct the same mistakes.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from apps.courses.models import Course, SearchDocument
from apps.courses.search import words_of
from studyplatform.kit.caching.versioned import VersionedCache
from studyplatform.kit.text.folding import split_words

SECONDS = 300
"""How long the words are cached. A word that is no longer in the catalog does no harm: its search is tried first."""
SHORTEST = 4
"""Shorter words are not corrected: too many others are one letter away."""
TWO_FROM = 8
"""Words of at least this length may have two mistakes, shorter ones one."""
MAX_CORRECTIONS = 3
"""The most texts that are offered, and the most candidates for each misspelled word."""
# Words that PostgreSQL's English dictionary does not index: nothing would be found for them.
_UNINDEXED = frozenset(
    split_words(
        "about above after again against because been before being below between both does doing down during each "
        "from further have having here hers herself himself into itself just more most myself once only other ours "
        "ourselves over same should some such than that their theirs them themselves then there these they this those "
        "through under until very were what when where which while whom will with your yours yourself yourselves"
    )
)


class Frequency(NamedTuple):
    """In how many course titles, and in how many courses, a word occurs."""

    titles: int
    courses: int


_memo: VersionedCache[dict[str, Frequency]] = VersionedCache(None, seconds=SECONDS, size=1)


def vocabulary() -> dict[str, Frequency]:
    """Return the words in titles, terms and lesson titles of listed courses. One query, none if cached."""
    return _memo.get("words", _read)


def _read() -> dict[str, Frequency]:
    texts = SearchDocument.objects.filter(course__in=Course.objects.listed()).values_list("title", "terms", "lessons")
    titles: Counter[str] = Counter()
    courses: Counter[str] = Counter()
    for title, *others in texts.iterator(chunk_size=2000):
        in_title = set(split_words(title))
        titles.update(in_title)
        courses.update(in_title.union(*map(split_words, others)))
    return {
        word: Frequency(titles[word], count)
        for word, count in courses.items()
        if len(word) >= SHORTEST and word.isalpha() and word not in _UNINDEXED
    }


def nearest(word: str, *, is_prefix: bool = False) -> list[str]:
    """Return the words that may be meant, the most likely first.

    Words with fewer mistakes come first, then those with the same first letter, then the more frequent ones. Mistakes
    are counted as the optimal string alignment distance (restricted Damerau-Levenshtein): a letter added, omitted,
    replaced, or swapped with the next. With ``is_prefix`` the word may be the beginning of a longer one.
    """
    if len(word) < SHORTEST or not word.isalpha():
        return []
    known = vocabulary()
    words = list(known)
    most = 1 if len(word) < TWO_FROM else 2
    mistakes = {found: count for found, count, _at in _extract(word, words, most)}
    if is_prefix:
        beginnings = [one[: len(word)] for one in words]
        for _found, count, at in _extract(word, beginnings, most):
            mistakes.setdefault(words[at], count)

    def order(one: str) -> tuple[int, bool, int, int, str]:
        return mistakes[one], one[0] != word[0], -known[one].titles, -known[one].courses, one

    return sorted(mistakes, key=order)


def _extract(word: str, words: list[str], most: int) -> list[tuple[str, int, int]]:
    """Return the words with at most ``most`` mistakes: word, number of mistakes, index."""
    found: list[tuple[str, int, int]] = process.extract(word, words, scorer=OSA.distance, score_cutoff=most, limit=None)
    return found


def corrections(text: str, is_known: Callable[[str, bool], bool]) -> Iterator[str]:
    """Yield texts that may be meant, the most likely first; none if every word is known or can't be corrected.

    ``is_known(word, is_prefix)`` returns whether a search finds anything for this word alone; the last word may be
    incomplete.
    """
    words = words_of(text)
    ways: list[list[str]] = []
    for place, word in enumerate(words):
        is_prefix = place == len(words) - 1
        better = [] if len(words) > 1 and is_known(word, is_prefix) else nearest(word, is_prefix=is_prefix)
        ways.append(better[:MAX_CORRECTIONS] or [word])
    if all(way[0] == word for way, word in zip(ways, words, strict=True)):
        return
    for number in range(max(map(len, ways))):
        yield " ".join(way[min(number, len(way) - 1)] for way in ways)
