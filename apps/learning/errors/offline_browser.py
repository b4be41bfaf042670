"""What keeps a browser from storing a lesson. Scripts raise these; only those of offline lessons get their texts."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import contract_tables


class OfflineBrowserUnfit(AppError):
    is_for_scripts = False
    code = "OFFLINE_BROWSER_UNFIT"
    status = 409
    title = _("This browser can't store lessons")
    message = _(
        "Lessons are stored encrypted, which this window doesn't support. "
        "Private windows, old browsers and sites without https can't store lessons."
    )
    severity = "info"
    icon = "wifi-off"


class OfflineStorageFull(AppError):
    is_for_scripts = False
    code = "OFFLINE_STORAGE_FULL"
    status = 507
    title = _("No room left on this device")
    message = _("This device has no room left for lessons. Free up some space, then try again.")
    severity = "warning"
    icon = "hard-drive"


class OfflineLimitReached(AppError):
    is_for_scripts = False
    code = "OFFLINE_LIMIT_REACHED"
    status = 507
    title = _("Your storage limit is reached")
    message = _("This lesson would exceed your limit. Raise the limit or remove other lessons.")
    severity = "warning"
    icon = "hard-drive"


class OfflineFileMissing(AppError):
    is_for_scripts = False
    code = "OFFLINE_FILE_MISSING"
    status = 502
    title = _("A part of this lesson couldn't be fetched")
    message = _("A part of it couldn't be fetched. Try again. If it fails again, the lesson may be changing right now.")


@contract_tables.registers("offlineErrors")
def offline_errors() -> dict[str, Any]:
    """The texts of these errors, by code."""
    kinds = (OfflineBrowserUnfit, OfflineStorageFull, OfflineLimitReached, OfflineFileMissing)
    return {kind.code: {"title": str(kind.title), "message": str(kind.message)} for kind in kinds}
