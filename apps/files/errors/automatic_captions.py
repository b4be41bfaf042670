"""Refusals of automatic captions and translations."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class AutomaticCaptionsOff(AppError):
    code = "AUTOMATIC_CAPTIONS_OFF"
    status = 409
    title = _("Automatic captions aren't set up")
    message = _("This site has no service that writes captions. An administrator can name one.")
    severity = "info"


class TranslationOff(AppError):
    code = "CAPTION_TRANSLATION_OFF"
    status = 409
    title = _("Translations aren't set up")
    message = _("This site has no service that translates captions. An administrator can name one.")
    severity = "info"


class NothingToHear(AppError):
    code = "NOTHING_TO_HEAR"
    status = 409
    title = _("There is nothing to hear yet")
    message = _("This video has no sound, or it is still being processed.")


class CoverNotThere(AppError):
    code = "COVER_NOT_THERE"
    status = 409
    title = _("There is no such picture in the video")
    message = _("Choose a moment within the video, once it can be played.")


class CaptionLanguageUnknown(AppError):
    code = "CAPTION_LANGUAGE_UNKNOWN"
    status = 400
    title = _("This is no language")
    message = _("Choose a language from the list.")


class NothingToTranslate(AppError):
    code = "NOTHING_TO_TRANSLATE"
    status = 400
    title = _("There is nothing to translate")
    message = _("Every caption has a translation already.")
    severity = "info"
