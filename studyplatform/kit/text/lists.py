"""Names in a sentence, quoted and listed as the site's language does it, by the data of CLDR."""

from collections.abc import Sequence
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.lists import format_list
from django.utils.translation import get_language, ngettext, to_locale
from django.utils.translation import gettext as _


def quote(text: str) -> str:
    """Return a name in quotation marks."""
    return _("“%s”") % text


def list_names(names: Sequence[str], *, more: int = 0) -> str:
    """Return names as a list in a sentence: "one, two, and three"; with ``more``: "one, two, and 4 more"."""
    rest = [ngettext("%(num)d more", "%(num)d more", more) % {"num": more}] if more else []
    return format_list([*names, *rest], locale=_locale(get_language() or "en"))


@lru_cache(maxsize=16)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(to_locale(language))
    except (UnknownLocaleError, ValueError):
        return Locale("en")
