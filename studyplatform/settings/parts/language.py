"""The language of the site's texts: one per installation (docs/translating.md)."""

from pathlib import Path

from django.conf.locale import LANG_INFO

from studyplatform.settings import env

LOCALE_PATHS = [Path(__file__).resolve().parents[2] / "locale"]
USE_I18N = True
# English, which the code is written in, and each language that has been compiled.
LANGUAGES = [("en", "English")]
for _file in sorted(LOCALE_PATHS[0].glob("*/LC_MESSAGES/django.mo")):
    _code = _file.parents[1].name.lower().replace("_", "-")
    LANGUAGES.append((_code, LANG_INFO.get(_code, {}).get("name_local", _code)))
# Django refuses to start with a language that is not in the list.
LANGUAGE_CODE = env.text("LANGUAGE_CODE", "en")
