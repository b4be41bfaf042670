"""Refusals of uploads. The limits in the texts are those that the server enforces."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class FileTooLarge(AppError):
    code = "UPLOAD_FILE_TOO_LARGE"
    status = 413
    title = _("The file is too large")
    message = _("This file is larger than %(limit)s. A lecture video may be 5GB, any other file 2GB.")
    action = Action(_("How to compress a video"), href="/help/video-compression")

    limit: str = "2GB"


@dataclass(eq=False, kw_only=True)
class FormatUnsupported(AppError):
    code = "UPLOAD_FORMAT_UNSUPPORTED"
    status = 415
    title = _("This format is not supported")
    message = _("A video must be one of: %(formats)s. What counts is the file's content, not its name.")
    action = Action(_("See supported formats"), href="/help/supported-formats")

    formats: str = "MP4, MOV, AVI, WebM"


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
