"""``manage.py messages``: extract the texts of the code into the files that translators edit, and compile those.

Each language has a folder in LOCALE_PATHS, e.g. ``pt_BR/LC_MESSAGES``, with

- ``django.po`` and ``django.mo``: texts of Python and of the templates,
- ``djangojs.po``: texts of the islands and of the scripts of pages,
- ``islands.json``: the same compiled for the browser, with the error catalog (``kit.text.languages``).

Needs Babel (requirements-dev.txt); a server that only runs the site does not.
"""

import gettext
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation
from django.utils.translation import to_language, to_locale

from studyplatform.kit.errors import REGISTRY
from studyplatform.kit.text.languages import ISLAND_MESSAGES

PAGES, ISLANDS = "django", "djangojs"  # the domains, as Django names them
_PYTHON = {
    **DEFAULT_KEYWORDS,
    "gettext_noop": None,
    "gettext_lazy": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
}
_JINJA = {"extensions": "jinja2.ext.do"}
# Domain, folder, extraction method per file pattern, names of the translation functions, options.
_SOURCES: list[tuple[str, str, list[tuple[str, str]], Any, dict[str, dict[str, Any]]]] = [
    (PAGES, "apps", [("**/migrations/**", "ignore"), ("**.py", "python")], _PYTHON, {}),
    (PAGES, "studyplatform", [("**/migrations/**", "ignore"), ("**.py", "python")], _PYTHON, {}),
    (
        PAGES,
        "templates",
        [("django/**", "ignore"), ("**.html", "jinja2"), ("**.txt", "jinja2")],
        DEFAULT_KEYWORDS,
        {"**.html": _JINJA, "**.txt": _JINJA},
    ),
    (
        ISLANDS,
        "assets",
        [
            ("**.test.*", "ignore"),
            ("**/testing/**", "ignore"),
            ("**.gen.ts", "ignore"),
            ("**.tsx", "javascript"),
            ("**.ts", "javascript"),
        ],
        {"t": None, "tn": (1, 2)},
        {"**.tsx": {"jsx": "true"}},  # in plain TypeScript a "<" begins no element
    ),
]


def extract(domain: str) -> Catalog:
    """The catalog of all texts of one domain, untranslated."""
    catalog = Catalog(domain=domain, project=settings.SITE_NAME, charset="utf-8")
    for of_domain, folder, methods, keywords, options in _SOURCES:
        if of_domain != domain:
            continue
        found = extract_from_dir(
            Path(settings.BASE_DIR) / folder, methods, options, keywords=keywords, comment_tags=("Translators:",)
        )
        for file, line, message, comments, context in found:
            catalog.add(message, None, [(f"{folder}/{file}", line)], auto_comments=comments, context=context)
    return catalog


def update(folder: Path, language: str) -> None:
    """Update the .po files of a language from the code, or create them."""
    for domain in (PAGES, ISLANDS):
        file = _file(folder, language, f"{domain}.po")
        catalog = _read(file, language, domain)
        catalog.update(extract(domain))
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as out:
            write_po(out, catalog, include_lineno=False, sort_by_file=True, ignore_obsolete=True, width=100)


def compile_language(folder: Path, language: str) -> None:
    """Compile the .po files of a language to .mo and JSON. Texts marked as fuzzy stay English."""
    pages, islands = (_read(_file(folder, language, f"{domain}.po"), language, domain) for domain in (PAGES, ISLANDS))
    with _file(folder, language, f"{PAGES}.mo").open("wb") as out:
        write_mo(out, pages)
    messages = dict(_messages(islands, Locale.parse(to_locale(language)))) | dict(_error_texts(pages))
    text = json.dumps(messages, ensure_ascii=False, indent=0, sort_keys=True)
    _file(folder, language, ISLAND_MESSAGES).write_text(text + "\n", encoding="utf-8")


def _file(folder: Path, language: str, name: str) -> Path:
    return folder / to_locale(language) / "LC_MESSAGES" / name


def _read(file: Path, language: str, domain: str) -> Catalog:
    if not file.exists():
        return Catalog(locale=to_locale(language), domain=domain, project=settings.SITE_NAME, fuzzy=False)
    with file.open("rb") as source:
        return read_po(source, locale=to_locale(language), domain=domain)


def _messages(catalog: Catalog, locale: Locale) -> Iterator[tuple[str, str | dict[str, str]]]:
    """The translations in the format of assets/shared/i18n."""
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    translations = gettext.GNUTranslations(compiled)
    for message in catalog:
        if _is_translated(message):
            if isinstance(message.id, str):
                yield message.id, translations.gettext(message.id)
            else:
                yield message.id[0], _plural_forms(locale, translations, message.id[0], message.id[1])


def _is_translated(message: Message) -> bool:
    return bool(message.id and not message.fuzzy and all(_forms(message)))


def _forms(message: Message) -> tuple[str, ...]:
    strings = message.string or ("",)
    return (strings,) if isinstance(strings, str) else tuple(strings)


def _plural_forms(locale: Locale, translations: gettext.GNUTranslations, one: str, many: str) -> dict[str, str]:
    """The plural forms by CLDR category: browsers choose by category (Intl.PluralRules), gettext by number."""
    forms: dict[str, str] = {}
    for number in (*range(201), 1_000_000):
        forms.setdefault(locale.plural_form(number), translations.ngettext(one, many, number))
    forms.setdefault("other", list(forms.values())[-1])  # for fractions, which no text uses
    return forms


def _error_texts(pages: Catalog) -> Iterator[tuple[str, str]]:
    """The translated texts of the error catalog, which islands show without a request."""
    with translation.override("en"):
        texts = {str(text) for error in REGISTRY.values() for text in (error.title, error.message, error.help_text)}
        texts |= {str(error.action.label) for error in REGISTRY.values() if error.action}
    for text in sorted(texts):
        message = pages.get(text)
        if message and _is_translated(message):
            yield text, _forms(message)[0]


class Command(BaseCommand):
    help = "Update and compile the translations of all languages; `messages de` adds German."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("language", nargs="*", help="languages to add, e.g. de or pt-br")

    def handle(self, *, language: list[str], **options: Any) -> None:
        folder = Path(settings.LOCALE_PATHS[0])
        present = [to_language(one.parent.name) for one in folder.glob("*/LC_MESSAGES")]
        for each in sorted({*present, *language}):
            try:
                Locale.parse(to_locale(each))
            except (UnknownLocaleError, ValueError) as error:
                raise CommandError(f"{each} is not a language: {error}") from error
            update(folder, each)
            compile_language(folder, each)
            self.stdout.write(f"Wrote {folder / to_locale(each)}.")
        if not present and not language:
            self.stdout.write("There is no translation yet; name a language, e.g. `make messages NEW=de`.")
