"""The inline scripts of pages, and the hashes by which the content security policy allows them.

A hash is the same in every response, so cached pages can contain these scripts; a nonce is valid for one response only.
"""

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = ROOT / "static" / "dist" / "manifest.json"

_texts: dict[str, str] = {}


def inline_scripts() -> dict[str, str]:
    """The text of each script by name. Before the first build only those of the templates.

    Read once per process: pages and the policy must agree, even if a build replaces the files meanwhile. While
    ``DEBUG`` is on, read each time, because ``make dev`` builds while the server runs.
    """
    if settings.DEBUG:
        return _read()
    if "beforePaint" not in _texts:
        _texts.update(_read())
    return _texts


def _read() -> dict[str, str]:
    texts = {"announcement": (ROOT / "templates" / "components" / "announcement.js").read_text()}
    if MANIFEST.exists():
        built = json.loads(MANIFEST.read_text()).get("beforePaint", {}).get("js")
        if built and (MANIFEST.parent / built).exists():
            texts["beforePaint"] = (MANIFEST.parent / built).read_text()
    return {name: text.strip() for name, text in texts.items()}


def csp_hashes() -> list[str]:
    """The hashes as sources of ``script-src`` (https://www.w3.org/TR/CSP3/#match-element-to-source-list)."""
    return [_hash(text) for text in inline_scripts().values()]


@lru_cache(maxsize=16)
def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
