"""The order of an outline as a value: what was moved, and how it is taken back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.courses.arrangement import Arrangement, Chosen, PlaceLost, compare, take_back


def _arrangement(*sections: tuple[int, list[int]]) -> Arrangement:
    return Arrangement.of(sections)


BEFORE = _arrangement((100, [1, 2, 3, 4]), (200, [5, 6]), (300, []))


@st.composite
def _arrangements(draw: st.DrawFn, sections: tuple[int, ...] = (100, 200, 300)) -> Arrangement:
    lessons = draw(st.permutations(range(1, 9)))
    cuts = sorted(draw(st.lists(st.integers(0, 8), min_size=len(sections) + 1, max_size=len(sections) + 1)))
    order = draw(st.permutations(sections))
    return Arrangement.of((section, lessons[cuts[at] : cuts[at + 1]]) for at, section in enumerate(order))


def test_as_little_as_possible_counts_as_moved() -> None:
    assert compare(BEFORE, BEFORE.with_lessons([1], 100, 4)).moved_lessons == {1}
    assert compare(BEFORE, BEFORE.with_lessons([4, 2], 200, 1)).moved_lessons == {2, 4}
    difference = compare(BEFORE, BEFORE.with_sections([300], 1))
    assert difference.moved_sections == {300}
    assert not difference.moved_lessons


def test_several_lessons_keep_their_given_order_and_positions_beyond_the_ends_are_the_ends() -> None:
    assert BEFORE.with_lessons([6, 1], 100, 2).sections[0] == (100, (2, 6, 1, 3, 4))
    assert BEFORE.with_lessons([1], 200, 99).sections[1] == (200, (5, 6, 1))
    assert BEFORE.with_lessons([6], 200, -3).sections[1] == (200, (6, 5))
    assert BEFORE.with_sections([100, 300], 99).section_pks == (200, 100, 300)


def test_what_others_moved_since_stays() -> None:
    after = BEFORE.with_lessons([1], 200, 1)
    present = after.with_lessons([4], 100, 1)
    assert take_back(BEFORE, after, present) == _arrangement((100, [1, 4, 2, 3]), (200, [5, 6]), (300, []))

    removed = _arrangement((100, [1, 3, 4]), (300, []))
    present = _arrangement((300, [9]), (100, [4, 1, 3]))
    back = take_back(BEFORE, removed, present)
    assert back == _arrangement((300, [9]), (100, [4, 1, 2, 3]), (200, [5, 6]))


@pytest.mark.parametrize(
    ("after", "present"),
    [
        # The lesson was removed since, its section was, and the added section has another lesson by now.
        (BEFORE.with_lessons([1], 200, 1), _arrangement((100, [2, 3, 4]), (200, [5, 6]), (300, []))),
        (BEFORE.with_lessons([5], 100, 1), _arrangement((100, [5, 1, 2, 3, 4]), (300, []))),
        (Arrangement((*BEFORE.sections, (400, (7,)))), Arrangement((*BEFORE.sections, (400, (7, 8))))),
    ],
)
def test_what_cannot_return_is_said(after: Arrangement, present: Arrangement) -> None:
    with pytest.raises(PlaceLost):
        take_back(BEFORE, after, present)


@settings(max_examples=60, deadline=None)
@given(_arrangements(), _arrangements(), _arrangements())
def test_nothing_is_lost_or_doubled_and_undo_at_once_restores_exactly(
    before: Arrangement, after: Arrangement, present: Arrangement
) -> None:
    assert take_back(before, after, after) == before
    change = compare(before, after)
    try:
        back = take_back(before, after, present)
    except PlaceLost:
        assert not change.moved_lessons <= set(present.lesson_pks)
        return
    expected = (set(present.lesson_pks) - change.added_lessons) | change.removed_lessons
    assert sorted(back.lesson_pks) == sorted(expected)
    assert sorted(back.section_pks) == sorted(present.section_pks)
    assert all(back.section_of[pk] == before.section_of[pk] for pk in change.moved_lessons | change.removed_lessons)


def test_what_was_chosen_counts_as_moved_where_either_could() -> None:
    after = BEFORE.with_lessons([5], 200, 2)
    assert compare(BEFORE, after, Chosen(lessons={5})).moved_lessons == {5}
    assert compare(BEFORE, after, Chosen(lessons={6})).moved_lessons == {6}
    swapped = BEFORE.with_sections([100], 2)
    assert compare(BEFORE, swapped, Chosen(sections={100})).moved_sections == {100}
    assert compare(BEFORE, swapped, Chosen(sections={200})).moved_sections == {200}
