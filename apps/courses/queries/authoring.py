"""An instructor's own courses, with badges and figures."""

from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Submission
from apps.courses.queries.authored_outline import Badge, Stage
from apps.files.models import VideoAsset

COURSE_BADGES = {
    Course.Status.DRAFT: ("", ""),
    Course.Status.REVIEW: ("half", "warn"),
    Course.Status.PUBLISHED: ("full", "ok"),
    Course.Status.SUSPENDED: ("bar", "error"),
    Course.Status.ARCHIVED: ("bar", ""),
}


def course_badge(course: Course) -> Badge:
    pip, tone = COURSE_BADGES[Course.Status(course.status)]
    return Badge(str(course.get_status_display()), pip, tone)


def outcome_badge(outcome: str) -> Badge:
    """Return the badge of a submission's outcome."""
    shapes = {
        Submission.Outcome.PENDING: ("half", "warn", ""),
        Submission.Outcome.APPROVED: ("full", "ok", ""),
        Submission.Outcome.CHANGES_REQUESTED: ("", "info", "pencil"),
        Submission.Outcome.REJECTED: ("bar", "error", ""),
        Submission.Outcome.WITHDRAWN: ("dash", "", ""),
    }
    pip, tone, icon = shapes[Submission.Outcome(outcome)]
    return Badge(str(Submission.Outcome(outcome).label), pip, tone, icon)


def courses_of(user: User, *, status: str = "", text: str = "") -> QuerySet[Course]:
    """Return the courses that the user teaches, last changed first.

    ``last_outcome`` and ``last_comment`` are those of the newest submission that was not withdrawn. ``next_status`` and
    ``next_number`` are those of the next version, if it was begun.
    """
    newest = (
        Submission.objects.filter(course=OuterRef("pk")).exclude(outcome=Submission.Outcome.WITHDRAWN).order_by("-pk")
    )
    found = Course.objects.taught_by(user.pk).select_related("subject").order_by("-updated_at", "-pk")
    found = found.annotate(
        last_outcome=Subquery(newest.values("outcome")[:1]),
        last_comment=Subquery(newest.values("comment")[:1]),
        next_status=F("working_copy__status"),
        next_number=F("working_copy__draft__number"),
    ).defer("description", "outcomes", "before_you_begin")
    if status in Course.Status.values:
        found = found.filter(status=status)
    if text.strip():
        found = found.filter(title__folded_contains=text.strip())
    return found


def count_by_status(user: User) -> dict[str, int]:
    """Return how many courses the user teaches, by status."""
    rows = Course.objects.taught_by(user.pk).values("status").annotate(count=Count("pk")).order_by()
    return {row["status"]: row["count"] for row in rows}


def history_of(course: Course) -> QuerySet[Submission]:
    """Return all submissions of the course, newest first."""
    return course.live.submissions.select_related("submitted_by", "decided_by").order_by("-submitted_at", "-pk")


def videos_for(user: User, course: Course, *, limit: int = 50) -> QuerySet[VideoAsset]:
    """Return the newest videos that the user can show in a lesson of the course: their own, and those it shows.

    An admin sees those of the instructor.
    """
    owner = course.instructor_id if user.is_admin else user.pk
    shown = Lesson.objects.filter(course=course).exclude(video=None).values("video")
    return (
        VideoAsset.objects.filter(Q(owner_id=owner) | Q(pk__in=shown))
        .exclude(stage=Stage.FAILED)
        .defer("facts")
        .annotate(shown_in=Count("lessons", filter=Q(lessons__removed_at=None)))
        .order_by("-created_at", "-pk")[:limit]
    )


def file_lesson_out(lesson: Lesson) -> dict[str, Any]:
    """Return the shape ``FileLesson``."""
    file = lesson.file
    upload = {"upload": str(file.uid), "filename": lesson.shown_file_name, "length": file.length} if file else None
    return {"uid": str(lesson.uid), "file": upload}
