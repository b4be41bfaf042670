"""Parts of pages that are the same for many readers: rendered once, kept as text in this process.

What is one reader's or one answer's stands in them as a slot: a sign that nobody outside this process can
know or guess. Slots are filled when the page is done, in one pass.
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

from studyplatform.kit.caching.lru import Kept

NONCE = Markup(f"nonce{secrets.token_hex(12)}")  # noqa: S704 (hexadecimal)
CSRF = Markup(f"csrf{secrets.token_hex(12)}")  # noqa: S704 (hexadecimal)
CSRF_INPUT = Markup('<input type="hidden" name="csrfmiddlewaretoken" value="{}">').format(CSRF)

_page_language: ContextVar[str | None] = ContextVar("page_language", default=None)
_kept: Kept[Markup] = Kept(24_000_000, weigh=len)  # signs


def language() -> str | None:
    """The reader's language; within a page it is asked once, as asking costs more than most texts."""
    return _page_language.get() or translation.get_language()


def fill(text: str, request: HttpRequest) -> str:
    """The page with this request's nonce and CSRF token in place of the slots."""
    if NONCE in text:
        text = text.replace(NONCE, str(getattr(request, "csp_nonce", "")))
    if CSRF in text:
        text = text.replace(CSRF, get_token(request))
    return text


def render(make: Callable[[], str], request: HttpRequest) -> str:
    """A whole page: in one language, with its slots filled."""
    token = _page_language.set(translation.get_language())
    try:
        return fill(make(), request)
    finally:
        _page_language.reset(token)


def ready(key: tuple[object, ...], make: Callable[[], str]) -> Markup:
    """The text under this key, made once per language.

    The key must name everything that the text depends on but the language. Of one reader only slots may
    stand in it: ``csrf_input``, ``csrf_token`` and ``csp_nonce()``. Keys of old versions are no longer asked
    for and go by themselves.
    """
    if settings.DEBUG:
        return Markup(make())  # noqa: S704 (a rendered template)
    full = (language(), *key)
    text = _kept.get(full)
    return _kept.put(full, Markup(make())) if text is None else text  # noqa: S704


def fragment(*key: object, caller: Callable[..., Any], keep: bool = True) -> Markup:
    """``{% call fragment("footer", signed_in) %} … {% endcall %}``: see ``ready``.

    Without ``keep`` it is rendered each time: where a page is one reader's own after all.
    """
    return ready(key, caller) if keep else Markup(caller())  # noqa: S704 (a rendered template)
