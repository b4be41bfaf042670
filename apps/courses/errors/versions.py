"""Refusals of versions of a course."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class VersionNeeded(AppError):
    code = "COURSE_NEEDS_NEW_VERSION"
    status = 409
    title = _("This course is changed by versions")
    message = _("Learners are taking this course. Begin its next version to change it; they keep this one until then.")
    severity = "info"
    icon = "copy"


class DraftClosed(AppError):
    code = "DRAFT_CLOSED"
    status = 409
    title = _("This draft is no longer there")
    message = _("It was published, discarded or deleted while you worked on it. Open the course to see what is there.")
    severity = "warning"


class NothingToPublish(AppError):
    code = "VERSION_HAS_NO_CHANGES"
    status = 409
    title = _("Nothing has changed yet")
    message = _("The next version is the same as the one that learners have. Change something first, or discard it.")
    severity = "info"


class VersionNotKept(AppError):
    code = "VERSION_NOT_KEPT"
    status = 409
    title = _("This version can't be restored")
    message = _("Only the latest 50 versions keep their contents.")
    severity = "warning"
    is_for_scripts = False


class VersionIsPresent(AppError):
    code = "VERSION_IS_PRESENT"
    status = 409
    title = _("Learners have this version")
    message = _("Only former versions can be forgotten.")
    severity = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class WatchedChoiceMissing(AppError):
    code = "VERSION_VIDEO_UNDECIDED"
    status = 409
    title = _("A new video has another length")
    message = _("Choose for %(lessons)s whether what learners have watched counts for the new video.")

    lessons: str


@dataclass(eq=False, kw_only=True)
class UploadsUnderWay(AppError):
    code = "VERSION_UPLOADS_UNDER_WAY"
    status = 409
    title = _("A video is still on its way")
    message = _("Wait until the new video of %(lessons)s is ready, or cancel its upload.")
    severity = "warning"
    action = Action(_("View uploads"), href="/dashboard/instructor/upload/")

    lessons: str
