"""Sections and lessons put in another order or removed, one or many at once.

What is removed can be brought back (``undo``), and is deleted some weeks later (``removed``).
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses.arrangement import NOTHING_CHOSEN, Arrangement, Chosen
from apps.courses.errors import OutlineMoved
from apps.courses.models import Course, Lesson, OutlineChange, Section
from apps.courses.services.outline_changes import Kind, recording
from apps.courses.services.outline_rows import apply_arrangement, lock_course, read_arrangement, refresh_outline
from studyplatform.kit.errors import NotFound


def move_section(*, section: Section, by: User, position: int, now: datetime) -> OutlineChange | None:
    """Put the section at this position (1 is first; beyond the ends counts as the end)."""
    return move_items(course=section.course, by=by, sections=[section.pk], position=position, now=now)


def delete_section(*, section: Section, by: User, now: datetime) -> OutlineChange | None:
    """Remove a section with its lessons."""
    return remove_items(course=section.course, by=by, sections=[section.pk], now=now)


def move_lesson(*, lesson: Lesson, by: User, section: Section, position: int, now: datetime) -> OutlineChange | None:
    """Put the lesson at this position of this section (of the same course)."""
    if section.course_id != lesson.course_id:
        raise NotFound
    return move_items(course=lesson.course, by=by, lessons=[lesson.pk], section=section.pk, position=position, now=now)


def delete_lesson(*, lesson: Lesson, by: User, now: datetime) -> OutlineChange | None:
    """Remove a lesson. Its video stays with its owner, and what learners did in it is kept."""
    return remove_items(course=lesson.course, by=by, lessons=[lesson.pk], now=now)


def move_items(
    *,
    course: Course,
    by: User,
    lessons: Sequence[int] = (),
    section: int | None = None,
    sections: Sequence[int] = (),
    position: int,
    etag: str = "",
    now: datetime,
) -> OutlineChange | None:
    """Put lessons at a position of a section, or sections at a position of the course, in the order given.

    Positions count from 1 what else is there; beyond the ends counts as the end. ``etag`` is that of the arrangement
    the author saw; "" moves in any.

    :raises OutlineMoved: the outline has another arrangement by now.
    :raises NotFound: something is not in the course.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        present = _present(course, etag)
        _check_known(present, sections=[*sections, *([] if section is None else [section])], lessons=lessons)
        target = present
        if lessons:
            if section is None:
                raise NotFound
            target = target.with_lessons(list(dict.fromkeys(lessons)), section, position)
        if sections:
            target = target.with_sections(list(dict.fromkeys(sections)), position)
        return _rearrange(course, target, by=by, chosen=Chosen(sections, lessons), now=now)


def arrange_outline(
    *, course: Course, by: User, order: Sequence[tuple[int, Sequence[int]]], etag: str, now: datetime
) -> OutlineChange | None:
    """Put all sections and lessons in this order.

    :raises OutlineMoved: the outline has another arrangement by now than the one with this etag.
    :raises NotFound: the order has not exactly the sections and lessons of the course.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        present = _present(course, etag)
        target = Arrangement.of(order)
        for mine, theirs in (
            (target.section_pks, present.section_pks),
            (target.lesson_pks, present.lesson_pks),
        ):
            if sorted(mine) != sorted(theirs):
                raise NotFound
        return _rearrange(course, target, by=by, now=now)


def _present(course: Course, etag: str) -> Arrangement:
    """
    :raises OutlineMoved: the present arrangement has another etag.
    """
    present = read_arrangement(course)
    if etag and present.etag != etag:
        raise OutlineMoved
    return present


def _rearrange(
    course: Course, target: Arrangement, *, by: User, chosen: Chosen = NOTHING_CHOSEN, now: datetime
) -> OutlineChange | None:
    with recording(course, made_by=by, kind=Kind.MOVE, chosen=chosen, now=now) as recorded:
        apply_arrangement(course, target)
    refresh_outline(course, now=now)
    return recorded.change


def remove_items(
    *, course: Course, by: User, sections: Collection[int] = (), lessons: Collection[int] = (), now: datetime
) -> OutlineChange | None:
    """Remove sections with their lessons, and lessons. What is no longer there is passed over.

    What learners did in them is kept, so that nothing is lost when the change is taken back.
    """
    gone = {"removed_at": now, "removed_by": by}
    with transaction.atomic():
        course = lock_course(course, by)
        with recording(course, made_by=by, kind=Kind.REMOVE, now=now) as recorded:
            course.lessons.filter(section__in=sections).update(**gone)
            course.lessons.filter(pk__in=lessons).update(**gone)
            course.sections.filter(pk__in=sections).update(**gone)
            refresh_outline(course, now=now)
    return recorded.change


def _check_known(present: Arrangement, *, sections: Collection[int], lessons: Collection[int]) -> None:
    """
    :raises NotFound: something is not in the course.
    """
    if not set(sections) <= set(present.section_pks) or not set(lessons) <= set(present.lesson_pks):
        raise NotFound
