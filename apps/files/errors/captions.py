"""Refusals of caption files."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class CaptionsUnreadable(AppError):
    code = "CAPTIONS_UNREADABLE"
    status = 415
    title = _("These captions can't be read")
    message = _(
        "Captions must be a WebVTT, SRT, SBV, ASS, TTML, LRC, MPL2 or MicroDVD file of at most 2 MB, with at least one"
        " line of text."
    )


@dataclass(eq=False, kw_only=True)
class CaptionFormatUnsupported(CaptionsUnreadable):
    code = "CAPTION_FORMAT_UNSUPPORTED"
    title = _("This caption format isn't supported")
    message = _(
        "This is a file in the format %(format)s. Captions must be a WebVTT, SRT, SBV, ASS, TTML, LRC, MPL2 or"
        " MicroDVD file."
    )
    format: str


@dataclass(eq=False, kw_only=True)
class CaptionsDamaged(CaptionsUnreadable):
    code = "CAPTIONS_DAMAGED"
    status = 422
    title = _("This caption file is damaged")
    message = _(
        "This %(format)s file is damaged or counts in frames without a frame rate. Save it as WebVTT or SRT, and try"
        " again."
    )
    format: str


class CaptionsTooLarge(CaptionsUnreadable):
    code = "CAPTIONS_TOO_LARGE"
    status = 413
    title = _("This caption file is too large")
    message = _("A caption file can have up to 2 MB and 20,000 captions.")


@dataclass(eq=False, kw_only=True)
class CaptionEncodingUncertain(AppError):
    """The bytes of a caption file make sense in several encodings. ``encoding``: the likeliest."""

    code = "CAPTION_ENCODING_UNCERTAIN"
    status = 409
    title = _("Confirm the encoding")
    message = _(
        "This file isn't in Unicode. Its encoding looks like %(encoding)s. Check the text and name the encoding."
    )
    severity = "warning"
    encoding: str
