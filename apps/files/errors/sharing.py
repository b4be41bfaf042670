"""Refusals of sharing.

Strangers must not learn whether a link ever existed: a link that was revoked, whose file is in the bin, or whose owner
is blocked is refused exactly as an address that no one was ever given.
"""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class ShareNotFound(AppError):
    code = "SHARE_NOT_FOUND"
    status = 404
    is_for_scripts = False
    title = _("This link doesn't work")
    message = _("The address may be incomplete, or this is no longer shared. Ask the person who sent it for a new one.")


class ShareExpired(AppError):
    code = "SHARE_EXPIRED"
    status = 410
    is_for_scripts = False
    severity = "warning"
    icon = "clock"
    title = _("This link has expired")
    message = _("Its owner set a date after which it no longer works. Ask the person who sent it for a new one.")


class ShareUsedUp(AppError):
    code = "SHARE_USED_UP"
    status = 410
    is_for_scripts = False
    severity = "warning"
    icon = "download"
    title = _("This link has reached its limit")
    message = _("Its owner limited the number of downloads. Ask the person who sent it for a new one.")


class SharePasswordRefused(AppError):
    code = "SHARE_PASSWORD_REFUSED"
    status = 403
    is_for_scripts = False
    icon = "lock"
    title = _("This link needs its password")
    message = _("The password is missing or incorrect. Passwords are case-sensitive.")
