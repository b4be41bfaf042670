"""What works without a connection: the page /offline, and the service worker that keeps it in the browser."""

import json
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from studyplatform.kit.caching.page_cache import cache_for_visitors
from studyplatform.kit.web import built_files
from studyplatform.kit.web.inline_scripts import MANIFEST

PAGE = "/offline"
GENERAL_PAGE = "/offline?general"
"""The page for browsers that store no lessons: what the service worker keeps for all of them."""
_REMOVAL = Path(__file__).with_name("worker_removal.js")


@open_to_everyone
@require_safe
@cache_for_visitors()
def offline(request: HttpRequest) -> HttpResponse:
    """Where NETWORK_OFFLINE leads: what works without a connection, and what waits for it.

    It names nobody and asks nobody who they are: browsers keep it.
    """
    return render(request, "site/offline.html", {"stores_nothing": "general" in request.GET})


def cached_files() -> list[str]:
    """The addresses of everything that the page needs to look as it should in all four looks."""
    scripts = [built_files.bundle(name) for name in ("site", "islands", "offline")]
    chunks = [chunk for name in ("site", "islands", "offline") for chunk in built_files.imports(name)]
    fonts = [font for style in built_files.FIRST_FONTS for font in built_files.font_urls(style)]
    sheets = [built_files.bundle(name, "css") for name in ("core", "offline")]
    return sorted({*sheets, built_files.bundle("icons", "svg"), *scripts, *chunks, *fonts})


@built_files.cache_outside_debug
def worker_script() -> str:
    """The service worker, with what it keeps. Its text changes with the page, so browsers update what they keep."""
    files = cached_files()
    context = {"request": SimpleNamespace(path=PAGE), "stores_nothing": True}
    page = render_to_string("site/offline.html", context)
    code = (MANIFEST.parent / "sw.js").read_text()
    version = sha256("\n".join([*files, page, code]).encode()).hexdigest()[:16]
    cached = {"version": version, "page": GENERAL_PAGE, "files": files}
    return f"const cached = {json.dumps(cached)};\n{code}"


@open_to_everyone
@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """/sw.js: at the root of the site, as it answers for all of it. Never older than the server.

    With ``SERVICE_WORKER`` off, it is a script that removes the worker from every browser.
    """
    script = worker_script() if settings.SERVICE_WORKER else _REMOVAL.read_text()
    answer = HttpResponse(script, content_type="text/javascript; charset=utf-8")
    answer["Cache-Control"] = "no-cache"
    return answer
