"""Refusals about an account and its requests."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class PictureUnreadable(AppError):
    code = "PICTURE_UNREADABLE"
    status = 422
    title = _("This picture can't be used")
    message = _(
        "Choose a PNG, JPEG or WebP picture of up to 5 MB. Photos can have up to 50 megapixels, others up to 12."
    )
    icon = "image-off"


class TeachingAlreadyRequested(AppError):
    code = "TEACHING_ALREADY_ASKED"
    status = 409
    title = _("You can't send a request right now")
    message = _("You already teach, your request is waiting for a decision, or it was declined less than a week ago.")
    severity = "info"
    icon = "graduation-cap"


class TeachingAlreadyDecided(AppError):
    code = "TEACHING_ALREADY_DECIDED"
    status = 409
    title = _("Already decided")
    message = _("Another admin has answered this request.")
    severity = "info"
    icon = "info"


class ExportUnderWay(AppError):
    code = "EXPORT_UNDER_WAY"
    status = 409
    title = _("Your archive is being prepared")
    message = _("We'll notify you when it's ready. Then you can request another one.")
    severity = "info"
    icon = "clock"


class LastAdmin(AppError):
    code = "LAST_ADMIN"
    status = 409
    title = _("You are the only admin")
    message = _("Make someone else an admin first. Without an admin, no one can run the site.")
    icon = "lock"
    action = Action(_("People"), href="/dashboard/admin/people")


class NotificationNotFound(AppError):
    code = "NOTIFICATION_NOT_FOUND"
    status = 404
    title = _("Notification not found")
    message = _("This notification no longer exists.")
    action = Action(_("See all notifications"), href="/notifications")


class SettingsNotSaved(AppError):
    code = "SETTINGS_UPDATE_FAILED"
    status = 422
    title = _("Your settings weren't saved")
    message = _("Check the marked fields and save again. Nothing was changed.")


class PasswordNotChanged(AppError):
    code = "PASSWORD_CHANGE_FAILED"
    status = 422
    title = _("Your password wasn't changed")
    message = _("Check the marked fields and try again. Your current password still works.")
