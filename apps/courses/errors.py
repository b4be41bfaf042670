"""Refusals of the catalogue and of authoring."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class CourseNotFound(AppError):
    code = "COURSE_NOT_FOUND"
    status = 404
    title = _("Course not found")
    message = _("This course does not exist, or it is not open to you.")
    action = Action(_("Browse courses"), href="/courses/")


class LectureUnavailable(AppError):
    code = "LECTURE_UNAVAILABLE"
    status = 404
    title = _("This lesson is not available")
    message = _("This lesson is not available right now. It may still be in preparation, or it was taken out.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class CourseNotReady(AppError):
    code = "COURSE_NOT_READY"
    status = 409
    title = _("Not ready for review")
    message = _("Before the course can be submitted: %(missing)s.")
    severity = "warning"

    missing: str


@dataclass(eq=False, kw_only=True)
class WrongCourseStatus(AppError):
    code = "COURSE_WRONG_STATUS"
    status = 409
    title = _("Not possible in this status")
    message = _("A course that is %(status)s cannot do that.")
    severity = "warning"

    status_now: str = ""

    @property
    def detail(self) -> str:
        return str(self.message) % {"status": self.status_now}
