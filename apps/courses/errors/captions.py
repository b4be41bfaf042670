"""Refusals while captions and chapters are edited."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class ChaptersRefused(AppError):
    code = "CHAPTERS_REFUSED"
    status = 422
    title = _("These chapters can't be saved")
    message = "%(reason)s"
    reason: str


@dataclass(eq=False, kw_only=True)
class ChaptersChangedMeanwhile(AppError):
    """``chapters`` are the present ones (the shape ``CaptionChapter``), so that their author can compare."""

    code = "CHAPTERS_CHANGED"
    status = 409
    title = _("These chapters have changed")
    message = _("Another author has changed the chapters since you loaded them, so yours were not saved.")
    severity = "warning"

    chapters: list[dict[str, Any]] = field(default_factory=list)


class VideoOfOtherCourse(AppError):
    code = "VIDEO_OF_OTHER_COURSE"
    status = 403
    title = _("Another course shows this video too")
    message = _(
        "A published course shows this video. Only those who edit that course can change its captions and cover."
    )
    severity = "info"
