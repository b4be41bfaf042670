"""The language of the site's texts: one per installation, chosen by LANGUAGE_CODE (docs/translating.md)."""

from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils.translation import to_locale
from markupsafe import Markup

ISLAND_MESSAGES = "islands.json"  # beside the .mo files of a language; written by `manage.py messages`


def island_messages(language: str | None) -> Markup:
    """The translated texts of islands and page scripts as JSON, to be put into a page; "" if there are none.

    The keys are the English sentences; counted ones map to their forms by CLDR category
    (``Messages`` in assets/shared/i18n).
    """
    return _read(language or "en", tuple(map(str, settings.LOCALE_PATHS)))


@lru_cache(maxsize=64)
def _read(language: str, folders: tuple[str, ...]) -> Markup:
    for folder in folders:
        file = Path(folder) / to_locale(language) / "LC_MESSAGES" / ISLAND_MESSAGES
        if file.exists():
            # As json_script does: the text cannot end its script element.
            return Markup(file.read_text(encoding="utf-8").replace("<", "\\u003c"))  # noqa: S704 (escaped here)
    return Markup()
