"""Sections and lessons: their order, numbers and counts.

Positions are 1, 2, 3 … without gaps, and unique by constraint. The constraints are immediate, so a new order is set
in two steps: all rows are first moved out of the way, and then to their positions.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Max, ProtectedError, QuerySet, Value, When
from django.utils.text import slugify
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import LessonInUse, OutlineFull, PrerequisitesInCircle
from apps.courses.events import LessonAdded, OutlineChanged
from apps.courses.models import Course, Lesson, Quiz, Section
from apps.courses.services.course_files import record_uses
from apps.courses.services.search import index_course
from studyplatform.kit.events import publish
from studyplatform.kit.names import tidy_name
from studyplatform.kit.policies import enforce

ASIDE = 10_000  # above every position in use
SECTION_LIMIT = 60
LESSON_LIMIT = 400
READING_SPEED = 200  # words per minute


def add_section(*, course: Course, by: User, title: str, now: datetime) -> Section:
    """Add a section at the end.

    :raises OutlineFull: the course has the maximum number of sections.
    """
    with transaction.atomic():
        course = _locked(course, by)
        if course.sections.count() >= SECTION_LIMIT:
            raise OutlineFull(limit=SECTION_LIMIT)
        last = course.sections.aggregate(last=Max("position"))["last"] or 0
        section = Section.objects.create(course=course, title=_title(title, _("Untitled section")), position=last + 1)
        refresh_outline(course, now=now)
    return section


def rename_section(*, section: Section, by: User, title: str, now: datetime) -> Section:
    with transaction.atomic():
        course = _locked(section.course, by)
        section.title = _title(title, section.title)
        section.save(update_fields=["title"])
        refresh_outline(course, now=now)
    return section


def move_section(*, section: Section, by: User, position: int, now: datetime) -> None:
    """Put the section at this position (1 is first; beyond the ends counts as the end)."""
    with transaction.atomic():
        course = _locked(section.course, by)
        order = list(course.sections.order_by("position").values_list("pk", flat=True))
        arrange(course.sections.all(), moved(order, section.pk, position))
        refresh_outline(course, now=now)


def delete_section(*, section: Section, by: User, now: datetime) -> None:
    """Delete a section with its lessons.

    :raises LessonInUse: learners have submitted a quiz of it.
    """
    with transaction.atomic():
        course = _locked(section.course, by)
        _delete(section)
        refresh_outline(course, now=now)


def add_lesson(*, section: Section, by: User, kind: str, title: str, now: datetime) -> Lesson:
    """Add an empty lesson at the end of the section.

    :raises OutlineFull: the course has the maximum number of lessons.
    """
    with transaction.atomic():
        course = _locked(section.course, by)
        if course.lessons.count() >= LESSON_LIMIT:
            raise OutlineFull(limit=LESSON_LIMIT)
        last = section.lessons.aggregate(last=Max("position"))["last"] or 0
        title = _title(title, _("Untitled lesson"))
        lesson = Lesson.objects.create(
            course=course,
            section=section,
            kind=Lesson.Kind(kind),
            title=title,
            slug=_free_slug(course, title),
            position=last + 1,
        )
        if lesson.kind == Lesson.Kind.QUIZ:
            Quiz.objects.create(lesson=lesson)
        refresh_outline(course, now=now)
        lesson.refresh_from_db(fields=["number"])
        publish(LessonAdded(course_id=course.pk, lesson_id=lesson.pk))
    return lesson


def edit_lesson(
    *,
    lesson: Lesson,
    by: User,
    title: str,
    summary: str,
    body: str,
    is_preview: bool,
    prerequisites: Iterable[Lesson] | None = None,
    now: datetime,
) -> Lesson:
    """Change a lesson's texts. Its slug stays, because links use it.

    ``prerequisites`` are the lessons of the same course that must be complete first; None leaves them as they are.

    :raises PrerequisitesInCircle: one of them requires this lesson.
    """
    with transaction.atomic():
        course = _locked(lesson.course, by)
        lesson.title = _title(title, lesson.title)
        lesson.summary = summary.strip()
        lesson.body = body.strip()
        lesson.is_preview = is_preview
        if lesson.kind == Lesson.Kind.TEXT:
            lesson.duration = reading_time(lesson.body)
        lesson.save(update_fields=["title", "summary", "body", "is_preview", "duration"])
        record_uses(course=course, by=by, lesson=lesson, now=now)
        if prerequisites is not None:
            _set_prerequisites(lesson, course, {one.pk for one in prerequisites})
        refresh_outline(course, now=now)
    return lesson


def dependents_of(course: Course, lesson: Lesson) -> set[int]:
    """Return the lessons that require this one, directly or indirectly, and the lesson itself.

    None of them can be its prerequisite.
    """
    waiting: dict[int, list[int]] = {}
    for waits, needed in _links(course):
        waiting.setdefault(needed, []).append(waits)
    found, look_at = {lesson.pk}, [lesson.pk]
    while look_at:
        for one in waiting.get(look_at.pop(), []):
            if one not in found:
                found.add(one)
                look_at.append(one)
    return found


def _set_prerequisites(lesson: Lesson, course: Course, wanted: set[int]) -> None:
    """Set the prerequisites. The course is locked, so that two requests cannot create a cycle together."""
    circle = wanted & dependents_of(course, lesson)
    if circle:
        raise PrerequisitesInCircle(lesson=course.lessons.get(pk=min(circle)).title)
    lesson.prerequisites.set(course.lessons.filter(pk__in=wanted))


def _links(course: Course) -> list[tuple[int, int]]:
    """Return pairs of primary keys: a lesson and one of its prerequisites."""
    links = course.lessons.exclude(prerequisites=None).values_list("pk", "prerequisites")
    return [(waits, needed) for waits, needed in links if needed is not None]


def move_lesson(*, lesson: Lesson, by: User, section: Section, position: int, now: datetime) -> None:
    """Put the lesson at this position of this section (of the same course)."""
    with transaction.atomic():
        course = _locked(lesson.course, by)
        section = course.sections.get(pk=section.pk)
        lesson.refresh_from_db()
        order = list(section.lessons.order_by("position").values_list("pk", flat=True))
        if lesson.section_id != section.pk:
            lesson.section = section
            lesson.position = ASIDE - 1
            lesson.save(update_fields=["section", "position"])
        arrange(section.lessons.all(), moved(order, lesson.pk, position))
        refresh_outline(course, now=now)


def delete_lesson(*, lesson: Lesson, by: User, now: datetime) -> None:
    """Delete a lesson with its file. Its video stays with its owner.

    :raises LessonInUse: learners have submitted its quiz.
    """
    with transaction.atomic():
        course = _locked(lesson.course, by)
        # Read again: a file attached in the meantime must be deleted too.
        current = course.lessons.filter(pk=lesson.pk).first()
        if current is not None:
            _delete(current)
        refresh_outline(course, now=now)


def require_order(*, course: Course, by: User, required: bool, now: datetime) -> Course:
    """Set whether a lesson opens only when those before it are complete."""
    with transaction.atomic():
        course = _locked(course, by)
        course.requires_order = required
        course.save(update_fields=["requires_order"])
        refresh_outline(course, now=now)
    return course


def refresh_outline(course: Course, *, now: datetime) -> None:
    """Close gaps in positions, renumber, recount, index and publish. Call it inside a transaction."""
    sections = list(course.sections.order_by("position").prefetch_related("lessons"))
    if [section.position for section in sections] != list(range(1, len(sections) + 1)):
        arrange(course.sections.all(), [section.pk for section in sections])
    renumbered: list[Lesson] = []
    total = count = 0
    for place, section in enumerate(sections, start=1):
        lessons = sorted(section.lessons.all(), key=lambda lesson: lesson.position)
        if [lesson.position for lesson in lessons] != list(range(1, len(lessons) + 1)):
            arrange(section.lessons.all(), [lesson.pk for lesson in lessons])
        for at, lesson in enumerate(lessons, start=1):
            total += lesson.duration
            count += 1
            if lesson.number != (number := f"{place}.{at}"):
                lesson.number = number
                renumbered.append(lesson)
    Lesson.objects.bulk_update(renumbered, ["number"], batch_size=200)
    course.lesson_count = count
    course.duration = total
    course.version += 1
    course.updated_at = now
    course.save(update_fields=["lesson_count", "duration", "version", "updated_at"])
    index_course(course_id=course.pk)
    publish(OutlineChanged(course_id=course.pk))


def reading_time(text: str) -> int:
    """Return the seconds that reading a text takes: at least 60, or 0 for an empty one."""
    words = len(text.split())
    return max(60, round(words / READING_SPEED * 60)) if words else 0


def _locked(course: Course, by: User) -> Course:
    """Lock the course until the transaction ends, so that simultaneous changes cannot mix their orders."""
    course = Course.objects.select_for_update().get(pk=course.pk)
    enforce(policies.edit_course(by, course))
    return course


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


def _delete(row: Section | Lesson) -> None:
    try:
        with transaction.atomic():
            row.delete()
    except ProtectedError:
        raise LessonInUse from None


def _title(text: str, fallback: str) -> str:
    return tidy_name(" ".join(text.split()))[:120] or fallback


def _free_slug(course: Course, title: str) -> str:
    base = slugify(title)[:75].strip("-") or "lesson"
    taken = set(course.lessons.filter(slug__startswith=base).values_list("slug", flat=True))
    if base not in taken:
        return base
    return next(slug for n in range(2, 10_000) if (slug := f"{base}-{n}") not in taken)
