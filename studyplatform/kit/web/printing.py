"""Tell who saves a name or a title that documents cannot print all of it."""

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from studyplatform.kit.typesetting import find_unprintable

MAX_NAMED = 5  # characters in the message


def warn_of_unprintable(request: HttpRequest, text: str) -> None:
    """Add a warning that names the characters for which no font is installed; none if there are no such characters."""
    found = find_unprintable(text)
    if not found:
        return
    named = ", ".join(f"{char} (U+{ord(char):04X})" for char in found[:MAX_NAMED])
    messages.warning(
        request,
        _("Certificates and PDFs can't print %(characters)s. A box with the number of the character appears instead.")
        % {"characters": named if len(found) <= MAX_NAMED else f"{named} …"},
    )
