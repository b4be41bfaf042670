"""What follows when a version of a course goes live, in the same transaction."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.courses.models import Course
from studyplatform.kit.registry import Registry


class Partway(StrEnum):
    """What a version means for learners who are partway through the course. Values of ``VersionDraft.transition``."""

    MOVE = "move"
    FINISH = "finish"
    CHOOSE = "choose"


@dataclass(frozen=True, kw_only=True)
class MergedVersion:
    """A version that went live. Lessons and questions are named by primary key.

    ``changed_answers``: questions to which another answer is right now. ``gives_points``: answers that are right by
    now earn their points. ``tells_passed``: learners who pass a quiz by that are notified.
    """

    course: Course
    number: int
    now: datetime
    added_lessons: Collection[int] = ()
    removed_lessons: Collection[int] = ()
    changed_answers: Collection[int] = ()
    partway: str = Partway.MOVE
    gives_points: bool = True
    tells_passed: bool = True


merge_steps: Registry[Callable[[MergedVersion], None]] = Registry("steps of a merge")
"""Functions that later apps run within the transaction of a merge: in a bounded number of queries, or by a job."""


def finish_merge(merged: MergedVersion) -> None:
    """Let the other apps follow a version that went live. Call it in the transaction of the merge."""
    for step in merge_steps.ordered():
        step(merged)
