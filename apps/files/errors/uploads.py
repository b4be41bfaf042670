"""Refusals of uploads and videos. The limits in the texts are those that the server enforces."""

from dataclasses import dataclass, field

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError
from studyplatform.kit.text.sizes import as_size


def _limit(purpose: str) -> str:
    return as_size(settings.UPLOAD_LIMITS[purpose])


@dataclass(eq=False, kw_only=True)
class FileTooLarge(AppError):
    code = "UPLOAD_FILE_TOO_LARGE"
    status = 413
    title = _("The file is too large")
    message = _(
        "This file is larger than %(limit)s. Videos can be up to %(video_limit)s, and other files up to %(file_limit)s."
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
    message = _("Videos must be in one of these formats: %(formats)s. We check the file's content, not its name.")
    action = Action(_("See supported formats"), href="/help/supported-formats")

    formats: str = field(default_factory=lambda: ", ".join(settings.VIDEO_FORMATS))


class UploadNetworkError(AppError):
    code = "UPLOAD_NETWORK_ERROR"
    status = 503
    title = _("The upload was interrupted")
    message = _(
        "The connection was lost during the upload. Your progress is saved, and the upload will resume from there."
    )
    severity = "warning"
    icon = "cloud-off"
    action = Action(_("Resume upload"), handler="resume")
    retry_delay = 5


@dataclass(eq=False, kw_only=True)
class QuotaExceeded(AppError):
    code = "UPLOAD_QUOTA_EXCEEDED"
    status = 413
    title = _("Your storage is full")
    message = _("This file needs %(needed)s, but only %(free)s of your %(allowance)s are free.")
    icon = "hard-drive"
    action = Action(_("Manage storage"), href="/settings/storage")

    needed: str = ""
    free: str = ""
    allowance: str = ""


@dataclass(eq=False, kw_only=True)
class UploadMalformed(AppError):
    code = "UPLOAD_MALFORMED"
    status = 400
    title = _("The upload could not be read")
    message = _("The upload request is invalid: %(reason)s.")

    reason: str = ""


class UploadVersionUnsupported(AppError):
    code = "UPLOAD_VERSION_UNSUPPORTED"
    status = 412
    title = _("Unsupported upload protocol version")
    message = _("Uploads use tus 1.0.0. Reload the page and try again.")
    action = Action(_("Reload the page"), handler="reload")


@dataclass(eq=False, kw_only=True)
class UploadOffsetMismatch(AppError):
    code = "UPLOAD_OFFSET_MISMATCH"
    status = 409
    title = _("The upload is out of sync")
    message = _(
        "This part of the file doesn't match what we've received so far. The upload will resume from what is saved."
    )
    severity = "warning"
    action = Action(_("Resume upload"), handler="resume")

    offset: int = 0


class UploadBusy(AppError):
    code = "UPLOAD_BUSY"
    status = 423
    title = _("This upload is already in progress")
    message = _("Another window is uploading this file.")
    severity = "warning"
    retry_delay = 5


class UploadChecksumMismatch(AppError):
    code = "UPLOAD_CHECKSUM_MISMATCH"
    status = 460
    title = _("Part of the file was damaged during the upload")
    message = _("Part of the file arrived damaged and will be sent again.")
    severity = "warning"
    action = Action(_("Resume upload"), handler="resume")
    retry_delay = 1


class UploadExpired(AppError):
    code = "UPLOAD_EXPIRED"
    status = 410
    title = _("The upload has expired")
    message = _("The interrupted upload was kept for 7 days and has now been removed. Upload the file again.")
    severity = "warning"


class UploadClosed(AppError):
    code = "UPLOAD_CLOSED"
    status = 403
    title = _("This upload can't be changed")
    message = _("This upload is put together from several parts. You can cancel it as a whole, but not change it.")


@dataclass(eq=False, kw_only=True)
class TooManyPartialUploads(AppError):
    code = "UPLOAD_TOO_MANY_PARTS"
    status = 409
    title = _("Too many unfinished uploads")
    message = _("You can have up to %(most)s parts of unfinished uploads. Finish or cancel some of your uploads first.")
    action = Action(_("Manage storage"), href="/settings/storage")

    most: int = 0


@dataclass(eq=False, kw_only=True)
class TooManyOpenUploads(AppError):
    code = "UPLOAD_TOO_MANY_OPEN"
    status = 409
    title = _("Too many unfinished uploads")
    message = _("You can have up to %(most)s unfinished uploads. Finish or cancel some of them first.")
    action = Action(_("Manage storage"), href="/settings/storage")

    most: int = 0


class UploadUnfinished(AppError):
    code = "UPLOAD_UNFINISHED"
    status = 409
    title = _("The upload isn't finished")
    message = _("You can only use a file once its upload is complete. Finish the upload first.")
    severity = "warning"


class UploadPartUnfinished(UploadUnfinished):
    """tus: parts can be concatenated once they are complete."""

    code = "UPLOAD_PART_UNFINISHED"
    status = 400
    title = _("A part of the upload isn't finished")
    message = _("Parts can be put together once all of them are complete. Finish this part first.")


class FileInUse(AppError):
    code = "FILE_IN_USE"
    status = 409
    title = _("This file is in use")
    message = _("Your library, a lesson, a course, a post or a message uses this file. Remove it there first.")


class FileEmpty(AppError):
    code = "FILE_EMPTY"
    status = 415
    title = _("The file is empty")
    message = _("This file has no content. Choose another one.")


class FileUnsuitable(AppError):
    code = "FILE_UNSUITABLE"
    status = 415
    title = _("This type of file isn't allowed")
    message = _("Web pages and programs could run on a learner's computer. Put the file in a ZIP archive first.")


@dataclass(eq=False, kw_only=True)
class FileMisnamed(AppError):
    code = "FILE_MISNAMED"
    status = 415
    title = _("The file doesn't match its name")
    message = _(
        "Its name ends in %(ending)s, but its content is in a different format. Choose the right file, or rename it."
    )

    ending: str = ""


class VideoNotRetryable(AppError):
    code = "VIDEO_NOT_RETRYABLE"
    status = 409
    title = _("This video can't be processed again")
    message = _("You can only retry a video whose processing failed. Replace the file instead.")


class VideoBusy(AppError):
    code = "VIDEO_BUSY"
    status = 409
    title = _("This video isn't ready yet")
    message = _("The video is still being uploaded or processed. Wait until it's done, or delete it.")
    severity = "warning"


class VideoInUse(AppError):
    code = "VIDEO_IN_USE"
    status = 409
    title = _("This video is in use")
    message = _("A published course uses this video. Remove it from the lesson first.")


class VideoWatched(AppError):
    code = "VIDEO_WATCHED"
    status = 409
    title = _("Learners watch this video")
    message = _("A published course shows this video. Upload the new one for the lesson in the course's next version.")


class LinkExpired(AppError):
    code = "MEDIA_LINK_EXPIRED"
    status = 403
    title = _("This link has expired")
    message = _("Video links work only for a limited time. Reload the page to get a new one.")
    severity = "warning"
    action = Action(_("Reload the page"), handler="reload")


class LinkOfAnother(AppError):
    code = "MEDIA_LINK_FOREIGN"
    status = 403
    title = _("This link was made for another browser")
    message = _("Video links only work in the browser they were made for. Open the lesson to get your own link.")
    severity = "warning"
