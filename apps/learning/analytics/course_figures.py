"""What pages show of each course beside each other, and what its health is found from."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Count, F, Q
from django.db.models.functions import Coalesce

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Right, taught_by
from apps.learning.analytics.health import CourseFigures, WeakLesson
from apps.learning.analytics.lessons import count_stuck
from apps.learning.analytics.lists import learners_in
from apps.learning.analytics.smallest_group import SMALLEST_GROUP
from apps.learning.models import EnrollmentRollup

WEEK = timedelta(days=7)
_BEGAN = Coalesce(F("rollup__began"), 0)


def figures_of_courses(courses: Collection[Course], *, now: datetime) -> dict[int, CourseFigures]:
    """Return the figures of each course by primary key. Three queries.

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
    lessons = Lesson.objects.filter(course__in=courses)
    stuck = count_stuck(lessons)
    rows = lessons.filter(pk__in=stuck).order_by().values_list("pk", "course", "number", _BEGAN)
    for pk, course, number, began in rows:
        found[course].append(WeakLesson(number, stuck[pk], max(stuck[pk], began)))
    return found


def find_weak_lessons(user: User) -> list[tuple[Lesson, WeakLesson]]:
    """Return the weak lessons of the published courses that the user edits, the weakest first. Two queries."""
    mine = taught_by(user.pk, Right.EDIT, "course__")
    lessons = Lesson.objects.filter(mine, course__status=Course.Status.PUBLISHED)
    stuck = {pk: learners for pk, learners in count_stuck(lessons).items() if learners >= SMALLEST_GROUP}
    rows = Lesson.objects.filter(pk__in=stuck).annotate(began=_BEGAN).select_related("course")
    rows = rows.only("number", "title", "course__title", "course__slug")
    found = [(row, WeakLesson(row.number, stuck[row.pk], max(stuck[row.pk], row.began))) for row in rows]
    return sorted([pair for pair in found if pair[1].is_weak], key=lambda pair: (-pair[1].share, pair[0].pk))
