"""What pages show of each course beside each other, and what its health is found from."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Right, taught_by
from apps.learning.analytics.health import CourseFigures, WeakLesson
from apps.learning.analytics.lessons import STUCK_RISKS
from apps.learning.analytics.lists import learners_in
from apps.learning.analytics.smallest_group import SMALLEST_GROUP
from apps.learning.models import EnrollmentRollup

WEEK = timedelta(days=7)


def figures_of_courses(courses: Collection[Course], *, now: datetime) -> dict[int, CourseFigures]:
    """Return the figures of each course by primary key. Two queries.

    :param courses: of which the reader may read figures.
    """
    pks = [course.pk for course in courses]
    is_quiet = Q(rollup__risk=EnrollmentRollup.Risk.QUIET)
    rows = learners_in(pks).order_by().values_list("course")
    counts = {
        "learners": Count("pk"),
        "finished": Count("pk", filter=Q(completed_at__isnull=False)),
        "quiet": Count("pk", filter=is_quiet),
        "new_this_week": Count("pk", filter=Q(enrolled_at__gt=now - WEEK)),
    }
    counted: dict[int, dict[str, int]] = {
        course: dict(zip(counts, numbers, strict=True)) for course, *numbers in rows.annotate(**counts)
    }
    stuck = _stuck_in(pks)
    return {
        course.pk: CourseFigures(
            status=course.status,
            stuck=stuck[course.pk],
            rating_count=course.rating_count,
            rating_sum=course.rating_sum,
            **counted.get(course.pk, {}),
        )
        for course in courses
    }


def _stuck_in(courses: Collection[int]) -> defaultdict[int, list[WeakLesson]]:
    found: defaultdict[int, list[WeakLesson]] = defaultdict(list)
    rows = _with_stuck(Lesson.objects.filter(course__in=courses))
    for course, number, learners, began in rows.values_list("course", "number", "stuck", "began"):
        found[course].append(WeakLesson(number, learners, max(learners, began)))
    return found


def _with_stuck(lessons: QuerySet[Lesson]) -> QuerySet[Any, Any]:
    """Those in which somebody is stuck or fails the quiz: ``stuck`` of the ``began`` who began them."""
    here = EnrollmentRollup.objects.filter(
        risk_lesson=OuterRef("pk"), risk__in=STUCK_RISKS, enrollment__revoked_at=None
    )
    count = Subquery(here.order_by().values("risk_lesson").annotate(n=Count("pk")).values("n"))
    return lessons.annotate(stuck=count, began=Coalesce(F("rollup__began"), 0)).filter(stuck__gt=0).order_by()


def find_weak_lessons(user: User) -> list[tuple[Lesson, WeakLesson]]:
    """Return the weak lessons of the published courses that the user edits, the weakest first. One query."""
    mine = taught_by(user.pk, Right.EDIT, "course__")
    rows = _with_stuck(Lesson.objects.filter(mine, course__status=Course.Status.PUBLISHED))
    rows = rows.filter(stuck__gte=SMALLEST_GROUP).select_related("course")
    rows = rows.only("number", "title", "course__title", "course__slug")
    found = [(row, WeakLesson(row.number, row.stuck, max(row.stuck, row.began))) for row in rows]
    return sorted([pair for pair in found if pair[1].is_weak], key=lambda pair: (-pair[1].share, pair[0].pk))
