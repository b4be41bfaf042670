"""Refusals of what learners did without a connection."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class AttemptsHeld(AppError):
    code = "OFFLINE_ATTEMPTS_HELD"
    status = 409
    title = _("Stored on another device")
    message = _(
        "Your remaining attempts at this quiz are stored on your other devices. "
        "Take it there, or here once you're online."
    )
    severity = "info"
    icon = "info"


class AttemptOpenOnline(AppError):
    code = "OFFLINE_ATTEMPT_OPEN"
    status = 409
    title = _("Your last attempt is still open")
    message = _("You started your last attempt at this quiz online, so you need a connection to submit it.")
    severity = "info"
    icon = "info"


class AttemptReopenedOnline(AppError):
    code = "OFFLINE_ATTEMPT_REOPENED"
    status = 409
    title = _("Continue online")
    message = _("Your last attempt at this quiz was reopened. You need a connection to continue it.")
    severity = "info"
    icon = "info"


class PaperUnknown(AppError):
    code = "OFFLINE_PAPER_UNKNOWN"
    status = 404
    title = _("These answers don't belong to a quiz")
    message = _("The questions you answered no longer exist, so your answers can't be marked.")
    severity = "warning"


class VideoReplaced(AppError):
    code = "OFFLINE_VIDEO_REPLACED"
    status = 409
    title = _("This lesson has a new video")
    message = _("The video was replaced after you watched it, so your time doesn't count toward the new one.")
    severity = "info"
    icon = "info"
