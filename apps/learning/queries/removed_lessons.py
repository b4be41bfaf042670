"""Lessons that a newer version of a course has taken out, for learners who have them open or come back to them."""

from collections.abc import Collection
from typing import Any

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Course, Lesson
from apps.learning.errors import LessonTakenOut
from apps.learning.outline import Entry, Outline
from studyplatform.kit.errors import AppError


def find_removed(user: AnyUser, **where: Any) -> Lesson | None:
    """Return the lesson at this address, removed last, if the user is enrolled in its course. One query."""
    if not isinstance(user, User):
        return None
    theirs = {"course__enrollments__user": user, "course__enrollments__revoked_at": None}
    removed = Lesson.with_removed.select_related("course").filter(**where, **theirs, removed_at__isnull=False)
    return removed.order_by("-removed_at").first()


def explain_missing(user: AnyUser, **where: Any) -> AppError:
    """Return what to tell somebody for whom there is no such lesson: learners read that it was taken out."""
    lesson = find_removed(user, **where)
    return LectureUnavailable() if lesson is None else LessonTakenOut(lesson=lesson.title, course=lesson.course.slug)


def lessons_after(course: Course, removed: Collection[int]) -> dict[int, int]:
    """Return, for removed lessons of a course, the lessons that follow where they were, all by primary key.

    The last lesson stands for what follows the end; without lessons the answer is empty. Two queries.
    """
    order = ("section__position", "position")
    live = list(Lesson.objects.filter(course=course).order_by(*order).values_list("pk", *order))
    gone = Lesson.with_removed.filter(course=course, pk__in=removed).values_list("pk", *order)
    if not live:
        return {}
    # Where a lesson went, the next one of its section has its position now.
    return {pk: next((key for key, *place in live if place >= there), live[-1][0]) for pk, *there in gone}


def entry_after(lesson: Lesson, outline: Outline) -> Entry | None:
    """Return the lesson after this one; of a removed lesson the one that follows where it was. None at the end."""
    if not lesson.is_removed:
        return outline.around(lesson.pk)[1]
    after = lessons_after(lesson.course, [lesson.pk]).get(lesson.pk)
    return None if after is None else outline.entry(after)
