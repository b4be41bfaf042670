"""What the page of a lesson shows of its timeline before that is opened: counts, marks, the props of its island."""

from typing import Any

from apps.courses.models import Lesson
from apps.learning.models import Note
from apps.learning.queries.addresses import notebook_url
from apps.learning.queries.lessons import OpenLesson
from apps.learning.queries.notes import marks_of
from studyplatform.kit.extensions import Discussion


def timeline_of(opened: OpenLesson, discussion: Discussion | None) -> dict[str, Any]:
    """Return the number of notes, the marks on the scrubber (second, beginning, kind), and the island's props."""
    lesson, marks = opened.lesson, marks_of(opened.standing, opened.lesson)
    has_video = lesson.kind == Lesson.Kind.VIDEO
    return {
        "count": sum(kind == Note.Kind.NOTE for _second, kind, _opening in marks),
        "marks": [(second, opening, kind) for second, kind, opening in marks if second is not None],
        "has_video": has_video,
        "may_write": opened.may_save,
        "props": {
            "lesson": str(lesson.uid),
            "has_video": has_video,
            "may_write": opened.may_save,
            "notebook": notebook_url(opened.course.slug),
            "questions": discussion.links if discussion and has_video else [],
        },
    }
