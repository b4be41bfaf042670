"""Lessons and sections of one course copied or moved to another one."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.arrangement import Arrangement
from apps.courses.errors import DraftClosed
from apps.courses.events import LessonAdded
from apps.courses.models import Course, Lesson, OutlineChange, Section
from apps.courses.services.copying import Copies, copy_lessons, copy_sections
from apps.courses.services.moving import remove_items
from apps.courses.services.outline import create_section
from apps.courses.services.outline_changes import Kind, recording
from apps.courses.services.outline_rows import apply_arrangement, check_room, read_arrangement, refresh_outline
from apps.courses.services.quiz_counts import recount_draws
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

Row = TypeVar("Row", Section, Lesson)


def _reload(model: type[Row], rows: Sequence[Row]) -> list[Row]:
    """
    :raises NotFound: one of them was removed.
    """
    live = model.objects.in_bulk([row.pk for row in rows])
    if len(live) != len({row.pk for row in rows}):
        raise NotFound
    return [live[row.pk] for row in rows]


def insert_lessons(
    *,
    course: Course,
    by: User,
    lessons: Sequence[Lesson] = (),
    section: Section | None = None,
    section_title: str = "",
    sections: Sequence[Section] = (),
    position: int,
    is_move: bool = False,
    now: datetime,
) -> tuple[OutlineChange | None, Copies]:
    """Copy lessons to a position of a section, or sections to a position of the course, from courses of its instructor.

    Without a section, the lessons go to a new one with this title, at the end of the course.

    With ``is_move`` the originals are removed from their courses. What learners did stays with the originals: it
    belongs to the enrollment in their course, and returns there when the removal is undone.

    :raises OutlineFull: the course would have too many sections or lessons.
    :raises NotFound: something is in a course of another instructor, or was removed.
    """
    with transaction.atomic():
        sources = _lock_sources(course, by, [*lessons, *sections], is_move=is_move)
        course = sources.pop(course.pk)
        # As they are now, not as they were before the locks: somebody may have saved or removed them meanwhile.
        sections, lessons = _reload(Section, sections), _reload(Lesson, lessons)
        inside = [list(one.lessons.select_related("video").order_by("position")) for one in sections]
        is_new = bool(lessons) and section is None
        count = len(lessons) + sum(len(rows) for rows in inside)
        check_room(course, sections=len(sections) + is_new, lessons=count)
        if section is not None and not course.sections.filter(pk=section.pk).exists():
            raise NotFound
        copies = Copies()
        with recording(course, made_by=by, kind=Kind.DUPLICATE, now=now) as recorded:
            if is_new:
                section = create_section(course, section_title)
            present = read_arrangement(course)
            copy_sections([one.pk for one in sections], course, copies)
            pairs = [(row, copies.sections[row.section_id]) for rows in inside for row in rows]
            if section is not None:
                pairs += [(lesson, section) for lesson in lessons]
            for source in {row.course_id for row, _into in pairs}:
                of_source = [(row, into) for row, into in pairs if row.course_id == source]
                copy_lessons(of_source, sources.get(source, course), course, copies, by, now)
            target = present
            for one, rows in zip(sections, inside, strict=True):
                added = (copies.sections[one.pk].pk, tuple(copies.lessons[row.pk].pk for row in rows))
                target = Arrangement((*target.sections, added))
            if section is not None and lessons:
                target = target.with_lessons([copies.lessons[one.pk].pk for one in lessons], section.pk, position)
            if sections:
                target = target.with_sections([copies.sections[one.pk].pk for one in sections], position)
            apply_arrangement(course, target)
            recount_draws(course, now)
            refresh_outline(course, now=now)
        for copy in copies.lessons.values():
            publish(LessonAdded(course_id=course.pk, lesson_id=copy.pk))
        if is_move:
            for origin in sources.values():
                removal = remove_items(
                    course=origin,
                    by=by,
                    sections=[one.pk for one in sections if one.course_id == origin.pk],
                    lessons=[one.pk for one in lessons if one.course_id == origin.pk],
                    now=now,
                )
                if removal is not None:
                    copies.removals.append(removal)
    return recorded.change, copies


def _lock_sources(course: Course, by: User, rows: Iterable[Lesson | Section], *, is_move: bool) -> dict[int, Course]:
    """Lock the courses, the lowest id first, and return them.

    :raises DraftClosed: the version was published or discarded meanwhile.
    :raises NotFound: one is not a course of the same instructor.
    """
    pks = {course.pk, *(row.course_id for row in rows)}
    locked = {one.pk: one for one in Course.with_working_copies.select_for_update().filter(pk__in=pks).order_by("pk")}
    if course.pk not in locked:
        raise DraftClosed
    enforce(policies.edit_course(by, locked[course.pk]))
    for other in locked.values():
        if other.instructor_id != locked[course.pk].instructor_id or policies.manage_course(by, other) is not None:
            raise NotFound
        if is_move:
            enforce(policies.edit_course(by, other))
    return locked
