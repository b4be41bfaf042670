"""Text for people who may not know what gives access: logs, and the emails of others that admins see."""

import logging
import re

from django.apps import apps
from django.urls import resolve

HIDDEN = "…"
SECRET_PARAMETERS = ("token", "key", "grant")  # of paths, by their names in the URL patterns
_PATH = re.compile(r"(?P<host>https?://[^/\s\"'<>]*)?(?P<path>/[^\s\"'<>?#]+)")
_RANDOM = re.compile(r"(?<=/)[\w-]{40,}")  # as tokens are, and no uid
_QUERY = re.compile(r"(?P<name>[?&;](?:token|key|code|state|email|user)=)[^&\s\"'<>#]+")
_EMAIL = re.compile(r"(?P<first>[\w.+-])[\w.+-]*@(?P<host>[\w-]+(?:\.[\w-]+)+)")
_CODE = re.compile(r"(?<![#\w.-])\d{6}(?![\w.-])")
_GROUPED_CODE = re.compile(r"(?<![\w-])[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3,}(?![\w-])")


def hide_secrets(text: str) -> str:
    """The text without the tokens in URLs of this site, in their paths and their queries."""
    return _QUERY.sub(rf"\g<name>{HIDDEN}", _PATH.sub(_without_tokens, text))


def hide_emails(text: str) -> str:
    """The text with the first letter and the host of each email address only."""
    return _EMAIL.sub(rf"\g<first>{HIDDEN}@\g<host>", text)


def hide_codes(text: str) -> str:
    """The text without codes of six digits, and without long ones in groups of four letters."""
    return _GROUPED_CODE.sub(HIDDEN, _CODE.sub("••••••", text))


def _without_tokens(found: re.Match[str]) -> str:
    path = found["path"]
    for name in _secrets_in(path):
        path = path.replace(name, HIDDEN)
    return (found["host"] or "") + path


def _secrets_in(path: str) -> list[str]:
    if not apps.ready:
        return []
    try:
        given = resolve(path).kwargs
    except Exception:  # a log must not fail; this address is wrong, but a token in it may be right
        return _RANDOM.findall(path)
    return [str(value) for name, value in given.items() if name in SECRET_PARAMETERS and value]


class PrivateFormatter(logging.Formatter):
    """Lines of a log, with their tracebacks, without tokens and without the names in email addresses."""

    def format(self, record: logging.LogRecord) -> str:
        return hide_emails(hide_secrets(super().format(record)))
