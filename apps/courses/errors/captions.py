"""Refusals while captions and chapters are edited."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class ChaptersRefused(AppError):
    code = "CHAPTERS_REFUSED"
    status = 422
    title = _("These chapters can't be saved")
    message = "%(reason)s"
    reason: str
