"""The tool that writes a note."""

from typing import Any
from uuid import uuid4

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.models import Scope
from apps.courses.models import Lesson
from apps.learning import services
from apps.learning.models import Note
from apps.learning.queries.addresses import lesson_url, notebook_url
from apps.learning.queries.lessons import OpenLesson, lesson_named
from apps.tutor.mcp.addresses import LESSON, absolute, lesson_name
from apps.tutor.mcp.callers import Caller
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.mcp.service import Answer, Tool
from studyplatform.kit.policies import enforce

LONGEST = 10_000  # characters, as in the player


def create_note(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """Write a note of the user about a lesson that they may open, or about a second of its video."""
    opened = lesson_named(caller.user, arguments["lesson"])
    enforce(opened.verdict)
    second = int(arguments["second"]) if arguments.get("second") is not None else None
    _check_second(opened, second)
    text = arguments["text"].strip()
    if not text:
        raise ValidationFailed(in_fields={"text": [{"code": "blank", "message": _("Enter a text.")}]})
    note = services.write_note(
        user=caller.user,
        lesson_uid=opened.lesson.uid,
        uid=uuid4(),
        kind=Note.Kind.NOTE,
        second=second,
        text=text,
        now=caller.now,
    )
    course, lesson = opened.course.slug, opened.lesson.slug
    return Answer(
        data={
            "note": note.uid,
            "lesson": lesson_name(course, lesson),
            "second": note.second,
            "text": note.text,
            "url": absolute(lesson_url(course, lesson, at=second)),
            "notebook": absolute(notebook_url(course)),
        }
    )


def _check_second(opened: OpenLesson, second: int | None) -> None:
    """:raises ValidationFailed: the lesson has no such second."""
    lesson = opened.lesson
    if second is None:
        return
    duration = lesson.video.duration if lesson.video else float(lesson.duration)
    if lesson.kind != Lesson.Kind.VIDEO or second > duration:
        said = _("The lesson has no video, or the video is shorter.")
        raise ValidationFailed(in_fields={"second": [{"code": "out_of_range", "message": said}]})


CREATE_NOTE = Tool[Caller](
    name="create_note",
    title=gettext_lazy("Write a note"),
    description=gettext_lazy(
        "Write a note for the user about a lesson of a course that they are enrolled in, or about a second of its "
        "video. Only the user sees it."
    ),
    summary=gettext_lazy("A note of yours, in the notebook of a lesson"),
    run=create_note,
    arguments={
        "lesson": LESSON,
        "text": {"type": "string", "minLength": 1, "maxLength": LONGEST, "description": "Markdown."},
        "second": {
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": 360_000,
            "description": "Second of the video; without it, the note is about the whole lesson.",
        },
    },
    required=("lesson", "text"),
    scope=Scope.WRITE_NOTES,
)
