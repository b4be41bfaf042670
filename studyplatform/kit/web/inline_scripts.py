"""The few scripts inside our HTML, and the hashes by which the content security policy allows them.

A hash is the same in every response, so cached pages can hold these scripts; a nonce would be used up by the first.
Settings import this module, so it imports no Django.
"""

import base64
import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = ROOT / "static" / "dist" / "manifest.json"


def inline_scripts() -> dict[str, str]:
    """The text of each script by name. Without the built files (before the first build) only those of the templates."""
    texts = {"announcement": (ROOT / "templates" / "components" / "announcement.js").read_text()}
    if MANIFEST.exists():
        built = json.loads(MANIFEST.read_text()).get("beforePaint", {}).get("js")
        if built and (MANIFEST.parent / built).exists():
            texts["beforePaint"] = (MANIFEST.parent / built).read_text()
    return {name: text.strip() for name, text in texts.items()}


def csp_hashes() -> list[str]:
    """The hashes as sources of ``script-src`` (https://www.w3.org/TR/CSP3/#match-element-to-source-list)."""
    return [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in inline_scripts().values()
    ]
