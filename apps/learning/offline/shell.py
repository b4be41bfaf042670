"""The shell of offline lessons: the page that shows them, and its files. It names nobody."""

import re
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from csp.constants import NONCE
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.translation import get_language

from apps.learning.offline.localizing import OFFLINE_STATIC, Localizer, to_offline_static
from studyplatform.kit.web import built_files
from studyplatform.kit.web.inline_scripts import csp_hashes

PAGE = "/offline"
TEMPLATE = "site/offline.html"
SCRIPTS = (
    *("site", "islands", "mount", "offline", "lesson", "timeline"),
    *("islands/player", "islands/quiz", "islands/timeline", "islands/practice", "islands/offline-library"),
)
"""The scripts that lessons and the pages around them need. What they load comes along."""
SHEETS = ("core", "offline", "lesson", "quiz", "learner", "practice")
BUILD_LENGTH = 16
_STATIC_ADDRESS = re.compile(rf'(?<=["\s]){re.escape(settings.STATIC_URL)}[\w./@-]+')
_UNNEEDED = (".ico", "apple-touch-icon.png")  # browsers that need them keep them by themselves
_JSON = re.compile(r'<script type="application/json"[^>]*>.*?</script>', re.DOTALL)


def shell_out() -> dict[str, Any]:
    """Return the shape ``OfflineShellOut``, in the language of the request."""
    return _shell(get_language())


def shell_build() -> str:
    """Return the build of the shell: it changes if and only if its page or one of its files does."""
    build: str = shell_out()["build"]
    return build


@built_files.cache_outside_debug
def _shell(_language: str | None) -> dict[str, Any]:
    page = render_to_string(TEMPLATE, {"request": SimpleNamespace(path=PAGE)})
    named = {source for source in _STATIC_ADDRESS.findall(page) if not source.endswith(_UNNEEDED)}
    files = {source: _digest(source) for source in sorted({*_files(), *named})}
    html = _JSON.sub(_localize_json, Localizer({}).html(page))
    html = html.replace("<head>", f'<head>\n  <meta http-equiv="Content-Security-Policy" content="{_policy()}">', 1)
    written = "\n".join([html, *files, *files.values()])
    return {
        "build": sha256(written.encode()).hexdigest()[:BUILD_LENGTH],
        "html": html,
        "files": [{"address": to_offline_static(source), "source": source} for source in files],
        "sheets": {name: to_offline_static(built_files.bundle(name, "css")) for name in SHEETS},
        "scripts": {name: to_offline_static(built_files.bundle(name)) for name in SCRIPTS},
    }


def _files() -> list[str]:
    """Return the addresses of all built files that the shell needs to show lessons in all four looks."""
    scripts = [built_files.bundle(name) for name in SCRIPTS]
    loaded = [chunk for name in SCRIPTS for chunk in (*built_files.imports(name), *built_files.loaded_later(name))]
    sheets = [built_files.bundle(name, "css") for name in SHEETS]
    sources = [source for name in SHEETS for source in built_files.sheet_files(name)]
    return [*scripts, *loaded, *sheets, *sources, built_files.bundle("icons", "svg")]


def _digest(source: str) -> str:
    """Return what tells whether a file has changed; "" for a built one, whose name does."""
    if source.startswith(f"{settings.STATIC_URL}dist/"):
        return ""
    path = finders.find(source.removeprefix(settings.STATIC_URL))
    return sha256(Path(path).read_bytes()).hexdigest() if isinstance(path, str) else ""


def _localize_json(script: re.Match[str]) -> str:
    """Let the data of the page name the files of the shell, too."""
    return script[0].replace(f'"{settings.STATIC_URL}', f'"{OFFLINE_STATIC}')


def _policy() -> str:
    """Return the content security policy of pages, for a page that is stored without its headers.

    Without what only a header can say, and without nonces, which are valid once.
    """
    directives: dict[str, Any] = dict(settings.CONTENT_SECURITY_POLICY["DIRECTIVES"])
    directives["script-src"] = [*directives["script-src"], *csp_hashes()]
    return "; ".join(
        " ".join([name, *(str(source) for source in sources if source is not NONCE)])
        for name, sources in directives.items()
        if name != "frame-ancestors"
    )
