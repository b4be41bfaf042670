"""The words of questions and passages in the form in which they are indexed: folded and stemmed.

Both databases index these stems as they are, so that both find the same.
"""

from functools import lru_cache

from snowballstemmer import stemmer

from studyplatform.kit.text.folding import split_words

MOST_WORDS = 60
"""Words of a question that are searched; what comes after is ignored."""
# Words that say nothing about the subject of a question.
_STOP_TEXT = """
    a about above after again all also am an and any are aren as at be because been before being below between both
    but by can cannot could couldn did didn do does doesn doing don down during each even explain few for from further
    get give go going got had has hasn have haven having he her here hers herself him himself his how i if in into is
    isn it its itself just know let like ll may maybe me mean means might mine more most mustn my myself need no nor not
    now of off on once one only or other our ours ourselves out over own please re really s same say says shall she
    should shouldn so some still such t tell than that the their theirs them themselves then there these they thing
    things this those through to too two under until up upon us use used using ve very want was wasn way we well were
    weren what when where which while who whom whose why will with won would wouldn you your yours yourself yourselves
    actually anyone anything course exactly lesson question someone something teach told understand video work works"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
_stemmer = stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a folded word (https://snowballstem.org/algorithms/english/stemmer.html)."""
    stemmed: str = _stemmer.stemWord(word)
    return stemmed


def split(text: str) -> list[str]:
    """Return all words of a text, folded."""
    return split_words(text)


def content_words(text: str) -> list[str]:
    """Return the words of a text that are no stop words, folded; repeated ones stay."""
    return [word for word in split(text) if word not in STOP_WORDS]


def stems(text: str) -> list[str]:
    """Return the stems of the content words of a text."""
    return [stem(word) for word in content_words(text)]
