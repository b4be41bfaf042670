"""The order of a course's sections and lessons as a value, and how a change of it is taken back: no database here.

Sections and lessons are named by primary key. The functions know nothing of rows, so they are tested by properties.
"""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self


class PlaceLost(Exception):
    """Something can't return to its place: its section, or itself, is no longer there."""


@dataclass(frozen=True)
class Arrangement:
    """The sections of a course in order, each with its lessons in order."""

    sections: tuple[tuple[int, tuple[int, ...]], ...]

    @classmethod
    def of(cls, sections: Iterable[tuple[int, Iterable[int]]]) -> Self:
        """Return the arrangement of these sections."""
        return cls(tuple((section, tuple(lessons)) for section, lessons in sections))

    @property
    def section_pks(self) -> tuple[int, ...]:
        return tuple(section for section, _lessons in self.sections)

    @property
    def lesson_pks(self) -> tuple[int, ...]:
        return tuple(lesson for _section, lessons in self.sections for lesson in lessons)

    @property
    def section_of(self) -> dict[int, int]:
        """The section of each lesson."""
        return {lesson: section for section, lessons in self.sections for lesson in lessons}

    @property
    def etag(self) -> str:
        """A digest: two arrangements with the same one are equal."""
        return hashlib.sha256(json.dumps(self.sections).encode()).hexdigest()[:16]

    def with_lessons(self, lessons: Sequence[int], section: int, position: int) -> "Arrangement":
        """Put these lessons, in this order, at a position of a section (1 is first; beyond the ends is the end).

        The position counts the section's other lessons.
        """
        chosen = set(lessons)
        rows = [(one, [pk for pk in inside if pk not in chosen]) for one, inside in self.sections]
        for one, inside in rows:
            if one == section:
                at = min(max(position, 1) - 1, len(inside))
                inside[at:at] = lessons
        return Arrangement.of(rows)

    def with_sections(self, sections: Sequence[int], position: int) -> "Arrangement":
        """Put these sections, in this order, at a position among the others."""
        inside = dict(self.sections)
        rest = [pk for pk in self.section_pks if pk not in set(sections)]
        at = min(max(position, 1) - 1, len(rest))
        rest[at:at] = sections
        return Arrangement.of((pk, inside[pk]) for pk in rest)


@dataclass(frozen=True)
class Difference:
    """What one arrangement has in another place than another one, or what only one of them has."""

    moved_sections: frozenset[int]
    moved_lessons: frozenset[int]
    added_sections: frozenset[int]
    added_lessons: frozenset[int]
    removed_sections: frozenset[int]
    removed_lessons: frozenset[int]

    @property
    def sections(self) -> frozenset[int]:
        return self.moved_sections | self.added_sections | self.removed_sections

    @property
    def lessons(self) -> frozenset[int]:
        return self.moved_lessons | self.added_lessons | self.removed_lessons


@dataclass(frozen=True)
class Chosen:
    """What an author has chosen to move."""

    sections: Collection[int] = ()
    lessons: Collection[int] = ()


NOTHING_CHOSEN = Chosen()


def compare(before: Arrangement, after: Arrangement, chosen: Chosen = NOTHING_CHOSEN) -> Difference:
    """Return what was moved, added and removed.

    As little as possible counts as moved; what the author has chosen to move, rather than what made room for it.
    """
    was, now = before.section_of, after.section_of
    kept = was.keys() & now.keys()
    moved = {pk for pk in kept if was[pk] != now[pk]}
    old = dict(before.sections)
    for section, lessons in after.sections:
        stayed = [pk for pk in lessons if pk in kept - moved]
        moved |= _out_of_order([pk for pk in old.get(section, ()) if pk in set(stayed)], stayed, chosen.lessons)
    old_sections, new_sections = set(before.section_pks), set(after.section_pks)
    both = old_sections & new_sections
    orders = [[pk for pk in one.section_pks if pk in both] for one in (before, after)]
    return Difference(
        moved_sections=frozenset(_out_of_order(orders[0], orders[1], chosen.sections)),
        moved_lessons=frozenset(moved),
        added_sections=frozenset(new_sections - old_sections),
        added_lessons=frozenset(now.keys() - was.keys()),
        removed_sections=frozenset(old_sections - new_sections),
        removed_lessons=frozenset(was.keys() - now.keys()),
    )


def take_back(
    before: Arrangement, after: Arrangement, present: Arrangement, chosen: Chosen = NOTHING_CHOSEN
) -> Arrangement:
    """Return the present arrangement without what led from ``before`` to ``after``.

    What came since stays where it is. What was moved or removed returns behind the nearest lesson or section before it
    that is still there.

    :raises PlaceLost: what was moved is gone, a lesson's former section is gone, or an added section holds others now.
    """
    if present == after:
        return before
    change = compare(before, after, chosen)
    if not change.moved_lessons <= set(present.lesson_pks) or not change.moved_sections <= set(present.section_pks):
        raise PlaceLost
    inside = {section: [pk for pk in lessons if pk not in change.lessons] for section, lessons in present.sections}
    if any(inside.get(section) for section in change.added_sections):
        raise PlaceLost
    order = [pk for pk in present.section_pks if pk not in change.sections]
    _return_to(order, before.section_pks, change.moved_sections | change.removed_sections)
    rows = {section: inside.get(section, []) for section in order}
    for section, lessons in before.sections:
        returning = (change.moved_lessons | change.removed_lessons) & set(lessons)
        if returning and section not in rows:
            raise PlaceLost
        if section in rows:
            _return_to(rows[section], lessons, returning)
    return Arrangement.of(rows.items())


def _return_to(row: list[int], before: Sequence[int], returning: Collection[int]) -> None:
    """Insert each of ``returning`` behind the nearest one before it that is in the row, else at its beginning."""
    for place, pk in enumerate(before):
        if pk in returning:
            earlier = next((one for one in reversed(before[:place]) if one in row), None)
            row.insert(row.index(earlier) + 1 if earlier is not None else 0, pk)


def _out_of_order(before: Sequence[int], after: Sequence[int], chosen: Collection[int]) -> set[int]:
    """Return what has to move to get from one order to another: what was chosen, if that suffices.

    Otherwise all but a longest run that kept its order: a longest increasing subsequence, found by patience sorting
    (Fredman 1975).
    """
    if list(before) == list(after):
        return set()
    if [pk for pk in before if pk not in chosen] == [pk for pk in after if pk not in chosen]:
        return set(chosen) & set(after)
    place = {pk: at for at, pk in enumerate(before)}
    tops: list[int] = []  # the place of the last element of the best run of each length
    top_pks: list[int] = []
    previous: dict[int, int | None] = {}
    for pk in after:
        at = bisect_left(tops, place[pk])
        previous[pk] = top_pks[at - 1] if at else None
        tops[at : at + 1] = [place[pk]]
        top_pks[at : at + 1] = [pk]
    kept: set[int] = set()
    last: int | None = top_pks[-1] if top_pks else None
    while last is not None:
        kept.add(last)
        last = previous[last]
    return set(after) - kept
