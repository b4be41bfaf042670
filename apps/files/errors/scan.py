"""Refusals because of the virus scan."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class ScanPending(AppError):
    code = "FILE_SCAN_PENDING"
    is_for_scripts = False
    status = 409
    title = _("This file is being checked")
    message = _("The file is being checked for viruses. That usually takes less than a minute. Try again then.")
    severity = "warning"
    icon = "clock"
    retry_delay = 15


class FileInfected(AppError):
    code = "FILE_INFECTED"
    status = 403
    title = _("This file is infected")
    message = _("A virus or another threat was found in this file, so no one can download or share it.")


class ScanImpossible(AppError):
    code = "FILE_SCAN_IMPOSSIBLE"
    is_for_scripts = False
    status = 403
    title = _("This file couldn't be checked")
    message = _("The file couldn't be checked for viruses, so only its owner can download it.")


class FileNotInfected(AppError):
    code = "FILE_NOT_INFECTED"
    is_for_scripts = False
    status = 409
    title = _("This file isn't infected")
    message = _("Only infected files can be deleted here. Reload the page to see which ones are left.")
    severity = "warning"
