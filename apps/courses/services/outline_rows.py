"""The rows of an outline: locked, put in order, numbered and counted.

Positions are 1, 2, 3 … without gaps, and unique by constraint. The constraints are immediate, so a new order is set
in two steps: the rows are first moved out of the way, and then to their positions.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, QuerySet, Value, When

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.arrangement import Arrangement
from apps.courses.errors import OutlineFull
from apps.courses.events import OutlineChanged
from apps.courses.models import Course, Lesson, Section
from apps.courses.services.locking import lock_course_row
from apps.courses.services.search import index_course
from studyplatform.kit import sockets
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

ASIDE = 10_000  # above every position in use
SECTION_LIMIT = 60
LESSON_LIMIT = 400


def lock_course(course: Course, by: User) -> Course:
    """Lock the course until the transaction ends, so that simultaneous changes cannot mix their orders.

    :raises CourseUnderReview: the course is under review.
    """
    course = lock_course_row(course.pk)
    enforce(policies.edit_course(by, course))
    return course


def check_room(course: Course, *, sections: int = 0, lessons: int = 0) -> None:
    """
    :raises OutlineFull: with so many more, the course would have too many.
    """
    if sections and course.sections.count() + sections > SECTION_LIMIT:
        raise OutlineFull(limit=SECTION_LIMIT)
    if lessons and course.lessons.count() + lessons > LESSON_LIMIT:
        raise OutlineFull(limit=LESSON_LIMIT)


def read_arrangement(course: Course) -> Arrangement:
    """Return the present order of the course. Two queries."""
    inside: dict[int, list[int]] = {pk: [] for pk in course.sections.order_by("position").values_list("pk", flat=True)}
    for pk, section in course.lessons.order_by("position").values_list("pk", "section"):
        inside[section].append(pk)
    return Arrangement.of(inside.items())


def apply_arrangement(course: Course, target: Arrangement) -> None:
    """Put the live sections and lessons of the course in this order; at most eight queries."""
    places = {pk: place for place, pk in enumerate(target.section_pks, start=1)}
    sections = [one for one in course.sections.all() if one.position != places[one.pk]]
    for section in sections:
        section.position = places[section.pk]
    _set_aside(course.sections.all(), [one.pk for one in sections])
    Section.objects.bulk_update(sections, ["position"], batch_size=200)
    wanted = {pk: (section, at) for section, lessons in target.sections for at, pk in enumerate(lessons, start=1)}
    rows = course.lessons.only("course", "section", "position")
    lessons = [one for one in rows if (one.section_id, one.position) != wanted[one.pk]]
    for lesson in lessons:
        lesson.section_id, lesson.position = wanted[lesson.pk]
    _set_aside(course.lessons.all(), [one.pk for one in lessons])
    Lesson.objects.bulk_update(lessons, ["section", "position"], batch_size=200)


def _set_aside(rows: QuerySet[Any], pks: Collection[int]) -> None:
    if pks:
        rows.filter(pk__in=pks).update(position=F("position") + ASIDE)


def moved(order: Sequence[int], key: int, position: int) -> list[int]:
    """Return the order with this key moved to a position (1 is first)."""
    rest = [other for other in order if other != key]
    at = min(max(position, 1), len(rest) + 1) - 1
    return [*rest[:at], key, *rest[at:]]


def arrange(rows: QuerySet[Any], order: Sequence[int]) -> None:
    """Set the rows' positions to 1, 2, 3 … in this order."""
    rows.update(position=F("position") + ASIDE)
    places = [When(pk=key, then=Value(place)) for place, key in enumerate(order, start=1)]
    if places:
        rows.filter(pk__in=order).update(position=Case(*places))


def find_free_slug(taken: Collection[str], wanted: str) -> str:
    """Return the address of a lesson that none of the others has."""
    base = wanted[:75].strip("-") or "lesson"
    if base not in taken:
        return base
    return next(slug for n in range(2, 10_000) if (slug := f"{base}-{n}") not in taken)


def slugs_in_use(course: Course) -> set[str]:
    """Return the addresses that no new lesson of the course gets. One query.

    Of a working copy also those of the published course, removed lessons too: learners find their work there.
    """
    own = course.lessons.values_list("slug")
    published = Lesson.with_removed.filter(course=course.next_version_of_id).values_list("slug")
    return {slug for (slug,) in (own if course.next_version_of_id is None else own.union(published))}


def refresh_outline(course: Course, *, now: datetime) -> None:
    """Close gaps in positions, renumber, recount, index and publish. Call it inside a transaction."""
    sections = list(course.sections.order_by("position").prefetch_related("lessons"))
    if not _is_dense(sections):
        arrange(course.sections.all(), [section.pk for section in sections])
    renumbered: list[Lesson] = []
    total = count = required = 0
    for place, section in enumerate(sections, start=1):
        lessons = sorted(section.lessons.all(), key=lambda lesson: lesson.position)
        if not _is_dense(lessons):
            arrange(section.lessons.all(), [lesson.pk for lesson in lessons])
        for at, lesson in enumerate(lessons, start=1):
            total += lesson.duration
            count += 1
            required += not lesson.is_optional
            if lesson.number != (number := f"{place}.{at}"):
                lesson.number = number
                renumbered.append(lesson)
    Lesson.objects.bulk_update(renumbered, ["number"], batch_size=200)
    course.lesson_count = count
    course.required_count = required
    course.duration = total
    course.version += 1
    course.updated_at = now
    course.save(update_fields=["lesson_count", "required_count", "duration", "version", "updated_at"])
    index_course(course_id=course.pk)
    publish(OutlineChanged(course_id=course.pk))
    sockets.publish(topic_of(course.uid), {"type": "outline"})


def refresh_captions(course: Course, video_id: int, *, now: datetime) -> None:
    """Refresh the course, which is locked, in which the captions of a video changed, and tell others that show it."""
    refresh_outline(course, now=now)
    announce_captions(video_id, told=course.pk)


def announce_captions(video_id: int, *, told: int = 0) -> None:
    """Let every course that shows a video be indexed again, as its captions changed for all of them.

    None of their rows changes, so they aren't locked: they could be in any order with those that are locked already.
    """
    shown = Course.objects.filter(lessons__video=video_id, lessons__removed_at=None).exclude(pk=told)
    for pk in shown.order_by("pk").values_list("pk", flat=True).distinct():
        publish(OutlineChanged(course_id=pk))


def topic_of(course: UUID) -> str:
    """The topic of the sockets of those who edit a course."""
    return f"studio.{course}"


def _is_dense(rows: Iterable[Section | Lesson]) -> bool:
    positions = [row.position for row in rows]
    return positions == list(range(1, len(positions) + 1))
