"""Whom a version affects when it goes live: numbers for its author and for the reviewer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from apps.courses.content_tree import Tree, TreeDifference, lessons_of
from apps.courses.models import Course, Lesson, Question
from studyplatform.kit.registry import Registry


@dataclass(frozen=True, kw_only=True)
class VersionChange:
    """What a version changes of a published course, by primary key.

    ``required``: the lessons that are there already and count for completing the course from then on.
    ``adds_required``: the version brings lessons that count, too. ``quizzes``: lessons whose quizzes change or go.
    """

    course: Course
    removed: frozenset[int]
    required: frozenset[int]
    quizzes: frozenset[int]
    changed_answers: frozenset[int]
    adds_required: bool


@dataclass(frozen=True)
class Effect:
    """How many people, attempts or topics something affects; ``label`` and ``text`` are for people."""

    name: str
    label: str
    text: str
    count: int


version_effects: Registry[Callable[[VersionChange], Iterable[Effect]]] = Registry("effects of a version")
"""Functions that count whom a version affects, in a bounded number of queries."""


def read_change(live: Course, difference: TreeDifference, following: Tree) -> VersionChange:
    """Return what the following tree changes of the published course. Two queries."""
    pks = {str(uid): pk for uid, pk in Lesson.with_removed.filter(course=live).values_list("uid", "pk")}
    answers = [one.uid for one in difference.questions if one.is_answer_changed]
    questions = Question.with_removed.filter(uid__in=answers).values_list("pk", flat=True) if answers else ()
    required = [lesson["uid"] for lesson in lessons_of(following) if not lesson["is_optional"]]
    bank = {one.uid for one in difference.bank}
    quizzes = {one.uid for one in difference.lessons if one.kind == Lesson.Kind.QUIZ and not one.is_added}
    quizzes |= {
        lesson["uid"]
        for lesson in lessons_of(following)
        if lesson["quiz"] is not None and lesson["quiz"]["draws"] and bank
    }
    return VersionChange(
        course=live,
        removed=frozenset(pks[uid] for uid in difference.removed_lessons if uid in pks),
        required=frozenset(pks[uid] for uid in required if uid in pks),
        quizzes=frozenset(pks[uid] for uid in quizzes if uid in pks),
        changed_answers=frozenset(questions),
        adds_required=any(uid not in pks for uid in required),
    )


def count_effects(change: VersionChange) -> list[Effect]:
    """Return whom a version affects, without what affects nobody."""
    return [effect for count in version_effects.ordered() for effect in count(change) if effect.count]
