"""What few learners would show is hidden: no database here.

The rule protects what the staff of a course doesn't read by name: how somebody watched a video, which moments they
marked, who visited a page. What the page of a learner says by name anyway (progress, attempts, time) is shown, but
means of fewer are not: they would say nothing.
"""

from collections.abc import Hashable, Mapping
from typing import TypeVar

SMALLEST_GROUP = 5  # learners

Key = TypeVar("Key", bound=Hashable)


def is_shown(learners: int) -> bool:
    """Return whether a figure about so many learners is shown. None at all is shown too: it tells nothing of anyone."""
    return learners == 0 or learners >= SMALLEST_GROUP


def blur(count: int) -> int:
    """Return a count as a multiple of ``SMALLEST_GROUP``, rounded down.

    For what is counted in any period and choice of courses: without it, two that differ by one day would show how few
    there were on that day.
    """
    return count - count % SMALLEST_GROUP


def hide_small(groups: Mapping[Key, int]) -> dict[Key, int | None]:
    """Return the sizes of groups that together make a shown whole; None for those that are hidden.

    If the hidden ones together are fewer than ``SMALLEST_GROUP``, their number follows from the whole. So the smallest
    of the others are hidden too, until it doesn't.
    """
    hidden = {key for key, size in groups.items() if not is_shown(size)}
    others = sorted((size, place, key) for place, (key, size) in enumerate(groups.items()) if is_shown(size) and size)
    while hidden and sum(groups[key] for key in hidden) < SMALLEST_GROUP and others:
        hidden.add(others.pop(0)[2])
    return {key: None if key in hidden else size for key, size in groups.items()}
