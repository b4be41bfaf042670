"""The locale (CLDR) of the language of a page."""

from functools import lru_cache

from babel import Locale, UnknownLocaleError
from django.utils.translation import get_language, to_locale


def page_locale() -> Locale:
    """Return the locale of the page's language; English where there is none or CLDR does not know it."""
    return locale_of(get_language() or "en")


@lru_cache(maxsize=64)
def locale_of(language: str) -> Locale:
    """Return the locale of a language of Django: "pt-br". English for one that CLDR does not know."""
    try:
        return Locale.parse(to_locale(language))
    except (UnknownLocaleError, ValueError):
        return Locale("en")
