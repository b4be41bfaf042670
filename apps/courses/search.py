"""Full-text search over courses, the same on SQLite (FTS5) and PostgreSQL (tsvector).

What a person typed never reaches either query language: it is cut into words, and only words go on.
"""

import re
import unicodedata

from django.db import connections
from django.db.models import FloatField, QuerySet
from django.db.models.expressions import RawSQL

from apps.courses.models import Course

WORD_LIMIT = 8
_WORD = re.compile(r"\w{1,40}")
# How much a word in each field counts: title, terms, lessons, body.
_WEIGHTS = (10.0, 5.0, 3.0, 1.0)


def fold(text: str) -> str:
    """Lower case without accents: what is stored and what is asked for meet in this form."""
    if text.isascii():  # most is: nothing to take apart
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def split_words(text: str) -> list[str]:
    """All words of a text, folded."""
    return _WORD.findall(fold(text).replace("_", " "))


def words_of(text: str) -> list[str]:
    """The words to look for, at most a handful."""
    return split_words(text)[:WORD_LIMIT]


def search(courses: QuerySet[Course], text: str, *, is_begun: bool = True) -> QuerySet[Course]:
    """Those of the courses in which every word stands; with ``is_begun`` the last word may be only begun.

    They carry ``rank``: higher is better, a word in the title counts most. Text without a word in
    it matches nothing.
    """
    words = words_of(text)
    if not words:
        return courses.none().annotate(rank=_rank("0.0"))
    if connections[courses.db].vendor == "postgresql":
        return _search_postgresql(courses, words, is_begun=is_begun)
    return _search_sqlite(courses, words, is_begun=is_begun)


def _search_sqlite(courses: QuerySet[Course], words: list[str], *, is_begun: bool) -> QuerySet[Course]:
    # In quotes FTS5 sees words and nothing else. The last word counts whole as well as begun, because
    # stemming applies to whole words only.
    *whole, last = (f'"{word}"' for word in words)
    begun = f"({last} OR {last} *)" if is_begun and len(words[-1]) > 1 else last
    match = " AND ".join([*whole, begun])
    weights = ", ".join(map(str, _WEIGHTS))
    found = courses.extra(
        tables=["courses_search"],
        where=["courses_search.rowid = courses_course.id", "courses_search MATCH %s"],
        params=[match],
    )
    ranked: QuerySet[Course] = found.annotate(rank=_rank(f"-bm25(courses_search, {weights})"))
    return ranked


def _search_postgresql(courses: QuerySet[Course], words: list[str], *, is_begun: bool) -> QuerySet[Course]:
    *whole, last = (f"'{word}'" for word in words)
    begun = f"({last} | {last}:*)" if is_begun and len(words[-1]) > 1 else last
    query = " & ".join([*whole, begun])
    # A word in the title stands in class A, and so on down to D.
    weights = "{" + ", ".join(str(weight / 10) for weight in reversed(_WEIGHTS)) + "}"
    found = courses.extra(
        tables=["courses_searchdocument"],
        where=[
            "courses_searchdocument.course_id = courses_course.id",
            "courses_searchdocument.document @@ to_tsquery('english', %s)",
        ],
        params=[query],
    )
    rank = "ts_rank(%s::float4[], courses_searchdocument.document, to_tsquery('english', %s), 1)"
    ranked: QuerySet[Course] = found.annotate(rank=_rank(rank, weights, query))
    return ranked


def _rank(sql: str, *params: str) -> RawSQL:
    return RawSQL(sql, params, output_field=FloatField())  # noqa: S611 (fixed text with parameters)
