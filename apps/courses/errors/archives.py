"""Refusals of archives of courses."""

from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class CourseArchiveUnreadable(AppError):
    """``reason``: "foreign", "later", "damaged", "large", or what in it cannot be used."""

    code = "COURSE_ARCHIVE_UNREADABLE"
    status = 422
    title = _("This archive can't be read")
    message = _(
        "This is no archive of a course, it is damaged, or a later release has written it (%(reason)s). Export the"
        " course again. Nothing was imported."
    )
    is_for_scripts: ClassVar[bool] = False
    reason: str


class CourseChangedMeanwhile(AppError):
    code = "COURSE_CHANGED_MEANWHILE"
    status = 409
    title = _("The course changed meanwhile")
    message = _("A file of the course was replaced while it was exported. Export it again.")
    is_for_scripts = False
