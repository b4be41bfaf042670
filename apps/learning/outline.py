"""A course's lessons in order, and which of them a learner has completed or may open: no database here.

``queries.outline`` reads what these functions work on.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from django.utils import timezone

from apps.courses.models import Course, Lesson
from apps.courses.queries.openings import find_opening
from apps.learning.models import Enrollment

State = Literal["completed", "in_progress", "available", "locked"]

VIDEO_END = 5.0
"""Within this many seconds of its end a video counts as watched to the end: it restarts from the beginning."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A lesson as the outline shows it; ``duration`` in seconds."""

    pk: int
    uid: UUID
    slug: str
    number: str
    title: str
    kind: str
    duration: int
    is_preview: bool
    is_optional: bool = False
    """Whether it doesn't count for completing the course."""
    opens_at: datetime | None = None
    opens_after_days: int | None = None
    """Days after enrollment."""
    since_version: int = 1
    """The version of the course that brought it."""
    prerequisites: tuple[int, ...] = ()
    """The lessons to complete first, by primary key."""


Blocker = Entry | datetime
"""What keeps a lesson closed: a lesson to complete first, or the moment at which it opens."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section with its lessons."""

    number: int
    title: str
    entries: tuple[Entry, ...]

    @property
    def required(self) -> tuple[Entry, ...]:
        """The lessons that count for completing the course."""
        return tuple(entry for entry in self.entries if not entry.is_optional)


@dataclass(frozen=True)
class Outline:
    """All lessons of a course, in order. The same object serves every learner, so it must not be changed."""

    parts: tuple[Part, ...]
    entries: tuple[Entry, ...] = field(init=False)
    required_count: int = field(init=False)
    """How many lessons count for completing the course."""
    _indexes: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        entries = tuple(entry for part in self.parts for entry in part.entries)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "required_count", sum(not entry.is_optional for entry in entries))
        object.__setattr__(self, "_indexes", {entry.pk: index for index, entry in enumerate(entries)})

    def for_version(self, number: int | None) -> "Outline":
        """Return the outline for a learner who completes this version: what came later is optional. None: the newest.

        The lessons are the same in either case.
        """
        if number is None or all(entry.since_version <= number or entry.is_optional for entry in self.entries):
            return self
        return Outline(
            tuple(
                Part(
                    part.number,
                    part.title,
                    tuple(
                        entry if entry.since_version <= number else replace(entry, is_optional=True)
                        for entry in part.entries
                    ),
                )
                for part in self.parts
            )
        )

    def around(self, lesson_pk: int) -> tuple[Entry | None, Entry | None]:
        """Return the lessons before and after this one."""
        index = self._indexes.get(lesson_pk)
        if index is None:
            return None, None
        before = self.entries[index - 1] if index else None
        after = self.entries[index + 1] if index + 1 < len(self.entries) else None
        return before, after

    def entry(self, lesson_pk: int) -> Entry | None:
        """Return this lesson; None if the course doesn't contain it."""
        index = self._indexes.get(lesson_pk)
        return None if index is None else self.entries[index]

    def before(self, lesson_pk: int) -> tuple[Entry, ...]:
        """Return all lessons that come before this one."""
        return self.entries[: self._indexes.get(lesson_pk, 0)]

    def part_of(self, lesson_pk: int) -> Part | None:
        """Return the section that contains this lesson."""
        return next((part for part in self.parts if any(entry.pk == lesson_pk for entry in part.entries)), None)


class Progress(NamedTuple):
    """How far a learner is in one lesson; ``position`` in seconds."""

    position: float
    watched_seconds: int
    is_completed: bool


@dataclass(frozen=True)
class Standing:
    """A user's enrollment, progress and rights in one course. Without an enrollment there is no progress."""

    enrollment: Enrollment | None = None
    progress: dict[int, Progress] = field(default_factory=dict)
    """By the primary key of the lesson."""
    is_staff: bool = False
    best: dict[int, int] = field(default_factory=dict)
    """The percent of the best attempt at each quiz, by the primary key of its lesson."""
    now: datetime = field(default_factory=timezone.now)
    """The moment at which lessons are open or not."""

    def fit(self, outline: Outline) -> Outline:
        """Return the outline with the lessons optional that don't count for this learner."""
        return outline.for_version(self.enrollment.required_version) if self.enrollment is not None else outline

    def opening_of(self, entry: Entry) -> datetime | None:
        """Return when a lesson opens; None if it is open. Previews are, as is what was begun, and all to staff."""
        if entry.opens_at is None and entry.opens_after_days is None:
            return None
        if self.is_staff or entry.is_preview or self.has_begun(entry.pk):
            return None
        enrolled_at = self.enrollment.enrolled_at if self.enrollment else None
        return find_opening(entry.opens_at, entry.opens_after_days, enrolled_at, self.now)

    def has_begun(self, lesson_pk: int) -> bool:
        """Return whether the learner opened the lesson while it was open: it stays open to them, whatever changes."""
        return lesson_pk in self.progress

    def has_completed(self, lesson_pk: int) -> bool:
        """Return whether the lesson is complete."""
        progress = self.progress.get(lesson_pk)
        return progress is not None and progress.is_completed


class Placed(NamedTuple):
    """A lesson with its state for one user.

    ``blocker`` is the lesson to complete first, ``left`` the seconds of a started lesson that remain, ``opens_at``
    when it opens by its date.
    """

    entry: Entry
    state: State
    blocker: Entry | None = None
    needs_enrollment: bool = False
    left: int = 0
    opens_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether the user can open the lesson."""
        return self.state != "locked"


def resume_position(position: float, duration: float) -> float:
    """Return the second at which to resume a video that was left at ``position``: 0 if that is its end."""
    return 0.0 if position >= duration - VIDEO_END else position


def place_all(course: Course, outline: Outline, standing: Standing) -> list[Placed]:
    """Return every lesson with its state, in order. What a learner has begun is open, as ``blocker_of`` says."""
    placed: list[Placed] = []
    outline = standing.fit(outline)
    blocker: Entry | None = None
    in_order = course.requires_order and not standing.is_staff
    needs_enrollment = standing.enrollment is None and not standing.is_staff
    for entry in outline.entries:
        progress = standing.progress.get(entry.pk)
        if progress is not None and progress.is_completed:
            placed.append(Placed(entry, "completed"))
            continue
        if needs_enrollment and not entry.is_preview:
            placed.append(Placed(entry, "locked", needs_enrollment=True))
        elif progress is not None:
            is_under_way = entry.kind == Lesson.Kind.QUIZ or progress.position or progress.watched_seconds
            left = _seconds_left(entry, progress) if is_under_way else 0
            placed.append(Placed(entry, "in_progress" if is_under_way else "available", left=left))
        elif (opens_at := standing.opening_of(entry)) is not None:
            placed.append(Placed(entry, "locked", opens_at=opens_at))
        elif in_order and blocker is not None and not entry.is_preview:
            placed.append(Placed(entry, "locked", blocker))
        elif entry.prerequisites and (unmet := _unmet_prerequisite(course, outline, standing, entry)) is not None:
            placed.append(Placed(entry, "locked", unmet))
        else:
            placed.append(Placed(entry, "available"))
        if blocker is None and not entry.is_optional:
            blocker = entry
    return placed


def blocker_of(course: Course, outline: Outline, standing: Standing, lesson_pk: int) -> Blocker | None:
    """Return what keeps a lesson closed: the moment at which it opens, or the first lesson to complete before.

    That is by the course's order or by the lesson's prerequisites. Nothing keeps a lesson closed that the learner has
    begun: its progress is saved without asking again, so an order, a prerequisite or a date set later is for those who
    have not begun.
    """
    if standing.is_staff or standing.has_begun(lesson_pk):
        return None
    outline = standing.fit(outline)
    here = outline.entry(lesson_pk)
    if here is not None and (opens_at := standing.opening_of(here)) is not None:
        return opens_at
    if course.requires_order:
        required = (entry for entry in outline.before(lesson_pk) if not entry.is_optional)
        unmet = next((entry for entry in required if not standing.has_completed(entry.pk)), None)
        if unmet is not None:
            return unmet
    return None if here is None else _unmet_prerequisite(course, outline, standing, here)


def resume_entry(
    course: Course, outline: Outline, standing: Standing, placed: list[Placed] | None = None
) -> Entry | None:
    """Return the lesson that "Resume" opens; None for a course without lessons.

    It is the last opened lesson if that is not complete, otherwise the first open one after it, otherwise the first.
    """
    if not outline.entries:
        return None
    placed = place_all(course, outline, standing) if placed is None else placed
    last = standing.enrollment.last_lesson_id if standing.enrollment else None
    start = next((i for i, one in enumerate(placed) if one.entry.pk == last), 0)
    for one in placed[start:] + placed[:start]:
        if one.state in {"in_progress", "available"}:
            return one.entry
    return outline.entries[0]


def _seconds_left(entry: Entry, progress: Progress) -> int:
    return max(0, entry.duration - int(resume_position(progress.position, entry.duration)))


def _unmet_prerequisite(course: Course, outline: Outline, standing: Standing, entry: Entry) -> Entry | None:
    """Return the first prerequisite that is not complete: also an optional lesson, whose author says so here.

    Where the course has an order, only earlier lessons count: a later one could never be completed first.
    """
    if standing.is_staff or entry.is_preview or not entry.prerequisites:
        return None
    missing = {pk for pk in entry.prerequisites if not standing.has_completed(pk)}
    candidates = outline.before(entry.pk) if course.requires_order else outline.entries
    return next((one for one in candidates if one.pk in missing), None)
