"""Refusals of offline lessons."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class OfflineDeviceLimit(AppError):
    code = "OFFLINE_DEVICE_LIMIT"
    status = 409
    title = _("Too many devices")
    message = _("You already store lessons on %(limit)s devices. Remove one you no longer use, then try again.")
    severity = "warning"
    icon = "hard-drive"
    action = Action(_("See your devices"), href="/offline")

    limit: int


class OfflineDeviceRemoved(AppError):
    code = "OFFLINE_DEVICE_REMOVED"
    status = 404
    title = _("This device was removed")
    message = _("The lessons stored on this device were removed with it. You can download them again.")
    severity = "info"
    icon = "info"
    action = Action(_("My Learning"), href="/me/enrollments")


@dataclass(eq=False, kw_only=True)
class OfflineNotPossible(AppError):
    code = "OFFLINE_NOT_POSSIBLE"
    status = 409
    title = _("This lesson can't be downloaded")
    message = _("%(reason)s")
    severity = "info"
    icon = "wifi-off"

    reason: str
