"""The video lessons that an upload can be for: what each shows now, and which video takes its place."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.accounts.models import User
from apps.courses.external_video import stored_video
from apps.courses.models import Course, Lesson, Right, taught_by
from apps.courses.queries.authored_outline import Kind, Stage
from apps.courses.queries.replaced_videos import lessons_to_decide
from apps.files.models import Upload

# While one of these, its video can be replaced.
EDITABLE = (Course.Status.DRAFT, Course.Status.PUBLISHED, Course.Status.SUSPENDED)


def video_lessons(
    user: User, *, videos: Sequence[UUID] = (), is_open: bool = False, is_editable: bool = False, course: str = ""
) -> QuerySet[Lesson]:
    """Return the video lessons of the courses that the user teaches, in the order of their outlines.

    With ``is_editable`` only those whose video can be changed now; with ``is_open`` only those of them that show no
    working video.
    """
    # Of a course with a working copy the lessons of the copy: they are those that can be changed.
    mine = Lesson.objects.filter(taught_by(user.pk, Right.EDIT, "course__"), kind=Kind.VIDEO)
    found = mine.filter(course__working_copy=None).select_related("course__draft", "video")
    if videos:
        found = found.filter(video__uid__in=videos)
    if is_open or is_editable:
        found = found.filter(course__status__in=EDITABLE, course__published_at=None)
    if is_open:
        found = found.filter(Q(video=None) | Q(video__stage=Stage.FAILED), external_video="")
    if course:
        found = found.filter(course__slug=course)
    return found.order_by("course__title", "course", "section__position", "position")


def video_lessons_out(lessons: Sequence[Lesson]) -> list[dict[str, Any]]:
    """Return the shapes ``VideoLesson``. At most two queries for all lessons."""
    following = _next_videos(lessons)
    undecided = lessons_to_decide(lessons)
    return [
        _video_lesson_out(lesson, following.get(lesson.pk), is_undecided=lesson.pk in undecided) for lesson in lessons
    ]


def token_of(lesson: Lesson) -> str:
    """Name what a lesson shows and which video takes its place, so that nobody replaces what they have not seen."""
    return _token(lesson, _next_videos([lesson]).get(lesson.pk))


def shows_something(lesson: Lesson) -> bool:
    """Whether the lesson has a video, also one that is being processed, which would have to be replaced."""
    return lesson.external_video != "" or (lesson.video is not None and lesson.video.stage != Stage.FAILED)


def _video_lesson_out(lesson: Lesson, following: UUID | None, *, is_undecided: bool) -> dict[str, Any]:
    course = lesson.course
    studio = f"/dashboard/instructor/courses/{course.slug}"
    return {
        "uid": str(lesson.uid),
        "number": lesson.number,
        "title": lesson.title,
        "course_title": course.title,
        "href": f"{studio}/lectures/{lesson.slug}#panel",
        "video": str(lesson.video.uid) if lesson.video else None,
        "shows": _name_of_video(lesson) if shows_something(lesson) else "",
        "duration": lesson.duration,
        "next_video": str(following) if following else None,
        "token": _token(lesson, following),
        "decide_href": f"{studio}/version" if is_undecided else None,
    }


def _name_of_video(lesson: Lesson) -> str:
    if lesson.video is not None:
        return lesson.video.filename
    external = stored_video(lesson.external_video)
    return external.host_name if external else lesson.external_video


def _token(lesson: Lesson, following: UUID | None) -> str:
    shown = lesson.external_video or (str(lesson.video.uid) if lesson.video and shows_something(lesson) else "")
    return f"{shown} {following or ''}"


def _next_videos(lessons: Sequence[Lesson]) -> dict[int, UUID]:
    """Return the unfinished videos that were uploaded for lessons that show another one, by the lesson's id."""
    by_uid = {str(lesson.uid): lesson for lesson in lessons}
    unfinished = Upload.objects.filter(target__in=by_uid).exclude(video=None).exclude(video__stage=Stage.COMPLETE)
    rows = unfinished.order_by("video__created_at", "pk").values_list("target", "video", "video__uid")
    return {
        by_uid[target].pk: uid for target, video, uid in rows if by_uid[target].video_id != video
    }  # the newest of a lesson is the last one
