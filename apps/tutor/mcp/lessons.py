"""Lessons as Markdown: the tool that reads one, and the resources."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Scope
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson
from apps.courses.queries.external_videos import external_video_of
from apps.learning.models import Enrollment
from apps.learning.outline import place_all
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import OpenLesson, lesson_at, lesson_named
from apps.learning.queries.outline import outlines_of, standing_of
from apps.learning.queries.transcript import paragraphs_of
from apps.learning.services import record_whole
from apps.tutor.mcp.addresses import LESSON, URI_TEMPLATE, absolute, lesson_name, lesson_uri, named_in
from apps.tutor.mcp.callers import Caller
from apps.tutor.mcp.completing import complete_course, complete_slug
from studyplatform.kit.errors import NotFound
from studyplatform.kit.mcp.service import Answer, Resource, Resources, Tool, cursor_of, number_in
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.durations import clock
from studyplatform.kit.text.sizes import as_size

PIECE = 24_000  # characters of a lesson in one answer
COURSES_AT_ONCE = 3  # whose lessons are listed in one answer


def get_lesson(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """A lesson that the user may open, as Markdown. Reading it here counts for refunds, not as progress."""
    start = number_in(arguments.get("cursor", ""))
    opened = lesson_named(caller.user, arguments["lesson"])
    enforce(opened.verdict)
    text = _handed_out(opened)
    piece, end = text[start : start + PIECE], start + PIECE
    lesson = opened.lesson
    before, after = opened.around()
    data = {
        "lesson": lesson_name(opened.course.slug, lesson.slug),
        "title": lesson.title,
        "course": opened.course.slug,
        "kind": lesson.kind,
        "seconds": lesson.duration,
        "url": absolute(lesson_url(opened.course.slug, lesson.slug)),
        "is_completed": opened.standing.has_completed(lesson.pk),
        "previous": lesson_name(opened.course.slug, before.slug) if before else None,
        "next": lesson_name(opened.course.slug, after.slug) if after else None,
        "markdown": piece,
        "next_cursor": cursor_of(end) if end < len(text) else None,
    }
    return Answer(data=data, text=piece)


def _handed_out(opened: OpenLesson) -> str:
    """The lesson as Markdown. What the learner gets of it is recorded, because refunds depend on it."""
    enrollment, lesson = opened.standing.enrollment, opened.lesson
    is_handed_out = lesson.kind == Lesson.Kind.TEXT or (lesson.kind == Lesson.Kind.VIDEO and opened.known.tracks)
    if enrollment is not None and is_handed_out:
        record_whole(enrollment=enrollment, lesson=lesson, now=timezone.now())
    return as_markdown(opened)


def as_markdown(opened: OpenLesson) -> str:
    """The lesson's text, or the transcript of its video with the times. A quiz shows none of its questions."""
    lesson, course = opened.lesson, opened.course
    address = absolute(lesson_url(course.slug, lesson.slug))
    parts = [f"# {lesson.title}", f"{course.title}, {lesson.number}. {address}", lesson.summary]
    match Lesson.Kind(lesson.kind):
        case Lesson.Kind.VIDEO:
            parts += _video(opened)
        case Lesson.Kind.TEXT:
            parts.append(lesson.body)
        case Lesson.Kind.FILE:
            size = f" ({as_size(lesson.file.length)})" if lesson.file else ""
            parts.append(f"File: {lesson.shown_file_name}{size}. Download it on the lesson's page.")
        case Lesson.Kind.QUIZ:
            parts.append("This lesson is a quiz. The learner takes it on the lesson's page.")
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _video(opened: OpenLesson) -> list[str]:
    lesson, tracks = opened.lesson, opened.known.tracks
    duration = lesson.video.duration if lesson.video else float(lesson.duration)
    parts = []
    chapters = lesson.chapters_within(duration)
    if chapters:
        lines = [f"- {clock(one['start'])} {one['title']}" for one in chapters]
        parts.append("## Chapters\n\n" + "\n".join(lines))
    if tracks:
        spoken = [
            f"[{clock(paragraph.start)}] " + " ".join(cue.text for cue in paragraph.cues)
            for paragraph in paragraphs_of(tracks[0].webvtt)
        ]
        parts.append("## Transcript\n\n" + "\n\n".join(spoken))
    else:
        parts.append("The video has no transcript.")
    if external := external_video_of(lesson):
        parts.append(f"{external.host_name} shows the video: {external.address}")
    if lesson.body:
        parts.append(lesson.body)
    return parts


def _listed(caller: Caller, cursor: str) -> tuple[list[Resource], str]:
    """The lessons that the user may open, of a few courses at once. At most six queries."""
    enrollments = Enrollment.objects.active().of(caller.user.pk).filter(pk__gt=number_in(cursor)).order_by("pk")
    rows = list(enrollments.select_related("course")[: COURSES_AT_ONCE + 1])
    shown = rows[:COURSES_AT_ONCE]
    outlines = outlines_of(row.course for row in shown)
    found = [
        Resource(
            uri=lesson_uri(row.course.slug, placed.entry.slug),
            name=lesson_name(row.course.slug, placed.entry.slug),
            title=placed.entry.title,
            description=f"{row.course.title}, {placed.entry.number}",
        )
        for row in shown
        for placed in place_all(row.course, outlines[row.course_id], standing_of(caller.user, row.course))
        if placed.is_open
    ]
    return found, cursor_of(shown[-1].pk) if len(rows) > len(shown) else ""


def _read(caller: Caller, uri: str) -> str:
    course, lesson = named_in(uri)
    try:
        opened = lesson_at(caller.user, course, lesson)
    except LectureUnavailable:
        raise NotFound from None
    enforce(opened.verdict)
    return _handed_out(opened)


GET_LESSON = Tool[Caller](
    name="get_lesson",
    title=_("Read a lesson"),
    description=_(
        "Read a lesson that the user may open, as Markdown: its text, or the transcript of its video with the times. "
        "Long lessons come in pieces: pass next_cursor to get the next one."
    ),
    summary=_("Text or transcript of a lesson you can open"),
    run=get_lesson,
    arguments={
        "lesson": LESSON,
        "cursor": {"type": "string", "maxLength": 40, "description": "next_cursor of the previous piece."},
    },
    required=("lesson",),
    scope=Scope.READ_COURSES,
    reads_only=True,
)

LESSONS = Resources[Caller](
    listed=_listed,
    read=_read,
    template=URI_TEMPLATE,
    name="lesson",
    title=_("Lessons"),
    description=_("A lesson that the user may open, as Markdown, with the transcript of its video."),
    scope=Scope.READ_COURSES,
    complete={"course": complete_course, "lesson": complete_slug},
)
