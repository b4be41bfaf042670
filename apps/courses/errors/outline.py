"""Refusals of the outline: what is in a course, in which order, and when it opens."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class OutlineMoved(AppError):
    """``outline`` is the present one (the shape ``StudioOutline``), in answers of the API."""

    code = "OUTLINE_CHANGED"
    status = 409
    title = _("The outline has changed")
    message = _("Someone else has changed the outline in the meantime, so nothing was changed. Check it and try again.")
    severity = "warning"
    icon = "info"

    outline: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class UndoConflict(AppError):
    code = "OUTLINE_UNDO_CONFLICT"
    status = 409
    title = _("This can't be undone")
    message = _("%(reason)s")
    severity = "warning"

    reason: str


@dataclass(eq=False, kw_only=True)
class LessonNotOpenYet(AppError):
    code = "LESSON_NOT_OPEN_YET"
    status = 403
    title = _("Not open yet")
    message = _("This lesson opens on %(opens_on)s.")
    severity = "info"
    icon = "lock"
    action = Action(_("See all lessons"), href="/course/lessons?course={course}")

    opens_on: str
    course: str = ""


@dataclass(eq=False, kw_only=True)
class VideoOfDeletedLesson(AppError):
    code = "VIDEO_OF_DELETED_LESSON"
    status = 409
    title = _("A deleted lesson may need this video")
    message = _(
        "“%(lesson)s” was deleted and can be brought back with its video until %(until)s. Bring it back and remove the "
        "video to delete it now."
    )
    severity = "warning"

    lesson: str
    until: str


class LessonOpensTwice(AppError):
    code = "LESSON_OPENS_TWICE"
    status = 400
    title = _("Choose when the lesson opens")
    message = _("A lesson opens on a date or a number of days after enrollment, not both.")
    severity = "warning"


@dataclass(eq=False, kw_only=True)
class OutlineFull(AppError):
    code = "COURSE_OUTLINE_FULL"
    status = 409
    title = _("The course is full")
    message = _("You've reached the limit of %(limit)s for this course.")
    severity = "warning"

    limit: int


@dataclass(eq=False, kw_only=True)
class PrerequisitesInCircle(AppError):
    code = "LESSON_PREREQUISITES_IN_CIRCLE"
    status = 409
    title = _("These lessons would require each other")
    message = _("“%(lesson)s” can't be required: it already requires this lesson. No one could open either of them.")
    severity = "warning"

    lesson: str


class WrongLessonKind(AppError):
    code = "LESSON_WRONG_KIND"
    status = 409
    title = _("Wrong type of lesson")
    message = _("Only video lessons can have a video, and only file lessons can have a file to download.")
    severity = "warning"


class LessonVideoChanged(AppError):
    code = "LESSON_VIDEO_CHANGED"
    status = 409
    title = _("The lesson has another video by now")
    message = _("Somebody has changed the video of this lesson. Look at what it shows now, then choose again.")
    severity = "warning"
