"""Full-text search over courses, with the same results on SQLite (FTS5) and PostgreSQL (tsvector).

The text that a user types is never passed to either query language: it is split into words, and only words are used.
"""

from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVectorField
from django.db import connections
from django.db.models import F, FloatField, Func, QuerySet, Value
from django.db.models.expressions import RawSQL

from apps.courses.models import Course
from studyplatform.kit.text.folding import encode_word, split_words

WORD_LIMIT = 8
# How much a word counts in each column: title, terms, lessons, body.
_WEIGHTS = (10.0, 5.0, 3.0, 1.0)


def words_of(text: str) -> list[str]:
    """Return the first words of a search text, at most ``WORD_LIMIT``."""
    return split_words(text)[:WORD_LIMIT]


def search(courses: QuerySet[Course], text: str, *, is_prefix: bool = True) -> QuerySet[Course]:
    """Return those of the courses that contain every word; with ``is_prefix`` the last word may be incomplete.

    They are annotated with ``rank``: higher is better, and a word in the title counts most. A text without words
    matches nothing.
    """
    words = words_of(text)
    if not words:
        return courses.none().annotate(rank=Value(0.0, output_field=FloatField()))
    has_prefix = is_prefix and len(words[-1]) > 1
    words = [encode_word(word) for word in words]
    if connections[courses.db].vendor == "postgresql":
        return _search_postgresql(courses, words, has_prefix=has_prefix)
    return _search_sqlite(courses, words, has_prefix=has_prefix)


def _search_sqlite(courses: QuerySet[Course], words: list[str], *, has_prefix: bool) -> QuerySet[Course]:
    """Search the FTS5 table ``courses_search``, which the ORM doesn't know (https://www.sqlite.org/fts5.html)."""
    # FTS5 reads quoted text as words, never as operators. The last word is searched both whole and as a prefix,
    # because stemming applies to whole words only.
    *whole, last = (f'"{word}"' for word in words)
    match = " AND ".join([*whole, f"({last} OR {last} *)" if has_prefix else last])
    weights = ", ".join(map(str, _WEIGHTS))
    # ``extra`` joins the table. Without a join, bm25 would go through all matches again for each of them.
    found = courses.extra(
        tables=["courses_search"],
        where=["courses_search.rowid = courses_course.id", "courses_search MATCH %s"],
        params=[match],
    )
    bm25 = RawSQL(f"-bm25(courses_search, {weights})", [], output_field=FloatField())  # noqa: S611 (a fixed text)
    ranked: QuerySet[Course] = found.annotate(rank=bm25)
    return ranked


class _Document(Func):
    """The generated column ``document`` of the table of the given column: a tsvector that no model field describes."""

    output_field = SearchVectorField()

    def as_sql(self, compiler: Any, connection: Any, *args: Any, **context: Any) -> Any:
        [column] = self.get_source_expressions()
        return f"{connection.ops.quote_name(column.alias)}.document", []


def _search_postgresql(courses: QuerySet[Course], words: list[str], *, has_prefix: bool) -> QuerySet[Course]:
    *whole, last = (f"'{word}'" for word in words)
    query = SearchQuery(
        " & ".join([*whole, f"({last} | {last}:*)" if has_prefix else last]), config="english", search_type="raw"
    )
    # The title has the weight class A, the body D; PostgreSQL takes the weights from D to A, between 0 and 1.
    weights = [weight / 10 for weight in reversed(_WEIGHTS)]
    document = _Document(F("search_document__title"))
    rank = SearchRank(document, query, weights=weights, normalization=Value(1))  # 1: divided by 1 + log(length)
    ranked: QuerySet[Course] = courses.alias(document=document).filter(document=query).annotate(rank=rank)
    return ranked
