"""Rendered parts of pages that are the same for many readers.

A form in such a part needs the reader's own CSRF token. It holds a placeholder instead, which nobody outside this
process can guess; :func:`fill_placeholders` replaces it when the page is complete.
"""

import secrets
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils import translation
from markupsafe import Markup

from studyplatform.kit.caching.lru import LruCache

CSRF_TOKEN = Markup(f"csrf{secrets.token_hex(12)}")  # noqa: S704 (hexadecimal)
CSRF_INPUT = Markup('<input type="hidden" name="csrfmiddlewaretoken" value="{}">').format(CSRF_TOKEN)

_page_language: ContextVar[str | None] = ContextVar("page_language", default=None)
_fragments: LruCache[Markup] = LruCache(24_000_000, weigh=len)  # characters


def language() -> str | None:
    """The active language; read once per page, because Django's lookup costs more than most texts."""
    return _page_language.get() or translation.get_language()


def fill_placeholders(text: str, request: HttpRequest) -> str:
    """The page with this request's CSRF token in place of the placeholder."""
    return text.replace(CSRF_TOKEN, get_token(request)) if CSRF_TOKEN in text else text


def render_page(make: Callable[[], str], request: HttpRequest) -> str:
    """The page that ``make()`` renders, in one language, with its placeholders filled."""
    token = _page_language.set(translation.get_language())
    try:
        return fill_placeholders(make(), request)
    finally:
        _page_language.reset(token)


def cached_fragment(key: tuple[object, ...], make: Callable[[], str]) -> Markup:
    """The HTML that ``make()`` renders, cached under the key and the language.

    The key must name everything else that the HTML depends on. The HTML must be balanced, and must contain nothing of a
    single reader except ``csrf_input`` and ``csrf_token``. Not cached while ``DEBUG`` is on.
    """
    if settings.DEBUG:
        return Markup(make())  # noqa: S704 (a rendered template)
    full_key = (language(), *key)
    html = _fragments.get(full_key)
    return _fragments.put(full_key, Markup(make())) if html is None else html  # noqa: S704


def fragment(*key: object, caller: Callable[..., Any], cache: bool = True) -> Markup:
    """``{% call fragment("footer", signed_in) %}…{% endcall %}`` in a template: see :func:`cached_fragment`.

    With ``cache=False`` it is rendered each time, e.g. where it shows what one reader searched for.
    """
    return cached_fragment(key, caller) if cache else Markup(caller())  # noqa: S704 (a rendered template)
