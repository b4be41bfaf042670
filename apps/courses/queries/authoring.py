"""An instructor's own courses, with badges and figures."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Right, Submission, taught_by
from apps.courses.queries.authored_outline import (
    Badge,
    Kind,
    Stage,
)
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


def totals_of(user: User) -> dict[str, Any]:
    """Return the totals of learners, ratings, stars and published courses of an instructor."""
    return Course.objects.taught_by(user.pk).aggregate(
        learners=Sum("learner_count", default=0),
        ratings=Sum("rating_count", default=0),
        stars=Sum("rating_sum", default=0),
        published=Count("pk", filter=Q(status=Course.Status.PUBLISHED)),
    )


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


def video_lessons(
    user: User, *, videos: Sequence[UUID] = (), is_open: bool = False, course: str = ""
) -> QuerySet[Lesson]:
    """Return the video lessons of the courses that the user teaches, in the order of their outlines.

    With ``is_open`` only lessons without a working video, in courses that can be edited.
    """
    # Of a course with a working copy the lessons of the copy: they are those that can be changed.
    mine = Lesson.objects.filter(taught_by(user.pk, Right.EDIT, "course__"), kind=Kind.VIDEO)
    found = mine.filter(course__working_copy=None).select_related("course", "video")
    if videos:
        found = found.filter(video__uid__in=videos)
    if is_open:
        editable = [Course.Status.DRAFT, Course.Status.PUBLISHED, Course.Status.SUSPENDED]
        nothing_to_watch = Q(video=None) | Q(video__stage=Stage.FAILED)
        found = found.filter(nothing_to_watch, external_video="", course__status__in=editable)
        found = found.filter(course__published_at=None)
    if course:
        found = found.filter(course__slug=course)
    return found.order_by("course__title", "course", "section__position", "position")


def video_lesson_out(lesson: Lesson) -> dict[str, Any]:
    """Return the shape ``VideoLesson``."""
    return {
        "uid": str(lesson.uid),
        "number": lesson.number,
        "title": lesson.title,
        "course_title": lesson.course.title,
        "href": f"/dashboard/instructor/courses/{lesson.course.slug}/lectures/{lesson.slug}#panel",
        "video": str(lesson.video.uid) if lesson.video else None,
    }


def file_lesson_out(lesson: Lesson) -> dict[str, Any]:
    """Return the shape ``FileLesson``."""
    file = lesson.file
    upload = {"upload": str(file.uid), "filename": lesson.shown_file_name, "length": file.length} if file else None
    return {"uid": str(lesson.uid), "file": upload}
