"""Which questions of learners their instructor may read, and in what words.

Questions are told apart by lesson. Those of a lesson, in the order in which they were asked, are cut into groups: a
group is complete as soon as it has questions of :data:`LEAST_LEARNERS` learners, and only complete groups are read.
What is left over of all lessons is grouped in the same way, without the lesson. Whatever period or lesson somebody
chooses, they read whole groups: two choices never differ by fewer learners than one group has. All courses together are
the groups of each. Ratings are counted in groups of their own.
"""

import re
from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from studyplatform.kit.text.folding import fold

LEAST_LEARNERS = 5
_MASK = "…"
_PRIVATE = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,5}"  # emails
    r"|(?<!\w)@\w{2,40}"  # handles
    r"|(?:https?://|www\.)\S+"  # addresses
    r"|\+?\d[\d ()/.-]{6,20}\d",  # phone numbers and the like
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_INTRODUCED = re.compile(r"\b(my name is|i am called|my name's|call me)\s+\S+(?:\s+[A-Z]\S+)?", re.IGNORECASE)


class Asked(NamedTuple):
    """A question: its exchange, who asked it, about which lesson (None: the course), and when."""

    exchange: int
    learner: int
    lesson: int | None
    at: datetime


class Group(NamedTuple):
    """Questions of at least :data:`LEAST_LEARNERS` learners. ``lesson`` is None for questions of several lessons."""

    lesson: int | None
    complete_at: datetime
    exchanges: tuple[int, ...]


def group(rows: Iterable[Asked]) -> list[Group]:
    """Return the complete groups of a course's questions, which are given in the order in which they were asked."""
    by_lesson: dict[int | None, list[Asked]] = {}
    for row in rows:
        by_lesson.setdefault(row.lesson, []).append(row)
    groups, left = list[Group](), by_lesson.pop(None, [])
    for lesson, asked in by_lesson.items():
        complete, rest = _cut(lesson, asked)
        groups += complete
        left += rest
    left.sort(key=lambda one: (one.at, one.exchange))
    return groups + _cut(None, left)[0]


def _cut(lesson: int | None, asked: Sequence[Asked]) -> tuple[list[Group], list[Asked]]:
    """Return complete groups, and the questions after the last of them."""
    groups, open_, learners = list[Group](), list[Asked](), set[int]()
    for row in asked:
        open_.append(row)
        learners.add(row.learner)
        if len(learners) >= LEAST_LEARNERS:
            groups.append(Group(lesson, row.at, tuple(one.exchange for one in open_)))
            open_, learners = [], set()
    return groups, open_


def masked(text: str, names: Set[str] = frozenset()) -> str:
    """Return a question without addresses, handles, long numbers and these words, see :func:`words_of`."""
    text = _INTRODUCED.sub(rf"\1 {_MASK}", _PRIVATE.sub(_MASK, " ".join(text.split())))
    return _WORD.sub(lambda found: _MASK if found[0].lower() in names else found[0], text) if names else text


def words_of(names: Iterable[str]) -> frozenset[str]:
    """Return the words of names as they are compared."""
    return frozenset(word for name in names for word in _WORD.findall(name.lower()) if len(word) > 1)


def key_of(text: str) -> str:
    """Return the same for questions that differ in case, accents, spaces and signs only."""
    return sha256(" ".join(re.findall(r"\w+", fold(text))).encode()).hexdigest()
