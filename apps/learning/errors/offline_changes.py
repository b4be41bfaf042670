"""Refusals of what learners did without a connection."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class AttemptsHeld(AppError):
    code = "OFFLINE_ATTEMPTS_HELD"
    status = 409
    title = _("Stored on another device")
    message = _(
        "Your remaining attempts at this quiz are stored on your other devices. "
        "Take it there, or take it here with a connection."
    )
    severity = "info"
    icon = "info"


class AttemptOpenOnline(AppError):
    code = "OFFLINE_ATTEMPT_OPEN"
    status = 409
    title = _("Your last attempt is open")
    message = _("You began your last attempt at this quiz with a connection, so you need one to submit it.")
    severity = "info"
    icon = "info"


class AttemptReopenedOnline(AppError):
    code = "OFFLINE_ATTEMPT_REOPENED"
    status = 409
    title = _("Continue with a connection")
    message = _("Your last attempt at this quiz was reopened. You need a connection to continue it.")
    severity = "info"
    icon = "info"


class PaperUnknown(AppError):
    code = "OFFLINE_PAPER_UNKNOWN"
    status = 404
    title = _("These answers don't belong to a quiz")
    message = _("The questions that you answered can't be found anymore, so your answers can't be marked.")
    severity = "warning"


class VideoReplaced(AppError):
    code = "OFFLINE_VIDEO_REPLACED"
    status = 409
    title = _("This lesson has a new video")
    message = _("Its video was replaced after you watched it, so what you watched doesn't count for the new one.")
    severity = "info"
    icon = "info"
