"""Refusals of uploads and videos. The limits in the texts are those that the server enforces."""

from dataclasses import dataclass, field

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError
from studyplatform.kit.sizes import as_limit


def _limit(purpose: str) -> str:
    return as_limit(settings.UPLOAD_LIMITS[purpose])


@dataclass(eq=False, kw_only=True)
class FileTooLarge(AppError):
    code = "UPLOAD_FILE_TOO_LARGE"
    status = 413
    title = _("The file is too large")
    message = _(
        "This file is larger than %(limit)s. A lecture video may be %(video_limit)s, any other file %(file_limit)s."
    )
    action = Action(_("How to compress a video"), href="/help/video-compression")

    limit: str = field(default_factory=lambda: _limit("file"))
    video_limit: str = field(default_factory=lambda: _limit("video"))
    file_limit: str = field(default_factory=lambda: _limit("file"))


@dataclass(eq=False, kw_only=True)
class FormatUnsupported(AppError):
    code = "UPLOAD_FORMAT_UNSUPPORTED"
    status = 415
    title = _("This format is not supported")
    message = _("A video must be one of: %(formats)s. What counts is the file's content, not its name.")
    action = Action(_("See supported formats"), href="/help/supported-formats")

    formats: str = field(default_factory=lambda: ", ".join(settings.VIDEO_FORMATS))


class UploadNetworkError(AppError):
    code = "UPLOAD_NETWORK_ERROR"
    status = 503
    title = _("The upload was interrupted")
    message = _("The connection broke during the upload. What arrived is kept; it resumes from there.")
    severity = "warning"
    icon = "cloud-off"
    action = Action(_("Resume upload"), handler="resume")
    retry_delay = 5


@dataclass(eq=False, kw_only=True)
class QuotaExceeded(AppError):
    code = "UPLOAD_QUOTA_EXCEEDED"
    status = 413
    title = _("Your storage is full")
    message = _("This file needs %(needed)s and %(free)s of your %(allowance)s are free.")
    icon = "hard-drive"
    action = Action(_("See your storage"), href="/settings/storage")

    needed: str = ""
    free: str = ""
    allowance: str = ""


@dataclass(eq=False, kw_only=True)
class UploadMalformed(AppError):
    code = "UPLOAD_MALFORMED"
    status = 400
    title = _("The upload could not be read")
    message = _("The upload does not follow the protocol: %(reason)s.")

    reason: str = ""


class UploadVersionUnsupported(AppError):
    code = "UPLOAD_VERSION_UNSUPPORTED"
    status = 412
    title = _("Another version of the upload protocol is needed")
    message = _("Uploads speak tus 1.0.0. Reload the page and try again.")
    action = Action(_("Reload the page"), handler="reload")


@dataclass(eq=False, kw_only=True)
class UploadOffsetMismatch(AppError):
    code = "UPLOAD_OFFSET_MISMATCH"
    status = 409
    title = _("The upload goes on elsewhere")
    message = _("This part of the file does not follow what has arrived. The upload resumes from what is kept.")
    severity = "warning"
    action = Action(_("Resume upload"), handler="resume")

    offset: int = 0


class UploadBusy(AppError):
    code = "UPLOAD_BUSY"
    status = 423
    title = _("The upload is already under way")
    message = _("Another window is sending this very file.")
    severity = "warning"
    retry_delay = 5


class UploadChecksumMismatch(AppError):
    code = "UPLOAD_CHECKSUM_MISMATCH"
    status = 460
    title = _("A part of the file was damaged on its way")
    message = _("A part of the file arrived damaged. It will be sent again.")
    severity = "warning"
    action = Action(_("Resume upload"), handler="resume")
    retry_delay = 1


class UploadExpired(AppError):
    code = "UPLOAD_EXPIRED"
    status = 410
    title = _("The upload has expired")
    message = _("What had arrived of this file was kept for a while and has been removed. Upload it again.")
    severity = "warning"


class UploadUnfinished(AppError):
    code = "UPLOAD_UNFINISHED"
    status = 409
    title = _("The file has not arrived whole")
    message = _("Only a file that has arrived whole can be handed out. Let its upload go on first.")
    severity = "warning"


class FileInUse(AppError):
    code = "FILE_IN_USE"
    status = 409
    title = _("This file is in use")
    message = _("A lesson hands this file out. Take it out of the lesson first.")


class FileEmpty(AppError):
    code = "FILE_EMPTY"
    status = 415
    title = _("The file is empty")
    message = _("There is nothing in this file. Choose another one.")


class FileUnsuitable(AppError):
    code = "FILE_UNSUITABLE"
    status = 415
    title = _("This file cannot be handed out")
    message = _("It is a page or a program, which a browser or computer might run. Put it into a ZIP archive first.")


@dataclass(eq=False, kw_only=True)
class FileMisnamed(AppError):
    code = "FILE_MISNAMED"
    status = 415
    title = _("The file is not what its name says")
    message = _("Its name ends in %(ending)s, but its content is something else. Choose the right file, or rename it.")

    ending: str = ""


class VideoNotRetryable(AppError):
    code = "VIDEO_NOT_RETRYABLE"
    status = 409
    title = _("This video cannot be processed again")
    message = _("Only a video whose processing failed can be tried again. Replace the file instead.")


class VideoBusy(AppError):
    code = "VIDEO_BUSY"
    status = 409
    title = _("This video is still on its way")
    message = _("The video is still being uploaded or processed. Wait until it has ended, or delete it.")
    severity = "warning"


class VideoInUse(AppError):
    code = "VIDEO_IN_USE"
    status = 409
    title = _("This video is in use")
    message = _("Learners of a published course are watching this video. Take it out of the lesson first.")


class CaptionsUnreadable(AppError):
    code = "CAPTIONS_UNREADABLE"
    status = 415
    title = _("These captions cannot be read")
    message = _("Captions must be a WebVTT (.vtt) or SubRip (.srt) file with at least one line of text.")


class LinkExpired(AppError):
    code = "MEDIA_LINK_EXPIRED"
    status = 403
    title = _("This address has expired")
    message = _("Addresses of videos are valid for a while. Reload the page to get a new one.")
    severity = "warning"
    action = Action(_("Reload the page"), handler="reload")


class LinkOfAnother(AppError):
    code = "MEDIA_LINK_FOREIGN"
    status = 403
    title = _("This address was made for another browser")
    message = _("Addresses of videos work where they were made. Open the lesson itself to get your own.")
    severity = "warning"
