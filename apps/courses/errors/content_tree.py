"""Refusals of stored and imported contents of courses."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class ContentTreeUnreadable(AppError):
    code = "CONTENT_TREE_UNREADABLE"
    status = 422
    title = _("This version can't be read")
    message = _("It was stored by another version of the platform, or it is damaged. Nothing was changed.")
    severity = "warning"
    is_for_scripts = False
