"""Refusals while captions are edited."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class CaptionsReplaced(AppError):
    """The published captions are others than those the sheet of this author came from."""

    code = "CAPTIONS_REPLACED"
    status = 409
    title = _("These captions were replaced")
    message = _("Someone has published other captions in this language. Load them, and decide what to keep.")


class CaptionsChangedMeanwhile(AppError):
    """Publishing names an earlier revision: another author has changed cues that the publisher hasn't seen."""

    code = "CAPTIONS_CHANGED"
    status = 409
    title = _("These captions have changed")
    message = _("Another author has changed these captions since you loaded them. Look at the changes, then publish.")


class CaptionsEmpty(AppError):
    code = "CAPTIONS_EMPTY"
    status = 422
    title = _("There is nothing to publish")
    message = _("No caption has a text yet.")


@dataclass(eq=False, kw_only=True)
class CaptionEncodingTooSmall(AppError):
    """A character of the captions isn't in the encoding that was asked for."""

    code = "CAPTION_ENCODING_TOO_SMALL"
    status = 422
    title = _("This encoding can't hold these captions")
    message = _("The character “%(character)s” can't be written in this encoding. Export the captions in Unicode.")
    character: str
