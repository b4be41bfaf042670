"""Names in a sentence, quoted and listed as the site's language does it, by the data of CLDR."""

from collections.abc import Sequence

from babel.lists import format_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studyplatform.kit.text.locales import page_locale


def quote(text: str) -> str:
    """Return a name in quotation marks."""
    return _("“%s”") % text


def list_names(names: Sequence[str], *, more: int = 0) -> str:
    """Return names as a list in a sentence: "one, two, and three"; with ``more``: "one, two, and 4 more"."""
    rest = [ngettext("%(num)d more", "%(num)d more", more) % {"num": more}] if more else []
    return format_list([*names, *rest], locale=page_locale())
