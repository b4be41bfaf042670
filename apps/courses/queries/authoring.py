"""What an instructor sees of their own courses: the list, the outline, the state of each lesson."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Section, Submission
from apps.courses.queries.readiness import LONG_LESSON
from apps.courses.questions import solution
from apps.files.models import CaptionTrack, VideoAsset
from studyplatform.kit.text.durations import clock, length

__all__ = [
    "Badge",
    "LessonRow",
    "SectionRow",
    "count_by_status",
    "course_badge",
    "courses_of",
    "history_of",
    "lesson_badge",
    "outcome_badge",
    "outline_of",
    "outline_out",
    "solution",
    "totals_of",
    "video_lesson_out",
    "video_lessons",
    "videos_of",
]

Stage = VideoAsset.Stage
Kind = Lesson.Kind


@dataclass(frozen=True)
class Badge:
    """A state as a badge shows it: the shape of its mark carries it, the tone supports it."""

    label: str
    pip: str = ""
    tone: str = ""
    icon: str = ""


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
    """The outcome of a submission."""
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
    """The courses this person teaches, the last touched first, with the newest outcome of a review.

    ``last_outcome`` and ``last_comment`` are of the newest submission that was not withdrawn.
    """
    newest = (
        Submission.objects.filter(course=OuterRef("pk")).exclude(outcome=Submission.Outcome.WITHDRAWN).order_by("-pk")
    )
    found = Course.objects.taught_by(user.pk).select_related("subject").order_by("-updated_at", "-pk")
    found = found.annotate(
        last_outcome=Subquery(newest.values("outcome")[:1]), last_comment=Subquery(newest.values("comment")[:1])
    ).defer("description", "outcomes", "before_you_begin")
    if status in Course.Status.values:
        found = found.filter(status=status)
    if text.strip():
        found = found.filter(title__icontains=text.strip())
    return found


def count_by_status(user: User) -> dict[str, int]:
    """How many courses this person teaches, by status."""
    rows = Course.objects.taught_by(user.pk).values("status").annotate(count=Count("pk")).order_by()
    return {row["status"]: row["count"] for row in rows}


def totals_of(user: User) -> dict[str, Any]:
    """Learners, lessons and ratings over all courses of this person."""
    return Course.objects.taught_by(user.pk).aggregate(
        learners=Sum("learner_count", default=0),
        ratings=Sum("rating_count", default=0),
        stars=Sum("rating_sum", default=0),
        published=Count("pk", filter=Q(status=Course.Status.PUBLISHED)),
    )


@dataclass(frozen=True)
class LessonRow:
    """A lesson in the outline, with what its author should know."""

    lesson: Lesson
    badge: Badge
    end: str
    notes: Sequence[str] = ()
    warning: str = ""


@dataclass(frozen=True)
class SectionRow:
    section: Section
    rows: Sequence[LessonRow]

    @property
    def facts(self) -> str:
        """ "9 lessons, 1 h 22 min, 1 in processing"."""
        count = len(self.rows)
        parts = [ngettext("%d lesson", "%d lessons", count) % count]
        seconds = sum(row.lesson.duration for row in self.rows)
        if seconds:
            parts.append(length(seconds))
        unready = sum(row.badge.tone != "ok" for row in self.rows)
        if count and not unready:
            parts.append(_("all ready"))
        elif unready:
            parts.append(ngettext("%d not ready yet", "%d not ready yet", unready) % unready)
        return ", ".join(parts)


def outline_of(course: Course) -> list[SectionRow]:
    """The course's sections and lessons in order. Two queries."""
    captioned = CaptionTrack.objects.filter(video=OuterRef("video"))
    lessons = (
        Lesson.objects.order_by("position")
        .select_related("video", "file")
        .defer("video__facts")
        .annotate(question_count=Count("quiz__questions"), has_captions=Exists(captioned))
    )
    sections = course.sections.order_by("position").prefetch_related(Prefetch("lessons", queryset=lessons))
    return [SectionRow(section, [_row(lesson) for lesson in section.lessons.all()]) for section in sections]


def lesson_badge(lesson: Lesson) -> Badge:
    """Whether a learner could open the lesson. Needs ``question_count`` for quizzes."""
    ready, draft = Badge(_("Ready"), "full", "ok"), Badge(_("Empty"))
    match lesson.kind:
        case Kind.VIDEO:
            return _video_badge(lesson.video)
        case Kind.TEXT:
            return ready if lesson.body.strip() else draft
        case Kind.QUIZ:
            return ready if getattr(lesson, "question_count", 0) else draft
        case _:
            return ready if lesson.file_id else draft


def _video_badge(video: VideoAsset | None) -> Badge:
    if video is None:
        return Badge(_("No video"))
    match video.stage:
        case Stage.COMPLETE:
            return Badge(_("Ready"), "full", "ok")
        case Stage.FAILED:
            return Badge(str(video.get_failure_display()), "bar", "error")
        case Stage.UPLOADING:
            return Badge(_("Uploading"), "dash")
        case _:
            return Badge(_("Processing"), "half", "warn")


def _row(lesson: Lesson) -> LessonRow:
    notes: list[str] = []
    warning = ""
    end = clock(lesson.duration) if lesson.duration else ""
    if lesson.is_preview:
        notes.append(_("Preview lesson"))
    match lesson.kind:
        case Kind.VIDEO:
            if lesson.video and lesson.video.has_audio and not lesson.has_captions:  # type: ignore[attr-defined]
                notes.append(_("No captions"))
            if lesson.duration > LONG_LESSON:
                warning = _("Over 15 minutes. Learners finish shorter lessons more often.")
        case Kind.QUIZ:
            count = lesson.question_count  # type: ignore[attr-defined]
            end = ngettext("%d question", "%d questions", count) % count if count else ""
        case Kind.FILE:
            end = lesson.file.filename if lesson.file else ""
    return LessonRow(lesson, lesson_badge(lesson), end, notes, warning)


def history_of(course: Course) -> QuerySet[Submission]:
    """All submissions, newest first."""
    return course.submissions.select_related("submitted_by", "decided_by").order_by("-submitted_at", "-pk")


def videos_of(owner_id: int, *, limit: int = 50) -> QuerySet[VideoAsset]:
    """An owner's newest videos that could be shown in a lesson."""
    return (
        VideoAsset.objects.filter(owner_id=owner_id)
        .exclude(stage=Stage.FAILED)
        .defer("facts")
        .annotate(shown_in=Count("lessons"))
        .order_by("-created_at", "-pk")[:limit]
    )


def outline_out(course: Course) -> dict[str, Any]:
    """The shape ``AuthoredOutline``. Two queries."""
    return {
        "version": course.version,
        "sections": [
            {
                "uid": row.section.uid,
                "title": row.section.title,
                "position": row.section.position,
                "facts": row.facts,
                "lessons": [_lesson_out(entry) for entry in row.rows],
            }
            for row in outline_of(course)
        ],
    }


def _lesson_out(row: LessonRow) -> dict[str, Any]:
    lesson = row.lesson
    names = ("uid", "slug", "number", "title", "kind", "duration", "is_preview")
    return {name: getattr(lesson, name) for name in names} | {
        "state": row.badge.label,
        "is_ready": row.badge.tone == "ok",
        "video": lesson.video.uid if lesson.video else None,
    }


def video_lessons(
    user: User, *, videos: Sequence[UUID] = (), is_open: bool = False, course: str = ""
) -> QuerySet[Lesson]:
    """Video lessons of the courses this person teaches that could still be changed, in the order of their outlines."""
    found = Lesson.objects.filter(kind=Kind.VIDEO, course__instructor=user).select_related("course", "video")
    if videos:
        found = found.filter(video__uid__in=videos)
    if is_open:
        editable = [Course.Status.DRAFT, Course.Status.PUBLISHED, Course.Status.SUSPENDED]
        nothing_to_watch = Q(video=None) | Q(video__stage=Stage.FAILED)
        found = found.filter(nothing_to_watch, course__status__in=editable)
    if course:
        found = found.filter(course__slug=course)
    return found.order_by("course__title", "course", "section__position", "position")


def video_lesson_out(lesson: Lesson) -> dict[str, Any]:
    """The shape ``VideoLesson``."""
    return {
        "uid": str(lesson.uid),
        "number": lesson.number,
        "title": lesson.title,
        "course_title": lesson.course.title,
        "href": f"/dashboard/instructor/courses/{lesson.course.slug}/lectures/{lesson.slug}#panel",
        "video": str(lesson.video.uid) if lesson.video else None,
    }


def file_lesson_out(lesson: Lesson) -> dict[str, Any]:
    """The shape ``FileLesson``."""
    file = lesson.file
    handed = {"upload": str(file.uid), "filename": file.filename, "length": file.length} if file else None
    return {"uid": str(lesson.uid), "file": handed}
