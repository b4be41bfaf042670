"""Refusals of findings."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class FindingNotFound(AppError):
    code = "FINDING_NOT_FOUND"
    status = 404
    title = _("Already settled")
    message = _("The course has changed, and this finding is gone.")
    severity = "info"
    is_for_scripts = False


class FindingRequired(AppError):
    code = "FINDING_REQUIRED"
    status = 409
    title = _("This can't be ignored")
    message = _("The course can't be submitted without it.")
    is_for_scripts = False
