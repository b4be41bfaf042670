"""A course's outline as the studio's island shows it: every lesson with its state, and what can be taken back."""

from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Course, Lesson
from apps.courses.queries.authored_outline import LessonRow, arrangement_of, outline_of
from apps.courses.queries.outline_changes import change_out, undoable_changes
from studyplatform.kit.extensions import lesson_learners


def studio_outline(course: Course, user: User, *, now: datetime) -> dict[str, Any]:
    """Return the shape ``StudioOutline``. Six queries."""
    course.refresh_from_db(fields=["version", "requires_order", "status"])
    sections = outline_of(course)
    links = Lesson.prerequisites.through.objects.filter(from_lesson__course=course)
    uids = {row.lesson.pk: row.lesson.uid for section in sections for row in section.rows}
    needed: dict[int, list[Any]] = {}
    for waits, needs in links.order_by("pk").values_list("from_lesson", "to_lesson"):
        if needs in uids:
            needed.setdefault(waits, []).append(uids[needs])
    learners: dict[int, tuple[int, int]] = {}
    for count in lesson_learners.ordered():
        learners |= count(course.pk)
    arrangement = arrangement_of(sections)
    return {
        "etag": arrangement.etag,
        "can_edit": policies.edit_course(user, course) is None,
        "requires_order": course.requires_order,
        "learner_count": course.learner_count,
        "sections": [
            {
                "uid": section.section.uid,
                "title": section.section.title,
                "facts": section.facts,
                "lessons": [
                    _lesson_out(row, needed.get(row.lesson.pk, []), learners.get(row.lesson.pk, (0, 0)))
                    for row in section.rows
                ],
            }
            for section in sections
        ],
        "changes": [change_out(change) for change in undoable_changes(course, now=now)],
    }


_COLUMNS = (
    "uid", "slug", "number", "title", "kind", "duration",
    "is_preview", "is_optional", "opens_at", "opens_after_days",
)  # fmt: skip


def _lesson_out(row: LessonRow, prerequisites: list[Any], learners: tuple[int, int]) -> dict[str, Any]:
    lesson = row.lesson
    return {name: getattr(lesson, name) for name in _COLUMNS} | {
        "minutes": -(-lesson.duration // 60),
        "state": row.badge.label,
        "tone": row.badge.tone,
        "is_ready": row.badge.tone == "ok",
        "end": row.end,
        "missing": [*([] if row.badge.tone == "ok" else [row.badge.label]), *row.findings],
        "prerequisites": prerequisites,
        "video": lesson.video.uid if lesson.video else None,
        "learners": learners[0],
        "completed": learners[1],
    }
