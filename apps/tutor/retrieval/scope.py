"""Which passages a user may read at this moment."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson
from apps.learning.queries.openable import openable_by, openable_lessons, quizzes_explained_to
from apps.tutor.queries.switches import turned_off
from apps.tutor.retrieval import index


@dataclass(frozen=True)
class Scope:
    """The passages that a user may read at this moment."""

    lessons: frozenset[int]
    explained: frozenset[int]
    """The lessons of quizzes whose explanations may be read."""

    def mask(self, known: index.Index) -> NDArray[np.bool_]:
        """Return for all rows of the index whether the user may read them and they may answer a question."""
        opened = np.isin(known.lessons, np.fromiter(self.lessons, np.int64, len(self.lessons)))
        explained = np.isin(known.lessons, np.fromiter(self.explained, np.int64, len(self.explained)))
        allowed: NDArray[np.bool_] = opened & (~known.is_explanation | explained) & ~known.is_announcement
        return allowed


class About(NamedTuple):
    """Who asks, and about what: a lesson, a course, or everything."""

    user: AnyUser
    course: Course | None = None
    lesson: Lesson | None = None


def scope_of(user: AnyUser, *, course: Course | None = None, lesson: Lesson | None = None) -> Scope:
    """Return what the user may read in the lesson, in the course or everywhere, of courses with a tutor.

    At most ten queries.
    """
    return scopes_of([About(user, course, lesson)])[0]


def scopes_of(asked: Sequence[About]) -> list[Scope]:
    """Return what the users may read of what they ask about. Questions about the same course share their queries."""
    users = {one.user.pk: one.user for one in asked if isinstance(one.user, User)}
    explained = quizzes_explained_to(users.values()) if users else {}
    courses = {one.pk: one for one in map(_course_of, asked) if one is not None}
    members: defaultdict[int | None, list[User]] = defaultdict(list)
    for one in asked:
        if isinstance(one.user, User):
            members[getattr(_course_of(one), "pk", None)].append(one.user)
    opened = {pk: openable_by(people, courses.get(pk or 0)) for pk, people in members.items()}
    off = turned_off()
    hidden = frozenset(Lesson.objects.filter(course__in=off).values_list("pk", flat=True)) if off else frozenset()
    scopes = []
    for one in asked:
        course = _course_of(one)
        if isinstance(one.user, User):
            lessons = opened[None if course is None else course.pk][one.user.pk] - hidden
        else:
            lessons = openable_lessons(one.user, course) - hidden
        if one.lesson is not None:
            lessons &= {one.lesson.pk}
        scopes.append(Scope(lessons, explained.get(getattr(one.user, "pk", None) or 0, frozenset()) & lessons))
    return scopes


def _course_of(one: About) -> Course | None:
    return one.course if one.lesson is None else one.lesson.course
