"""Suggestions of the search box: courses, learning paths, categories and instructors by name, else courses by text."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from apps.courses.models import Course
from apps.courses.queries.cards import name_of
from apps.courses.queries.catalogue import cached, listed_groups, offer
from apps.courses.queries.path_places import path_names
from apps.courses.search import search, words_of
from apps.courses.spelling import nearest
from studyplatform.kit.text.folding import split_words

SHORTEST = 2
MOST_COURSES = 6
MOST_OTHERS = 2


class Suggestion(NamedTuple):
    """One suggestion."""

    key: str
    """The slug of a course, a learning path or a subject, the username of an instructor."""
    name: str
    about: str = ""
    """The subject of a course."""
    courses: int = 0
    """How many courses a learning path, a subject or an instructor has."""


class Suggestions(NamedTuple):
    courses: list[Suggestion]
    subjects: list[Suggestion]
    teachers: list[Suggestion]
    paths: list[Suggestion] = []


Spread = list[tuple[str, Suggestion]]


class _Names(NamedTuple):
    """Everything that can be suggested, each with its folded name, most learners first."""

    courses: Spread
    subjects: Spread
    teachers: Spread
    paths: Spread
    text: str
    """All folded names, joined."""


def _spread(found: Iterable[Suggestion]) -> Spread:
    """Return each with its folded words, a space before each word: ``" b"`` occurs where a word starts with b."""
    return [("".join(f" {word}" for word in split_words(one.name)), one) for one in found]


def _read() -> _Names:
    """Read all names. Two queries, and one for the categories unless they are cached."""
    rows = (
        Course.objects.shown()
        .order_by("-learner_count", "pk")
        .values_list(
            "slug",
            "title",
            "subject__name",
            "instructor__username",
            "instructor__first_name",
            "instructor__last_name",
        )
    )
    courses, teachers, counts = [], {}, Counter[str]()
    for slug, title, subject, username, first, last in rows:
        courses.append(Suggestion(slug, title, subject))
        teachers[username] = name_of(first, last, username)
        counts[username] += 1
    subjects, named = offer().by_subject, listed_groups()[1]
    parts = (
        _spread(courses),
        _spread(Suggestion(slug, named[slug], courses=count) for slug, count in subjects.items()),
        _spread(Suggestion(key, name, courses=counts[key]) for key, name in teachers.items()),
        _spread(Suggestion(slug, title, courses=count) for slug, title, count in path_names()),
    )
    return _Names(*parts, text="".join(spread for part in parts for spread, _one in part))


def _fitting(words: list[str], among: Spread, most: int) -> list[Suggestion]:
    """Return those in which each word starts a word of the name; names that start with the first word come first."""
    found = among[:]
    for word in words:
        begun = f" {word}"
        found = [pair for pair in found if begun in pair[0]]
    found.sort(key=lambda pair: not pair[0].startswith(f" {words[0]}"))
    return [one for _spread, one in found[:most]]


def _matching(words: list[str], names: _Names) -> Suggestions:
    return Suggestions(
        _fitting(words, names.courses, MOST_COURSES),
        _fitting(words, names.subjects, MOST_OTHERS),
        _fitting(words, names.teachers, MOST_OTHERS),
        _fitting(words, names.paths, MOST_OTHERS),
    )


def _meant(words: list[str], names: _Names) -> list[str]:
    """Return the words; those that start no name are replaced by the nearest word that does."""

    def is_known(word: str) -> bool:
        return f" {word}" in names.text

    last = len(words) - 1
    return [
        word if is_known(word) else next(filter(is_known, nearest(word, is_prefix=place == last)), word)
        for place, word in enumerate(words)
    ]


def suggest(text: str) -> Suggestions:
    """Return suggestions for a partly typed text; none for less than two characters. No query if they are cached.

    Where no name has them, they are the courses that the search finds, else those with words that may be meant.
    """
    words = words_of(text)
    if sum(map(len, words)) < SHORTEST:
        return Suggestions([], [], [])
    names = cached("names", _read)
    found = _matching(words, names)
    if any(found):
        return found
    if in_texts := _found_in_texts(tuple(words)):
        return Suggestions(in_texts, [], [])
    return _matching(_meant(words, names), names)


def _found_in_texts(words: tuple[str, ...]) -> list[Suggestion]:
    """Return the courses that the search finds by lessons, categories and descriptions. One query, none if cached."""

    def read() -> list[Suggestion]:
        matching: Any = search(Course.objects.shown(), " ".join(words))
        ranked = matching.order_by("-rank", "-learner_count", "pk")
        return [Suggestion(*row) for row in ranked.values_list("slug", "title", "subject__name")[:MOST_COURSES]]

    return cached(("suggested", words), read)


def paths_named(text: str) -> list[Suggestion]:
    """Return the learning paths whose titles have these words, at most two. No query if the names are cached."""
    words = words_of(text)
    if sum(map(len, words)) < SHORTEST:
        return []
    names = cached("names", _read)
    return _fitting(words, names.paths, MOST_OTHERS) or _fitting(_meant(words, names), names.paths, MOST_OTHERS)
