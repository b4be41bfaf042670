"""The Jinja2 environment of the server-rendered pages.

Django's own engine renders the admin and third-party apps; its templates are in templates/django.
"""

import json
import re
from collections.abc import Callable, MutableMapping
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest
from django.template.backends.jinja2 import Jinja2, Template
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.html import json_script
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from studyplatform.kit.caching import fragments
from studyplatform.kit.errors import REGISTRY
from studyplatform.kit.text import content, durations, languages, sizes
from studyplatform.kit.text.money import money
from studyplatform.kit.web import dates
from studyplatform.kit.web.built_files import bundle, cache_outside_debug, font_urls, imports, manifest
from studyplatform.kit.web.inline_scripts import MANIFEST, inline_scripts
from studyplatform.kit.web.paging import shown_pages


class Page(Template):
    """Django's wrapper of a template; after rendering it fills the placeholders of cached fragments."""

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> str:
        if request is None:
            return str(super().render(context))
        full = {**(context or {}), "request": request}
        with dates.read_by(request):
            return fragments.render_page(lambda: str(super(Page, self).render(full)), request)


class Templates(Jinja2):
    """Django's Jinja2 backend; settings name it."""

    def get_template(self, template_name: str) -> Page:
        return Page(super().get_template(template_name).template, self)

    def from_string(self, template_code: str) -> Page:
        return Page(super().from_string(template_code).template, self)


class PlainGlobals(Environment):
    """Gives each template a plain dict of globals.

    Jinja2 chains two maps. For every ``{% from … import %}`` it looks whether the importing template has globals of
    its own, and comparing chained maps takes 20 to 30 µs, a fifth of a small page.
    """

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


def register(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function available to all templates by name, also to those of other apps."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _extra[name] = function
        return function

    return decorate


_extra: dict[str, Callable[..., Any]] = {}


@lru_cache(maxsize=8192)
def _translated(language: str | None, message: str) -> Markup:
    return Markup(translation.gettext(message))  # noqa: S704 (our own texts)


@lru_cache(maxsize=8192)
def _plain(language: str | None, message: str) -> Markup:
    return _translated(language, message) % {}  # "%%" becomes "%", as in texts with values


def _gettext(message: str, **values: Any) -> Markup:
    # A page has some fifty texts; looking each up in Django's chain of catalogs would be a tenth of its cost.
    language = fragments.language()
    return _translated(language, message) % values if values else _plain(language, message)


@lru_cache(maxsize=8192)
def _counted(language: str | None, singular: str, plural: str, num: int) -> Markup:
    return Markup(translation.ngettext(singular, plural, num))  # noqa: S704 (our own texts)


def _ngettext(singular: str, plural: str, num: int, **values: Any) -> Markup:
    return _counted(fragments.language(), singular, plural, num) % {"num": num, **values}


@cache_outside_debug
def _sprite() -> frozenset[str]:
    """The names of the icons that were built."""
    text = (MANIFEST.parent / manifest()["icons"]["svg"]).read_text()
    return frozenset(re.findall(r'<symbol id="([a-z0-9-]+)"', text))


@cache_outside_debug
def icon(name: str, *classes: str, label: str = "") -> Markup:
    """An icon from the sprite of assets/icons.mjs, as large as the text around it.

    ``icon("bell")`` beside text or in a control with a name; set ``label`` if there is neither.

    :raises KeyError: in development, the sprite has no such icon.
    """
    if name not in _sprite() and settings.ENVIRONMENT in {"dev", "test"}:
        raise KeyError(f"the sprite has no icon {name!r}: announce it in a template's comment, icons: {name}")
    shown = " ".join(("i", *classes))
    spoken = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    address = f"{bundle('icons', 'svg')}#{name}"
    return Markup('<svg class="{}" {}><use href="{}"/></svg>').format(shown, spoken, address)


def inline_script(name: str, **attributes: str) -> Markup:
    """A script of :mod:`~studyplatform.kit.web.inline_scripts` as an element, with these data attributes."""
    data = Markup("").join(Markup(' data-{}="{}"').format(key, value) for key, value in attributes.items())
    return Markup("<script{}>{}</script>").format(data, Markup(inline_scripts()[name]))  # noqa: S704 (our own files)


_FIELD = re.compile(r'<(?:textarea|select|input(?![^>]*type="hidden"))\b')
_IF_FAILED = Markup(
    '<section class="notice notice--error" role="alert" hidden data-failed>'
    '{}<p class="notice__title">{}</p><p class="notice__body">{}</p>'
    '<div class="notice__acts"><button class="btn btn--sm" type="button">{}</button></div></section>'
)


@pass_context
def island(
    context: Context,
    name: str,
    props: dict[str, Any],
    when: str = "visible",
    scope: str = "part",
    caller: Callable[[], str] | None = None,
) -> Markup:
    """Mount point of a React island; the caller's content is shown until its code is loaded.

    ``{% call island("player", props) %} … {% endcall %}``

    ``when`` its code is loaded: once the element is "visible", at the first "intent" (a pointer move, a key, a scroll),
    or "now". ``scope``: "page" if the whole page is useless without it. If its code can't be loaded, a form stays, with
    what was typed, and says so.
    """
    fallback = caller() if caller else ""
    if _FIELD.search(fallback):
        message = _IF_FAILED.format(
            icon("circle-alert", "notice__icon"),
            translation.gettext("Part of this page couldn't load"),
            translation.gettext("What you typed is kept. Try again, or use the form below as it is."),
            translation.gettext("Try Again"),
        )
        fallback = message + Markup(fallback)  # noqa: S704 (rendered template)
    element = Markup('<div data-island="{}" data-when="{}" data-scope="{}">{}</div>').format(
        name,
        when,
        scope,
        Markup(fallback),  # noqa: S704 (rendered template)
    )
    return element + Markup(str(json_script(props)))  # noqa: S704 (json_script escapes)


@pass_context
def flashes(context: Context) -> list[Any]:
    """The pending messages of this request; reading them removes them."""
    request = context.get("request")
    return list(get_messages(request)) if request is not None and hasattr(request, "_messages") else []


@pass_context
def csp_nonce(context: Context) -> str:
    """The nonce of this response's content security policy, for an inline style of this page."""
    return str(context["request"].csp_nonce)


def _show_content(text: str, place: str) -> Markup:
    """``{{ lesson.body | content("lesson") }}``: a text as HTML, by the name of its place."""
    return content.render(text, content.PLACES[place])


def _content_as_text(text: str, place: str) -> str:
    return content.plain_text(text, content.PLACES[place])


def _url(name: str, /, *args: Any, **kwargs: Any) -> str:
    return reverse(name, args=args or None, kwargs=kwargs or None)


def _language() -> str:
    """The language of the page, for the attribute ``lang``."""
    return fragments.language() or "en"


def environment(**options: Any) -> Environment:
    """The environment, with the functions and filters that every template may use."""
    env = PlainGlobals(
        **options,
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(
        _=_gettext,
        gettext=_gettext,
        ngettext=_ngettext,
        static=cache_outside_debug(static),
        url=_url,
        bundle=bundle,
        imports=imports,
        inline_script=inline_script,
        icon=icon,
        font_urls=font_urls,
        shown_pages=shown_pages,
        language=_language,
        has_blocks=content.has_blocks,
        html_as_text=content.html_as_text,
        name_formulas=content.name_formulas,
        island_messages=lambda: languages.island_messages(fragments.language()),
        island=island,
        fragment=fragments.fragment,
        flashes=flashes,
        csp_nonce=csp_nonce,
        csrf_input=fragments.CSRF_INPUT,
        csrf_token=fragments.CSRF_TOKEN,
        reader_zone=dates.reader_zone,
        site=settings,
        catalogue=REGISTRY,
        **_extra,
    )
    env.filters.update(
        content=_show_content,
        content_text=_content_as_text,
        clock=durations.clock,
        duration=durations.length,  # "length" is a filter of Jinja itself
        money=money,
        size=sizes.as_size,
        date=dates.show_date,
        site_date=dates.show_site_date,
        json=lambda value: Markup(json.dumps(value).replace("<", "\\u003c")),  # noqa: S704 (for script type=json)
    )
    return env
