"""A course's lessons in order, and where one person stands among them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Aggregate, BigIntegerField, Exists, JSONField, OuterRef, Q, Subquery
from django.db.models.functions import JSONArray

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.courses.policies import is_staff_of
from apps.learning.models import Attempt, Bookmark, Enrollment, LessonProgress
from studyplatform.kit.caching.lru import Kept
from studyplatform.kit.db.prepared_queries import Built, Slot

State = Literal["completed", "in_progress", "available", "locked"]
Person = User | AnonymousUser


@dataclass(frozen=True, slots=True)
class Entry:
    """A lesson as the outline knows it."""

    pk: int
    uid: UUID
    slug: str
    number: str
    title: str
    kind: str
    duration: int
    is_preview: bool
    needs: tuple[int, ...] = ()
    """The lessons that must be complete first, by primary key."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section with its lessons."""

    number: int
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Outline:
    """All lessons of a course, in order. The same object serves every learner."""

    parts: tuple[Part, ...]
    entries: tuple[Entry, ...] = field(init=False)
    _places: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        entries = tuple(entry for part in self.parts for entry in part.entries)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "_places", {entry.pk: place for place, entry in enumerate(entries)})

    def around(self, lesson_pk: int) -> tuple[Entry | None, Entry | None]:
        """The lessons before and after this one."""
        place = self._places.get(lesson_pk)
        if place is None:
            return None, None
        before = self.entries[place - 1] if place else None
        after = self.entries[place + 1] if place + 1 < len(self.entries) else None
        return before, after

    def entry(self, lesson_pk: int) -> Entry | None:
        """This lesson; None if the course does not have it."""
        place = self._places.get(lesson_pk)
        return None if place is None else self.entries[place]

    def before(self, lesson_pk: int) -> tuple[Entry, ...]:
        """All lessons that stand before this one."""
        return self.entries[: self._places.get(lesson_pk, 0)]

    def part_of(self, lesson_pk: int) -> Part | None:
        return next((part for part in self.parts if any(entry.pk == lesson_pk for entry in part.entries)), None)


# Keyed by the course's version, which rises with every change of its outline: an entry is never stale,
# it is only no longer asked for.
_outlines: Kept[Outline] = Kept(200)


def outline_of(course: Course) -> Outline:
    """The course's outline; two queries, or none when this process has seen this version."""
    return outlines_of([course])[course.pk]


def outlines_of(courses: Iterable[Course]) -> dict[int, Outline]:
    """The outlines of several courses by primary key. Two queries for all that this process has not seen."""
    found: dict[int, Outline] = {}
    unknown: list[Course] = []
    for course in courses:
        known = _outlines.get((course.uid, course.version))
        if known is not None:
            found[course.pk] = known
        else:
            unknown.append(course)
    if unknown:
        read = _read_outlines([course.pk for course in unknown])
        for course in unknown:
            found[course.pk] = _outlines.put((course.uid, course.version), read.get(course.pk, Outline(())))
    return found


def _read_outlines(course_pks: list[int]) -> dict[int, Outline]:
    rows = (
        Lesson.objects.filter(course_id__in=course_pks)
        .order_by("section__position", "position")
        .values_list(
            "course_id",
            "section_id",
            "section__title",
            *("pk", "uid", "slug", "number", "title", "kind", "duration", "is_preview"),
        )
    )
    needs: dict[int, tuple[int, ...]] = {}
    links = Lesson.prerequisites.through.objects.filter(from_lesson__course_id__in=course_pks)
    for lesson_id, needed_id in links.order_by("pk").values_list("from_lesson", "to_lesson"):
        needs[lesson_id] = (*needs.get(lesson_id, ()), needed_id)
    courses: dict[int, dict[int, tuple[str, list[Entry]]]] = {}
    for course_id, section_id, section_title, *facts in rows:
        sections = courses.setdefault(course_id, {})
        facts.append(needs.get(facts[0], ()))
        sections.setdefault(section_id, (section_title, []))[1].append(Entry(*facts))
    return {
        course_id: Outline(
            tuple(
                Part(number, title, tuple(entries))
                for number, (title, entries) in enumerate(sections.values(), start=1)
            )
        )
        for course_id, sections in courses.items()
    }


# Within this many seconds from the end a video counts as seen to its end: it starts over.
ENDED = 5.0


def resume_place(position: float, duration: float) -> float:
    """The second at which a video goes on for someone who left it at ``position``; the start if that is its end."""
    return 0.0 if position >= duration - ENDED else position


class Mark(NamedTuple):
    """How far one person is in one lesson."""

    position: float
    watched_seconds: int
    is_completed: bool


@dataclass(frozen=True)
class Standing:
    """Where one person stands in one course. Without a seat there are no marks."""

    enrollment: Enrollment | None = None
    marks: dict[int, Mark] = field(default_factory=dict)
    is_staff: bool = False
    best: dict[int, int] = field(default_factory=dict)
    """The percent of the best try at each quiz, by its lesson."""

    def has_completed(self, lesson_pk: int) -> bool:
        mark = self.marks.get(lesson_pk)
        return mark is not None and mark.is_completed

    @property
    def completed_count(self) -> int:
        return sum(mark.is_completed for mark in self.marks.values())


class _AsArray(Aggregate):
    """The rows of a group as one JSON array."""

    function = "JSON_GROUP_ARRAY"
    output_field = JSONField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="JSONB_AGG", **context)


_MARKS = Subquery(
    LessonProgress.objects.filter(enrollment=OuterRef("pk"))
    .values("enrollment")
    .annotate(rows=_AsArray(JSONArray("lesson_id", "position", "watched_seconds", Q(completed_at__isnull=False))))
    .values("rows")
)
_TRIES = Subquery(
    Attempt.objects.filter(enrollment=OuterRef("pk"), submitted_at__isnull=False)
    .values("enrollment")
    .annotate(rows=_AsArray(JSONArray("quiz__lesson_id", "percent")))
    .values("rows")
)
_RIBBON = Bookmark.objects.filter(user_id=OuterRef("user_id"), course_id=OuterRef("course_id"))
_SEAT = Built(
    lambda: (
        Enrollment.objects.active()
        .filter(user_id=Slot("user", BigIntegerField()), course_id=Slot("course", BigIntegerField()))
        .annotate(is_bookmarked=Exists(_RIBBON), marks=_MARKS, tries=_TRIES)
        .select_related("certificate")
    )
)


def standing_of(person: Person, course: Course) -> Standing:
    """Where the person stands in the course. One query, none for visitors.

    The seat carries ``is_bookmarked``.
    """
    staff = is_staff_of(person, course)
    if not isinstance(person, User):
        return Standing(is_staff=staff)
    seat = _SEAT.first(user=person.pk, course=course.pk)
    if seat is None:
        return Standing(is_staff=staff)
    rows: list[tuple[int, float, int, bool]] = getattr(seat, "marks", None) or []
    marks = {pk: Mark(position, watched, bool(is_completed)) for pk, position, watched, is_completed in rows}
    tries: list[tuple[int, int]] = getattr(seat, "tries", None) or []
    best: dict[int, int] = {}
    for lesson, percent in tries:
        best[lesson] = max(percent, best.get(lesson, 0))
    return Standing(seat, marks, staff, best)


class Placed(NamedTuple):
    """A lesson with its state for one person; ``blocker`` is the lesson that must be completed first."""

    entry: Entry
    state: State
    blocker: Entry | None = None
    needs_seat: bool = False
    left: int = 0

    @property
    def is_open(self) -> bool:
        return self.state != "locked"


def place_all(course: Course, outline: Outline, standing: Standing) -> list[Placed]:
    """Every lesson with its state, in order. Reads nothing."""
    placed: list[Placed] = []
    blocker: Entry | None = None
    in_order = course.requires_order and not standing.is_staff
    needs_seat = standing.enrollment is None and not standing.is_staff
    marks = standing.marks
    for entry in outline.entries:
        mark = marks.get(entry.pk)
        if mark is not None and mark.is_completed:
            placed.append(Placed(entry, "completed"))
            continue
        if needs_seat and not entry.is_preview:
            placed.append(Placed(entry, "locked", needs_seat=True))
        elif in_order and blocker is not None and not entry.is_preview:
            placed.append(Placed(entry, "locked", blocker))
        elif entry.needs and (needed := _unmet(course, outline, standing, entry)) is not None:
            placed.append(Placed(entry, "locked", needed))
        elif mark is not None and (entry.kind == Lesson.Kind.QUIZ or mark.position or mark.watched_seconds):
            placed.append(Placed(entry, "in_progress", left=_left(entry, mark)))
        else:
            placed.append(Placed(entry, "available"))
        if blocker is None:
            blocker = entry
    return placed


def _left(entry: Entry, mark: Mark) -> int:
    """The seconds from where the lesson goes on to its end."""
    return max(0, entry.duration - int(resume_place(mark.position, entry.duration)))


def blocker_of(course: Course, outline: Outline, standing: Standing, lesson_pk: int) -> Entry | None:
    """The first lesson that must be completed before this one opens: by the course's order, or as it names them."""
    if standing.is_staff or standing.has_completed(lesson_pk):
        return None
    if course.requires_order:
        return next((entry for entry in outline.before(lesson_pk) if not standing.has_completed(entry.pk)), None)
    entry = outline.entry(lesson_pk)
    return None if entry is None else _unmet(course, outline, standing, entry)


def _unmet(course: Course, outline: Outline, standing: Standing, entry: Entry) -> Entry | None:
    """The first prerequisite that is not complete.

    In a course with an order there is none: its order opens all before it, and what comes later cannot come first.
    """
    if course.requires_order or standing.is_staff or entry.is_preview or not entry.needs:
        return None
    missing = {pk for pk in entry.needs if not standing.has_completed(pk)}
    return next((one for one in outline.entries if one.pk in missing), None)


def resume_entry(
    course: Course, outline: Outline, standing: Standing, placed: list[Placed] | None = None
) -> Entry | None:
    """Where "Resume" leads: the last lesson if it is not complete, else the first open one after it, else the first."""
    if not outline.entries:
        return None
    placed = place_all(course, outline, standing) if placed is None else placed
    last = standing.enrollment.last_lesson_id if standing.enrollment else None
    start = next((i for i, one in enumerate(placed) if one.entry.pk == last), 0)
    for one in placed[start:] + placed[:start]:
        if one.state in {"in_progress", "available"}:
            return one.entry
    return outline.entries[0]
