"""What the reviewer's page says of the open lesson: its findings and comments, and where the next ones are."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest

from apps.courses.models import Course, Lesson, Submission
from apps.courses.queries import review_threads
from apps.courses.queries.findings import Finding
from apps.courses.queries.review_places import choices_in
from apps.courses.queries.review_threads import Addresses


def comments_context(
    request: HttpRequest,
    course: Course,
    lessons: Sequence[Lesson],
    opened: Lesson | None,
    history: Sequence[Submission],
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """Return the comments and findings of the open lesson, and how many wait in each of ``lessons``, in their order.

    ``findings``: all of the course.
    """
    key = opened.tree_uid if opened else None
    rows = review_threads.rows_by_lesson(course, {key, None})
    found = [one for one in findings if not one.is_ignored]
    comments = review_threads.count_open_by_lesson(course)
    waiting = _count_waiting(comments, lessons, found)
    has_deleted = bool(comments.keys() - {lesson.tree_uid for lesson in lessons} - {None})
    before, after = _neighbors(lessons, opened, waiting)
    return {
        "comments": rows.get(key, []) if opened else [],
        "deleted_comments": review_threads.rows_of_deleted_lessons(course, lessons) if has_deleted else [],
        "page_comments": rows.get(None, []),
        "choices": choices_in(opened) if opened else [],
        "findings": [one for one in found if opened and one.number == opened.number],
        "waiting": waiting,
        "waiting_before": before,
        "waiting_after": after,
        "threads_of": review_threads.count_by_submission(history),
        "comment_counts": review_threads.count_by_state(course),
        "to": Addresses(course),
        "back": request.get_full_path(),
    }


def _count_waiting(
    comments: dict[UUID | None, int], lessons: Sequence[Lesson], found: Sequence[Finding]
) -> dict[int, int]:
    """Return by primary key how many open comments and findings each lesson has."""
    findings = Counter(one.number for one in found if one.number)
    counts = {lesson.pk: comments.get(lesson.tree_uid, 0) + findings[lesson.number] for lesson in lessons}
    return {pk: count for pk, count in counts.items() if count}


def _neighbors(
    lessons: Sequence[Lesson], opened: Lesson | None, waiting: dict[int, int]
) -> tuple[Lesson | None, Lesson | None]:
    """Return the nearest lessons before and after the open one for which something waits."""
    place = next((place for place, one in enumerate(lessons) if opened and one.pk == opened.pk), 0)
    before = next((one for one in reversed(lessons[:place]) if one.pk in waiting), None)
    after = next((one for one in lessons[place + 1 :] if one.pk in waiting), None)
    return before, after
