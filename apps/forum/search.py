"""Full-text search over posts, with the same results on SQLite (FTS5) and PostgreSQL (tsvector).

As in ``courses.search``, what a user types is split into words, and only words reach the query languages.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVectorField
from django.db import connections
from django.db.models import F, FloatField, Func, QuerySet, Value
from django.db.models.expressions import RawSQL
from markupsafe import Markup, escape

from apps.forum.models import Post
from studyplatform.kit.text.folding import Word, encode_word, find_words, split_words

MOST_WORDS = 12
CANDIDATES = 2000  # the newest posts with all words; more are not ranked
# How much a word counts in each column: title, tags, body.
_WEIGHTS = (10.0, 5.0, 1.0)
# The words that PostgreSQL leaves out of English documents. SQLite knows none, so they are left out of searches.
_STOP_TEXT = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those am is are was were be
    been being have has had having do does did doing a an the and but if or because as until while of at by for with
    about against between into through during before after above below to from up down in out on off over under again
    further then once here there when where why how all any both each few more most other some such no nor not only
    own same so than too very s t can will just don should now"""
_STOP = frozenset(_STOP_TEXT.split())
_ENDINGS = re.compile(r"(?:ation|ment|ness|ions?|ings?|ies|ed|es|er|ly|s|y|e)$")
_SNIPPET = 200  # characters


def words_of(text: str) -> list[str]:
    """The words that a search text looks for, each once."""
    return [word for word in dict.fromkeys(split_words(text)) if word not in _STOP][:MOST_WORDS]


def search(posts: QuerySet[Post], words: Sequence[str], *, any_word: bool = False) -> list[tuple[int, int]]:
    """The ids of the best of the posts, each with that of its topic, the best first; at most :data:`CANDIDATES`.

    ``words`` come from :func:`words_of`; none find nothing. A post must contain all of them (the last one may be
    incomplete), or with ``any_word`` at least one. A word in the title counts most. One query.
    """
    if not words:
        return []
    find = _postgresql if connections[posts.db].vendor == "postgresql" else _sqlite
    matching: Any = find(posts, [encode_word(word) for word in words], any_word=any_word)
    newest = matching.order_by("-pk").values_list("pk", "topic", "rank")[:CANDIDATES]
    ranked = sorted(newest, key=lambda row: (row[2], row[0]), reverse=True)
    return [(pk, topic) for pk, topic, _ in ranked]


def _sqlite(posts: QuerySet[Post], words: Sequence[str], *, any_word: bool) -> QuerySet[Post]:
    *whole, last = (f'"{word}"' for word in words)
    is_prefix = len(words[-1]) > 1 and not any_word
    match = (" OR " if any_word else " AND ").join([*whole, f"({last} OR {last} *)" if is_prefix else last])
    found = posts.extra(
        tables=["forum_search"],
        where=["forum_search.rowid = forum_post.id", "forum_search MATCH %s"],
        params=[match],
    )
    weights = ", ".join(map(str, _WEIGHTS))
    bm25 = RawSQL(f"-bm25(forum_search, {weights})", [], output_field=FloatField())  # noqa: S611 (a fixed text)
    ranked: QuerySet[Post] = found.annotate(rank=bm25)
    return ranked


class _Document(Func):
    """The generated column ``document`` of the table of the given column: a tsvector that no model field describes."""

    output_field = SearchVectorField()

    def as_sql(self, compiler: Any, connection: Any, *args: Any, **context: Any) -> Any:
        [column] = self.get_source_expressions()
        return f"{connection.ops.quote_name(column.alias)}.document", []


def _postgresql(posts: QuerySet[Post], words: Sequence[str], *, any_word: bool) -> QuerySet[Post]:
    *whole, last = (f"'{word}'" for word in words)
    if len(words[-1]) > 1 and not any_word:
        last = f"({last} | {last}:*)"
    both = (" | " if any_word else " & ").join([*whole, last])
    query = SearchQuery(both, config="english", search_type="raw")
    document = _Document(F("document__title"))
    a, b, d = (weight / 10 for weight in _WEIGHTS)
    rank = SearchRank(document, query, weights=[d, d, b, a], normalization=Value(1))
    ranked: QuerySet[Post] = posts.alias(vector=document).filter(vector=query).annotate(rank=rank)
    return ranked


def marked(text: str, words: Sequence[str]) -> Markup:
    """The text with the words marked."""
    return _marked(text, _matcher(words), 0, len(text))


def snippet(text: str, words: Sequence[str]) -> Markup:
    """What surrounds the first of the words in a plain text, with all words marked."""
    is_match = _matcher(words)
    first = next((found.start for found in find_words(text, for_index=True) if is_match(found.text)), 0)
    start = max(0, first - _SNIPPET // 3)
    if start:
        start = text.find(" ", start, first) + 1 or start
    end = min(len(text), start + _SNIPPET)
    if end < len(text):
        end = max(text.rfind(" ", start, end), first + 1) if " " in text[first:end] else end
    shown = _marked(text, is_match, start, end)
    return Markup("{}{}{}").format("… " if start else "", shown, " …" if end < len(text) else "")


def found_in(text: str, words: Sequence[str]) -> set[str]:
    """Those of the words that a text contains, in any form."""
    stems = {_stem(found.text) for found in find_words(text, for_index=True)}
    return {word for word in words if _stem(word) in stems}


def _marked(text: str, is_match: Callable[[str], bool], start: int, end: int) -> Markup:
    parts, done = [], start
    for first, last in _spans(find_words(text[start:end], for_index=True), is_match):
        parts += [
            escape(text[done : start + first]),
            Markup("<mark>{}</mark>").format(text[start + first : start + last]),
        ]
        done = start + last
    return Markup("").join([*parts, escape(text[done:end])])


def _spans(words: Iterable[Word], is_match: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Where the matching words are; pairs of characters that overlap are one."""
    spans: list[tuple[int, int]] = []
    for word in sorted(words, key=lambda word: word.start):
        if not is_match(word.text):
            continue
        if spans and word.start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], word.end))
        else:
            spans.append((word.start, word.end))
    return spans


def _matcher(words: Iterable[str]) -> Callable[[str], bool]:
    """Whether a word of a text is to be marked: close to how both databases reduce words to their stems."""
    wanted = list(words)
    stems = {_stem(word) for word in wanted}
    last = wanted[-1] if wanted and len(wanted[-1]) > 1 else None

    def is_match(word: str) -> bool:
        return _stem(word) in stems or (last is not None and word.startswith(last))

    return is_match


def _stem(word: str) -> str:
    """The word without a usual English ending."""
    stem = _ENDINGS.sub("", word)
    if len(stem) > 3 and stem[-1] == stem[-2]:  # stopped
        stem = stem[:-1]
    return stem if len(stem) >= 3 else word
