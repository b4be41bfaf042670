"""Figures about learners for instructors and admins."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, F, Q, QuerySet

from apps.courses.models import Lesson
from apps.learning.models import Enrollment, LessonProgress, WatchedDay
from studyplatform.kit.web.jinja import register


def learning_since(since: datetime) -> int:
    """Return how many users have been active in a course since then."""
    return Enrollment.objects.active().filter(last_activity_at__gte=since).values("user").distinct().count()


def enrollments_since(since: datetime) -> int:
    """Return how many enrollments were made since then."""
    return Enrollment.objects.filter(enrolled_at__gte=since).count()


def count_students(instructor: int) -> int:
    """Return how many different people are enrolled now in the courses of an instructor, by primary key."""
    rows = Enrollment.objects.active().filter(course__instructor=instructor, user__deleted_at=None)
    return int(rows.aggregate(people=Count("user", distinct=True))["people"])


def watched_days(start: date, end: date) -> QuerySet[WatchedDay]:
    """Return the rows of what was watched from ``start`` to before ``end``."""
    return WatchedDay.objects.filter(day__gte=start, day__lt=end, seconds__gt=0)


def learned_days(start: date, end: date) -> QuerySet[WatchedDay]:
    """Return the rows of what was learned from ``start`` to before ``end``, with ``learned``: seconds of videos, texts
    and quizzes."""
    days = WatchedDay.objects.filter(day__gte=start, day__lt=end)
    return days.annotate(learned=F("seconds") + F("other_seconds"))


def lesson_visits() -> QuerySet[LessonProgress]:
    """Return rows with ``user``, ``course`` and ``visited_at``: when a learner last opened or continued a lesson."""
    rows = LessonProgress.objects.order_by()
    return rows.annotate(user=F("enrollment__user"), course=F("enrollment__course"), visited_at=F("updated_at"))


@dataclass(frozen=True)
class LessonLearners:
    """Enrolled learners in one lesson. ``here`` are those who opened it last and haven't completed it."""

    began: int
    completed: int
    here: int


@register("learners_in_lesson")
def learners_in(lesson: Lesson) -> LessonLearners:
    """Count the enrolled learners in a lesson. One query."""
    rows = LessonProgress.objects.filter(lesson=lesson, enrollment__in=Enrollment.objects.active())
    unfinished = Q(completed_at=None, enrollment__last_lesson=lesson)
    found = rows.aggregate(
        began=Count("pk"),
        completed=Count("pk", filter=Q(completed_at__isnull=False)),
        here=Count("pk", filter=unfinished),
    )
    return LessonLearners(**found)
