"""Removed sections, lessons and questions: deleted for good after some weeks, unless learners worked in them."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import ProtectedError

from apps.courses.models import Lesson, OutlineChange, Question, Section
from apps.courses.models.outline_change import UNDO_PERIOD
from studyplatform.kit import jobs
from studyplatform.kit.registry import Registry

PURGE_BATCH = 200

lesson_holds: Registry[Callable[[Collection[int]], Collection[int]]] = Registry("holds on removed lessons")
"""Functions that return those of these lessons, by primary key, in which learners have worked."""

question_holds: Registry[Callable[[Collection[int]], Collection[int]]] = Registry("holds on removed questions")
"""Functions that return those of these questions, by primary key, that learners still have."""


def purge_removed(*, now: datetime) -> int:
    """Delete what was removed longer than `UNDO_PERIOD` ago, and the changes that can't be undone anymore.

    Returns how many lessons, questions and sections were deleted. What learners worked in is kept, and its section.
    """
    until = now - UNDO_PERIOD
    lessons = Lesson.with_removed.filter(removed_at__lte=until)
    questions = Question.with_removed.filter(removed_at__lte=until)
    deleted = sum(_delete(rows) for rows in _not_held(lessons, lesson_holds))
    deleted += sum(_delete(rows) for rows in _not_held(questions, question_holds))
    empty = Section.with_removed.filter(removed_at__lte=until).exclude(
        pk__in=Lesson.with_removed.order_by().values("section")
    )
    deleted += empty.delete()[1].get("courses.Section", 0)
    OutlineChange.objects.filter(made_at__lte=until).delete()
    return deleted


def _not_held(
    rows: "Iterable[Lesson] | Iterable[Question]", holds: Registry[Callable[[Collection[int]], Collection[int]]]
) -> Iterable[Lesson | Question]:
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:PURGE_BATCH]):  # type: ignore[union-attr]
        last = batch[-1].pk
        pks = [row.pk for row in batch]
        held = {pk for hold in holds.ordered() for pk in hold(pks)}
        yield from (row for row in batch if row.pk not in held)


def _delete(row: Lesson | Question) -> bool:
    """Delete one row; not if it was brought back meanwhile, or something keeps it."""
    model = type(row)
    try:
        with transaction.atomic():
            present = model.with_removed.select_for_update().filter(pk=row.pk, removed_at=row.removed_at).first()
            if present is None:
                return False
            present.delete()
    except ProtectedError:
        return False
    return True


def plan_next_purge(*, now: datetime) -> None:
    """Plan the purge of tomorrow night."""
    at = (now + timedelta(days=1)).replace(hour=3, minute=40, second=0, microsecond=0)
    jobs.enqueue("courses.purge_removed", key=at.date().isoformat(), delay=at - now)
