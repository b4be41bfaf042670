"""Refusals of the sample pages."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class SampleLimitReached(AppError):
    code = "SAMPLE_LIMIT_REACHED"
    status = 409
    title = _("The sample is full")
    message = _("Delete an entry to add another. Samples are emptied every night.")
    severity = "warning"


class SampleRejected(AppError):
    code = "SAMPLE_REJECTED"
    status = 409
    title = _("Rejected")
    message = _("The server rejected this change because you asked it to.")
    severity = "warning"


@dataclass(eq=False, kw_only=True)
class GuestAlreadyListed(AppError):
    code = "GUEST_ALREADY_LISTED"
    status = 409
    title = _("Already on the list")
    message = _("“%(name)s” is already on the guest list.")
    severity = "warning"

    name: str = ""
