"""Sections and lessons: added and changed. ``moving`` puts them in another order and removes them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.errors import LectureUnavailable, LessonOpensTwice, OutlineMoved, PrerequisitesInCircle
from apps.courses.events import LessonAdded
from apps.courses.models import Course, Lesson, OutlineChange, Quiz, Section
from apps.courses.services.course_files import record_uses
from apps.courses.services.outline_changes import SETTINGS, Kind, recording
from apps.courses.services.outline_rows import (
    apply_arrangement,
    check_room,
    find_free_slug,
    lock_course,
    read_arrangement,
    refresh_outline,
    slugs_in_use,
)
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.names import tidy_name
from studyplatform.kit.text.blank import written

READING_SPEED = 200  # words per minute


def add_section(*, course: Course, by: User, title: str, position: int | None = None, now: datetime) -> Section:
    """Add a section at a position, by default at the end, and record it.

    :raises OutlineFull: the course has the maximum number of sections.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        with recording(course, made_by=by, kind=Kind.ADD, now=now):
            section = create_section(course, title)
            if position is not None:
                apply_arrangement(course, read_arrangement(course).with_sections([section.pk], position))
        refresh_outline(course, now=now)
        section.refresh_from_db(fields=["position"])
    return section


def create_section(course: Course, title: str) -> Section:
    """Create a section at the end of a locked course.

    :raises OutlineFull: the course has the maximum number of sections.
    """
    check_room(course, sections=1)
    last = course.sections.aggregate(last=Max("position"))["last"] or 0
    return Section.objects.create(course=course, title=_title(title, _("Untitled section")), position=last + 1)


def rename_section(*, section: Section, by: User, title: str, was: str | None = None, now: datetime) -> Section:
    """Change the title of a section. ``was`` is the title that the author saw; None overwrites any.

    :raises OutlineMoved: it has another title by now.
    """
    with transaction.atomic():
        course = lock_course(section.course, by)
        section = course.sections.select_for_update().get(pk=section.pk)
        title = _title(title, section.title)
        if was is not None and section.title not in {was, title}:
            raise OutlineMoved
        with recording(course, made_by=by, kind=Kind.RENAME, now=now):
            section.title = title
            section.save(update_fields=["title"])
        refresh_outline(course, now=now)
    return section


def add_lesson(
    *,
    section: Section,
    by: User,
    kind: str,
    title: str,
    body: str = "",
    position: int | None = None,
    batch: UUID | None = None,
    now: datetime,
) -> Lesson:
    """Add a lesson, with its text or empty, at a position of the section, by default at its end, and record it.

    The lessons that one action adds have the same ``batch``: they are undone together.

    :raises OutlineFull: the course has the maximum number of lessons.
    :raises NotFound: the section was deleted.
    """
    with transaction.atomic():
        course = lock_course(section.course, by)
        if not course.sections.filter(pk=section.pk).exists():
            raise NotFound
        check_room(course, lessons=1)
        last = section.lessons.aggregate(last=Max("position"))["last"] or 0
        title, body = _title(title, _("Untitled lesson")), written(body)
        with recording(course, made_by=by, kind=Kind.ADD, batch=batch, now=now):
            lesson = Lesson.objects.create(
                course=course,
                section=section,
                kind=Lesson.Kind(kind),
                title=title,
                body=body,
                duration=reading_time(body) if kind == Lesson.Kind.TEXT else 0,
                slug=free_slug(course, title),
                position=last + 1,
            )
            if lesson.kind == Lesson.Kind.QUIZ:
                Quiz.objects.create(lesson=lesson)
            if position is not None:
                apply_arrangement(course, read_arrangement(course).with_lessons([lesson.pk], section.pk, position))
        if body:
            record_uses(course=course, by=by, lesson=lesson, now=now)
        refresh_outline(course, now=now)
        lesson.refresh_from_db(fields=["number", "position"])
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
    settings: Mapping[str, Any] | None = None,
    prerequisites: Iterable[Lesson] | None = None,
    now: datetime,
) -> Lesson:
    """Change a lesson's texts. Its slug stays, because links use it.

    ``settings`` are values of `SETTINGS`; what is left out stays. ``prerequisites`` are the lessons of the same course
    that must be complete first; None leaves them as they are.

    :raises PrerequisitesInCircle: one of them requires this lesson.
    """
    with transaction.atomic():
        course = lock_course(lesson.course, by)
        recorded = {"title": _title(title, lesson.title), "is_preview": is_preview, **(settings or {})}
        _set_recorded(course, {lesson.pk: recorded}, by=by, now=now)
        for name, value in recorded.items():
            setattr(lesson, name, value)
        lesson.summary = summary.strip()
        lesson.body = written(body)
        if lesson.kind == Lesson.Kind.TEXT:
            lesson.duration = reading_time(lesson.body)
        lesson.save(update_fields=["summary", "body", "duration"])
        record_uses(course=course, by=by, lesson=lesson, now=now)
        if prerequisites is not None:
            _set_prerequisites(lesson, course, {one.pk for one in prerequisites})
        refresh_outline(course, now=now)
    return lesson


def change_settings(
    *, course: Course, by: User, values: Mapping[int, Mapping[str, Any]], now: datetime
) -> OutlineChange | None:
    """Set titles and `SETTINGS` of lessons, by primary key, and record it. Where nothing changes, nothing is written.

    :raises LessonOpensTwice: a lesson would open on a day and after some days.
    :raises LectureUnavailable: a lesson is not in the course.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        change = _set_recorded(course, values, by=by, now=now)
        if change is not None:
            refresh_outline(course, now=now)
    return change


def _set_recorded(
    course: Course, values: Mapping[int, Mapping[str, Any]], *, by: User, now: datetime
) -> OutlineChange | None:
    lessons = _lessons_of(course, values)
    changed = {
        lesson: {name: value for name, value in values[lesson.pk].items() if getattr(lesson, name) != value}
        for lesson in lessons
    }
    changed = {lesson: new for lesson, new in changed.items() if new}
    if not changed:
        return None
    only_titles = all(new.keys() == {"title"} for new in changed.values())
    with recording(course, made_by=by, kind=Kind.RENAME if only_titles else Kind.SETTINGS, now=now) as recorded:
        for lesson, new in changed.items():
            for name, value in new.items():
                setattr(lesson, name, value)
            if lesson.opens_at is not None and lesson.opens_after_days is not None:
                raise LessonOpensTwice
        Lesson.objects.bulk_update(changed, ["title", *SETTINGS], batch_size=200)
    return recorded.change


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
        raise PrerequisitesInCircle(lesson=Lesson.with_removed.get(pk=min(circle)).title)
    lesson.prerequisites.set(course.lessons.filter(pk__in=wanted))


def _links(course: Course) -> list[tuple[int, int]]:
    """Return pairs of primary keys: a lesson and one of its prerequisites."""
    # Removed lessons too: brought back, they must not close a circle.
    through = Lesson.prerequisites.through.objects.filter(from_lesson__course=course)
    return list(through.values_list("from_lesson", "to_lesson"))


def _lessons_of(course: Course, pks: Iterable[int]) -> list[Lesson]:
    """
    :raises LectureUnavailable: one is not in the course.
    """
    wanted = set(pks)
    found = list(course.lessons.filter(pk__in=wanted))
    if len(found) != len(wanted):
        raise LectureUnavailable
    return found


def require_order(*, course: Course, by: User, required: bool, now: datetime) -> Course:
    """Set whether a lesson opens only when those before it are complete."""
    with transaction.atomic():
        course = lock_course(course, by)
        course.requires_order = required
        course.save(update_fields=["requires_order"])
        refresh_outline(course, now=now)
    return course


def reading_time(text: str) -> int:
    """Return the seconds that reading a text takes: at least 60, or 0 for an empty one."""
    words = len(text.split())
    return max(60, round(words / READING_SPEED * 60)) if words else 0


def _title(text: str, fallback: str) -> str:
    return tidy_name(" ".join(text.split()))[:120] or fallback


def free_slug(course: Course, title: str) -> str:
    """Return an address for a lesson with this title that no other lesson of the course has."""
    return find_free_slug(slugs_in_use(course), slugify(title))
