"""How far a learner is in a learning path, and what comes next.

Only published courses count, so that a course that is archived or suspended never makes a path impossible to finish.
A course waits for its published prerequisites; this is advice, and enrolling in it anyway is possible.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.queries.cards import Card
from apps.courses.queries.path_places import paths_with
from apps.courses.queries.paths import InPath, Needed, PathPage
from apps.learning.queries.course_marks import CourseMarks, course_marks_of

COMPLETED, IN_PROGRESS, WAITING, OPEN, SOON, CLOSED = "completed", "in_progress", "waiting", "open", "soon", "closed"
NOBODY = CourseMarks()


@dataclass(frozen=True)
class Step:
    """A course of a path for one user. ``number`` counts the published courses from 1; the others have 0."""

    card: Card
    summary: str
    state: str
    number: int = 0
    percent: int = 0
    waits_for: tuple[Needed, ...] = ()

    @property
    def is_begun(self) -> bool:
        return self.state in {IN_PROGRESS, COMPLETED}


@dataclass(frozen=True)
class PathProgress:
    """``done`` of ``total`` published courses are complete; ``percent`` is the mean of their progress."""

    done: int
    total: int
    percent: int
    is_begun: bool

    @property
    def is_complete(self) -> bool:
        return 0 < self.total == self.done


@dataclass(frozen=True)
class PathForUser:
    """A path as one user sees it. ``next``: the course to begin or continue; None once all are complete."""

    page: PathPage
    steps: tuple[Step, ...]
    progress: PathProgress
    next: Step | None


def progress_in(courses: Iterable[int], marks: CourseMarks) -> PathProgress:
    """Return the progress in a path that consists of these published courses."""
    courses = list(courses)
    done = sum(pk in marks.completed for pk in courses)
    # A course to which lessons were added after its completion stays complete.
    percents = [100 if pk in marks.completed else marks.percents.get(pk, 0) for pk in courses]
    mean = sum(percents) // len(percents) if percents else 0
    return PathProgress(done, len(courses), mean, any(pk in marks.percents for pk in courses))


def path_for(user: AnyUser, page: PathPage, *, shows_all: bool = False) -> PathForUser:
    """Return the path for this user. Two queries, none for visitors.

    Courses that are neither published nor announced are shown to who is enrolled in them, and with ``shows_all``.
    """
    marks = course_marks_of(user) if isinstance(user, User) else NOBODY
    steps: list[Step] = []
    number = 0
    for one in page.courses:
        if not (one.is_published or one.is_coming or shows_all or one.card.pk in marks.percents):
            continue
        number += one.is_published
        steps.append(_step(one, marks, number if one.is_published else 0))
    progress = progress_in([one.card.pk for one in page.published], marks)
    return PathForUser(page, tuple(steps), progress, _next(steps))


def _step(one: InPath, marks: CourseMarks, number: int) -> Step:
    pk = one.card.pk
    percent = marks.percents.get(pk, 0)
    unmet = tuple(needed for needed in one.needs if needed.pk not in marks.completed)
    if pk in marks.completed:
        state, percent, unmet = COMPLETED, 100, ()
    elif not one.is_published and (pk in marks.percents or not one.is_coming):
        state, unmet = CLOSED, ()
    elif not one.is_published:
        state, unmet = SOON, ()
    elif pk in marks.percents:
        state, unmet = IN_PROGRESS, ()
    else:
        state = WAITING if unmet else OPEN
    return Step(one.card, one.summary, state, number, percent, unmet)


def _next(steps: list[Step]) -> Step | None:
    """The course to continue: of those in progress the furthest, else the first that can be begun.

    If all that are left wait, e.g. for each other, it is the first of them.
    """
    left = [one for one in steps if one.number and one.state != COMPLETED]
    in_progress = [one for one in left if one.state == IN_PROGRESS]
    if in_progress:
        return max(in_progress, key=lambda one: one.percent)
    return next((one for one in left if one.state != WAITING), left[0] if left else None)


class PathBegun(NamedTuple):
    """A path that a learner has begun."""

    slug: str
    title: str
    progress: PathProgress


def paths_of(marks: CourseMarks) -> list[PathBegun]:
    """Return the paths that the learner has begun, those to finish first. One query, none without courses."""
    if not marks.percents:
        return []
    found = [PathBegun(slug, title, progress_in(courses, marks)) for slug, title, courses in paths_with(marks.percents)]
    return sorted(found, key=lambda one: (one.progress.is_complete, -one.progress.percent))
