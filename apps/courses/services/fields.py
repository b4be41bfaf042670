"""Save single fields of a course or a lesson, as the studio does while somebody writes.

Nothing is overwritten unseen: a change names the version of the field that its author began with. If the field has
another one by now, nothing is saved; the answer has what stands there, which the browser merges, or asks its author
about (docs/adr/0059-the-studio-saves-fields.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.accounts.models import User
from apps.courses import field_values, policies
from apps.courses.errors import LectureUnavailable
from apps.courses.external_video import stored_video
from apps.courses.field_values import FieldProblem, Value, version_of
from apps.courses.models import Course, FieldEdit, Lesson
from apps.courses.services.courses import CourseTexts, edit_course
from apps.courses.services.locking import lock_course_row
from apps.courses.services.media import set_external_video
from apps.courses.services.outline import edit_lesson
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce
from studyplatform.kit.sockets import wake


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    """What an author made of a field. ``base`` is the version with which they began."""

    name: str
    value: Value
    base: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a change.

    ``state``: "saved", "conflict" (``value`` is what stands there now, nothing was saved) or "refused" (``problem``
    says why).
    """

    name: str
    state: str
    version: str
    value: Value
    problem: str = ""
    edited_by: str = ""
    edited_at: datetime | None = None
    client: str = ""


def save_course_fields(
    *, course: Course, by: User, changes: Sequence[FieldChange], client: str, now: datetime
) -> list[Outcome]:
    """Save fields of a course. ``client`` names the browser's tab, so that it isn't told of its own changes.

    :raises CourseUnderReview: the course is under review.
    """
    with transaction.atomic():
        course = lock_course_row(course.pk)
        enforce(policies.edit_course(by, course))

        def store(columns: Mapping[str, Any]) -> None:
            present = {
                name: getattr(course, name) for name in CourseTexts.__dataclass_fields__ if name != "prerequisites"
            }
            texts = CourseTexts(**{**present, "prerequisites": list(course.prerequisites.all()), **columns})
            edit_course(course=course, by=by, texts=texts, now=now)
            course.refresh_from_db()

        return _save(
            course=course,
            target=course.uid,
            by=by,
            changes=changes,
            client=client,
            now=now,
            read=lambda: field_values.course_values(course),
            check=lambda name, value: field_values.check_course_value(course, name, value),
            store=store,
        )


def save_lesson_fields(
    *, lesson: Lesson, by: User, changes: Sequence[FieldChange], client: str, now: datetime
) -> list[Outcome]:
    """Save fields of a lesson; see `save_course_fields`."""
    with transaction.atomic():
        course = lock_course_row(lesson.course_id)
        present_lesson = Lesson.objects.select_related("course").filter(pk=lesson.pk).first()
        is_length = [change.name for change in changes] == ["external_length"]
        if is_length and present_lesson is not None:
            enforce(policies.tell_length(by, course, present_lesson))
        else:
            enforce(policies.edit_course(by, course))
        if present_lesson is None:  # removed meanwhile
            raise LectureUnavailable
        lesson = present_lesson

        def store(columns: Mapping[str, Any]) -> None:
            if "external_video" in columns:
                set_external_video(lesson=lesson, by=by, video=columns["external_video"], now=now)
                return
            if "external_length" in columns:
                video = stored_video(lesson.external_video)
                set_external_video(lesson=lesson, by=by, video=video, length=columns["external_length"], now=now)
                return
            present = {name: getattr(lesson, name) for name in ("title", "summary", "body", "is_preview")}
            edit_lesson(lesson=lesson, by=by, now=now, **{**present, **columns})
            lesson.refresh_from_db()

        return _save(
            course=course,
            target=lesson.uid,
            by=by,
            changes=changes,
            client=client,
            now=now,
            read=lambda: field_values.lesson_values(lesson),
            check=lambda name, value: field_values.check_lesson_value(lesson, name, value),
            store=store,
        )


def _save(
    *,
    course: Course,
    target: UUID,
    by: User,
    changes: Sequence[FieldChange],
    client: str,
    now: datetime,
    read: Callable[[], dict[str, Value]],
    check: Callable[[str, Value], dict[str, Any]],
    store: Callable[[Mapping[str, Any]], None],
) -> list[Outcome]:
    """Decide and store each change by itself, and tell the others of those that were saved."""
    before = read()
    outcomes: list[Outcome] = []
    # What is emptied first makes room: a date for the days, if the author empties the days they have seen.
    for change in sorted(changes, key=lambda one: one.value is not None):
        present = before[change.name]
        if change.base != version_of(present) and change.value != present:
            outcomes.append(_conflict(change.name, present, target))
            continue
        try:
            with transaction.atomic():
                store(check(change.name, change.value))
        except FieldProblem as problem:
            outcomes.append(_refused(change.name, present, str(problem)))
            continue
        except AppError as refusal:  # a circle of prerequisites, a second way to open
            outcomes.append(_refused(change.name, present, refusal.detail))
            continue
        outcomes.append(Outcome(name=change.name, state="saved", version="", value=None))
    after = read()
    outcomes = [
        one
        if one.version
        else Outcome(
            name=one.name,
            state=one.state,
            version=version_of(after[one.name]),
            value=after[one.name],
            edited_by=by.display_name,
            edited_at=now,
            client=client,
        )
        for one in outcomes
    ]
    changed = [one for one in outcomes if one.state == "saved" and after[one.name] != before[one.name]]
    for one in changed:
        last = {"course": course, "edited_by": by, "edited_at": now, "version": one.version, "client": client}
        FieldEdit.objects.update_or_create(target=target, field=one.name, defaults=last)
    if changed:
        wake("studio")
    return outcomes


def last_edits(target: UUID, versions: Mapping[str, str]) -> dict[str, FieldEdit]:
    """Return who saved the fields of a course or lesson last, by name, for those that still have this version.

    A form or the admin may have changed a field since: then nobody is named.
    """
    found = FieldEdit.objects.select_related("edited_by").filter(target=target, field__in=versions)
    return {edit.field: edit for edit in found if edit.version == versions[edit.field]}


def _conflict(name: str, present: Value, target: UUID) -> Outcome:
    version = version_of(present)
    last = last_edits(target, {name: version}).get(name)
    return Outcome(
        name=name,
        state="conflict",
        version=version,
        value=present,
        edited_by=last.edited_by.display_name if last and last.edited_by else "",
        edited_at=last.edited_at if last else None,
        client=last.client if last else "",
    )


def _refused(name: str, present: Value, problem: str) -> Outcome:
    return Outcome(name=name, state="refused", version=version_of(present), value=present, problem=problem)
