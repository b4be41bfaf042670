"""The addresses of the files that the build has made (assets/build.mjs)."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar, cast

from django.conf import settings
from django.templatetags.static import static

from studyplatform.kit.web.inline_scripts import MANIFEST

P = ParamSpec("P")
R = TypeVar("R")


def cache_outside_debug(function: Callable[P, R]) -> Callable[P, R]:
    """Cache the results of a function that reads built files, except in development, where they change."""
    return function if settings.DEBUG else cast(Callable[P, R], lru_cache(maxsize=1024)(function))


@cache_outside_debug
def manifest() -> dict[str, Any]:
    """What the build has written of its files, by the name of the entry."""
    loaded: dict[str, Any] = json.loads(MANIFEST.read_text())
    return loaded


@cache_outside_debug
def bundle(entry: str, kind: str = "js") -> str:
    """The URL of a built file: ``bundle("site")``, ``bundle("core", "css")``.

    :raises KeyError: the build has no such entry (run ``npm run build``).
    """
    return static("dist/" + manifest()[entry][kind])


@cache_outside_debug
def imports(entry: str) -> list[str]:
    """URLs of the chunks that an entry imports statically, for modulepreload."""
    return [static("dist/" + name) for name in manifest()[entry].get("imports", [])]


@cache_outside_debug
def loaded_later(entry: str) -> list[str]:
    """URLs of the chunks that an entry fetches only when they are needed, without other islands."""
    return [static("dist/" + name) for name in manifest()[entry]["later"]]


@cache_outside_debug
def sheet_files(entry: str) -> list[str]:
    """URLs of the fonts and pictures that a style sheet names."""
    return [static("dist/" + name) for name in manifest()[entry].get("files", {}).values()]


FIRST_FONTS = {
    "academic": ["newsreader.woff2", "instrument-sans.woff2", "newsreader-italic.woff2"],
    "corporate": ["geist.woff2"],
}


@cache_outside_debug
def font_urls(style: str) -> list[str]:
    """URLs of the fonts that the first screen of a style uses."""
    files = manifest()["core"]["files"]
    return [static("dist/" + files[name]) for name in FIRST_FONTS[style]]
