"""Refusals of single lessons."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class LessonTakenOut(AppError):
    code = "LESSON_TAKEN_OUT"
    status = 404
    title = _("This lesson is no longer part of the course")
    message = _("“%(lesson)s” was taken out in a newer version. What you did in it is kept in your history.")
    severity = "info"
    icon = "info"
    action = Action(_("Continue the course"), href="/learn/{course}")

    lesson: str
    course: str


@dataclass(eq=False, kw_only=True)
class PrerequisiteNotMet(AppError):
    code = "PREREQUISITE_NOT_MET"
    status = 403
    title = _("Not open yet")
    message = _("Complete “%(lesson)s” to open this lesson.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Go to the previous lesson"), href="/course/lessons?course={course}")

    lesson: str = ""
    course: str = ""
    slug: str = ""
