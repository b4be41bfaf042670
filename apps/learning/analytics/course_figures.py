"""What pages show of each course beside each other, and what its health is found from."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from apps.courses.models import Course, Lesson
from apps.learning.analytics.health import CourseFigures, WeakLesson
from apps.learning.analytics.lessons import STUCK_RISKS
from apps.learning.models import Enrollment, EnrollmentRollup

WEEK = timedelta(days=7)


def figures_of_courses(courses: Collection[Course], *, now: datetime) -> dict[int, CourseFigures]:
    """Return the figures of each course by primary key. Two queries.

    :param courses: of which the reader may read figures.
    """
    pks = [course.pk for course in courses]
    is_quiet = Q(rollup__risk=EnrollmentRollup.Risk.QUIET)
    rows = Enrollment.objects.active().filter(course__in=pks).order_by().values("course")
    counted = {
        row.pop("course"): row
        for row in rows.annotate(
            learners=Count("pk"),
            finished=Count("pk", filter=Q(completed_at__isnull=False)),
            quiet=Count("pk", filter=is_quiet),
            new_this_week=Count("pk", filter=Q(enrolled_at__gt=now - WEEK)),
        )
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
    here = EnrollmentRollup.objects.filter(
        risk_lesson=OuterRef("pk"), risk__in=STUCK_RISKS, enrollment__revoked_at=None
    )
    count = Subquery(here.order_by().values("risk_lesson").annotate(n=Count("pk")).values("n"))
    lessons = Lesson.objects.filter(course__in=courses).annotate(stuck=count).filter(stuck__gt=0).order_by()
    found: defaultdict[int, list[WeakLesson]] = defaultdict(list)
    rows = lessons.values_list("course", "number", "stuck", Coalesce(F("rollup__began"), 0))
    for course, number, learners, began in rows:
        found[course].append(WeakLesson(number, learners, max(learners, began)))
    return found
