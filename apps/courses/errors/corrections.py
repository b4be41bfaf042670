"""Refusals of corrections that go live without a review."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class CorrectionsAreReviewed(AppError):
    code = "CORRECTIONS_ARE_REVIEWED"
    status = 403
    title = _("Every change is reviewed here")
    message = _("This site reviews corrections too. Submit the next version; nothing is lost.")
    severity = "info"
    is_for_scripts = False


class NothingToCorrect(AppError):
    code = "NOTHING_TO_CORRECT"
    status = 409
    title = _("No small corrections")
    message = _("None of the changes is a small correction anymore. The rest waits for the next version.")
    severity = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class CorrectionsTooLong(AppError):
    code = "CORRECTIONS_TOO_LONG"
    status = 409
    title = _("Too many words for corrections")
    message = _(
        "%(words)s words would change, and %(left)s can change today without a review. Submit the next version."
    )
    severity = "info"
    is_for_scripts = False

    words: int
    left: int


class VersionIsReviewed(AppError):
    code = "VERSION_IS_REVIEWED"
    status = 403
    title = _("This version needs a review")
    message = _("Versions go live without a review once three of yours were approved and none was rejected.")
    severity = "info"
    is_for_scripts = False
