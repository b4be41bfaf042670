"""A learner's courses: My Learning with its filters, its counts, and the lesson to resume in each."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.models import Attempt, Enrollment, LessonProgress
from apps.learning.outline import Entry, Progress, Standing, resume_entry, resume_position
from apps.learning.queries.addresses import course_url, lesson_url
from apps.learning.queries.bookmarks import IS_BOOKMARKED
from apps.learning.queries.course_marks import CourseMarks, course_marks_of
from apps.learning.queries.outline import outlines_of

FILTERS = ("all", "learning", "in_progress", "completed", "bookmarked")
ORDERS = {"recent": ("-last_activity_at", "-pk"), "closest": ("-percent", "-pk"), "title": ("course__title", "pk")}


def enrollments_of(user: User) -> QuerySet[Enrollment]:
    """Return the user's enrollments, last studied first, with course, certificate and ``is_bookmarked``."""
    return (
        Enrollment.objects.active()
        .of(user.pk)
        .select_related("course__instructor", "course__subject", "certificate")
        .defer("course__description", "course__outcomes", "course__before_you_begin")
        .annotate(is_bookmarked=IS_BOOKMARKED)
        .order_by(*ORDERS["recent"])
    )


@dataclass(frozen=True)
class MyCourse:
    """An enrollment with the lesson to resume; ``position`` in seconds, ``quiz_average`` in percent."""

    enrollment: Enrollment
    resume: Entry | None
    position: int = 0
    quiz_average: int | None = None

    @property
    def resume_url(self) -> str:
        slug = self.enrollment.course.slug
        return lesson_url(slug, self.resume.slug) if self.resume else course_url(slug)


def with_resume(enrollments: Iterable[Enrollment]) -> list[MyCourse]:
    """Return the enrollments with the lesson to resume. Three queries in all, one if the outlines are cached."""
    enrollments = list(enrollments)
    outlines = outlines_of(enrollment.course for enrollment in enrollments)
    progress: dict[int, dict[int, Progress]] = {enrollment.pk: {} for enrollment in enrollments}
    rows = LessonProgress.objects.filter(enrollment__in=list(progress)).values_list(
        "enrollment_id", "lesson_id", "position", "watched_seconds", "completed_at"
    )
    for enrollment_pk, lesson_pk, position, watched, completed in rows:
        progress[enrollment_pk][lesson_pk] = Progress(position, watched, completed is not None)
    my_course = []
    for enrollment in enrollments:
        standing = Standing(enrollment, progress[enrollment.pk])
        entry = resume_entry(enrollment.course, outlines[enrollment.course_id], standing)
        mark = standing.progress.get(entry.pk) if entry else None
        position = 0.0
        if entry and mark and not mark.is_completed:
            position = resume_position(mark.position, entry.duration)
        my_course.append(MyCourse(enrollment, entry, int(position)))
    return my_course


def with_quiz_averages(my_courses: Iterable[MyCourse]) -> list[MyCourse]:
    """Return the courses with the mean percent of the best attempt at each quiz. One query."""
    my_courses = list(my_courses)
    best: dict[int, list[int]] = {one.enrollment.pk: [] for one in my_courses}
    attempts = Attempt.objects.filter(enrollment__in=list(best), submitted_at__isnull=False, waiting=0)
    attempts = attempts.filter(quiz__lesson__removed_at=None)
    for enrollment_pk, percent in (
        attempts.values("enrollment_id", "quiz_id").annotate(best=Max("percent")).values_list("enrollment_id", "best")
    ):
        best[enrollment_pk].append(percent)
    averages = {pk: round(sum(found) / len(found)) for pk, found in best.items() if found}
    return [replace(one, quiz_average=averages.get(one.enrollment.pk)) for one in my_courses]


def enrollment_out(my_course: MyCourse) -> dict[str, Any]:
    """Return the shape ``EnrollmentOut``."""
    enrollment = my_course.enrollment
    return {
        "uid": str(enrollment.uid),
        "course": {
            "slug": enrollment.course.slug,
            "title": enrollment.course.title,
            "url": course_url(enrollment.course.slug),
        },
        "lesson_count": enrollment.required_count,
        "completed_lessons": enrollment.completed_lessons,
        "percent": enrollment.percent,
        "enrolled_at": enrollment.enrolled_at,
        "last_activity_at": enrollment.last_activity_at,
        "completed_at": enrollment.completed_at,
        "resume_url": my_course.resume_url,
        "is_bookmarked": getattr(enrollment, "is_bookmarked", False),
        "certificate_code": enrollment.certificate.code if hasattr(enrollment, "certificate") else None,
    }


def counts_of(user: User) -> dict[str, int]:
    """Return how many courses each filter of My Learning shows. Two queries."""
    return counts_in(course_marks_of(user))


def counts_in(marks: CourseMarks) -> dict[str, int]:
    """Return how many courses each filter shows, from the marks of the user's courses."""
    enrolled = frozenset(marks.percents)
    return {
        "all": len(enrolled | marks.bookmarked),
        "learning": len(enrolled),
        "in_progress": len(enrolled - marks.completed),
        "completed": len(marks.completed),
        "bookmarked": len(marks.bookmarked),
        "bookmarked_enrollments": len(enrolled & marks.bookmarked),
    }


def filtered(enrollments: QuerySet[Enrollment], name: str) -> QuerySet[Enrollment]:
    """Return the enrollments that a filter of My Learning shows."""
    match name:
        case "in_progress":
            return enrollments.filter(completed_at=None)
        case "completed":
            return enrollments.exclude(completed_at=None)
        case "bookmarked":
            return enrollments.filter(IS_BOOKMARKED)
        case _:
            return enrollments


def bookmarked_not_enrolled(user: User) -> QuerySet[Course]:
    """Return the courses that the user has bookmarked without being enrolled, newest bookmark first."""
    enrollment = Enrollment.objects.active().filter(user=user, course_id=OuterRef("pk"))
    return (
        Course.objects.listed()
        .filter(Q(bookmarks__user=user), ~Exists(enrollment))
        .select_related("instructor", "subject")
        .annotate(bookmarked_at=F("bookmarks__created_at"))
        .order_by("-bookmarked_at", "-pk")
    )
