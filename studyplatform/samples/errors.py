"""Refusals of the sample pages."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class SampleLimitReached(AppError):
    code = "SAMPLE_LIMIT_REACHED"
    status = 409
    title = _("This sample list is full")
    message = _("A sample list holds %(limit)s entries. Delete one to add another.")
    severity = "warning"

    limit: int = 0


class SamplesFull(AppError):
    code = "SAMPLES_FULL"
    status = 503
    title = _("The samples are full for today")
    message = _("Visitors have entered as much as the sample pages keep. They are emptied every night.")
    severity = "warning"
    icon = "clock"


@dataclass(eq=False, kw_only=True)
class GuestAlreadyListed(AppError):
    code = "GUEST_ALREADY_LISTED"
    status = 409
    title = _("Already on the list")
    message = _("“%(name)s” is already on the guest list.")
    severity = "warning"

    name: str = ""
