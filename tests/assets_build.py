"""Check that static/dist contains everything that the templates of this version use."""

import json
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "static" / "dist"
# The same rules as in assets/icons.mjs, which draws the sprite.
MENTIONS = [r"\bicon\(\s*[\"']([a-z0-9-]+)[\"']", r"\bicon\s*=\s*\"([a-z0-9-]+)\""]
ANNOUNCEMENT = r"\bicons:([a-z0-9\s-]+)#\}"


# Entries of the manifest: bundle("site"), imports("site") and {% set sheets = ["settings"] %} in templates, and the
# early script, which kit/web/jinja.py adds to the head.
ENTRIES = [r"\b(?:bundle|imports)\(\s*[\"']([\w/-]+)[\"']", r"manifest\(\)\[\"(\w+)\"\]"]
SHEETS = r"\bset sheets = \[([^\]]*)\]"


@cache
def named_entries() -> frozenset[str]:
    """Every built file that a template, or the template functions, name."""
    found: set[str] = set()
    code = [ROOT / "studyplatform" / "kit" / "web" / name for name in ("jinja.py", "built_files.py")]
    for file in [*(ROOT / "templates").rglob("*.html"), *code]:
        text = file.read_text()
        found.update(name for pattern in ENTRIES for name in re.findall(pattern, text))
        found.update(name for names in re.findall(SHEETS, text) for name in re.findall(r"[\"']([\w/-]+)[\"']", names))
    return frozenset(found)


@cache
def named_icons() -> frozenset[str]:
    """Every icon that a template, Python code, a script or an island names."""
    files = [*(ROOT / "templates").rglob("*.html")]
    files += [file for folder in ("apps", "studyplatform") for file in (ROOT / folder).rglob("*.py")]
    listed = (ROOT / "assets/shared/iconNames.ts").read_text().partition("[")[2].partition("]")[0]
    found = set(re.findall(r'"([a-z0-9-]+)"', listed))
    for file in files:
        text = file.read_text()
        if "icon" in text:
            found.update(name for pattern in MENTIONS for name in re.findall(pattern, text))
            found.update(name for names in re.findall(ANNOUNCEMENT, text) for name in names.split())
    return frozenset(found)


def built_icons(dist: Path = DIST) -> frozenset[str]:
    """Every icon in the built sprite.

    :raises OSError, KeyError: there is no complete build.
    """
    manifest = json.loads((dist / "manifest.json").read_text())
    return frozenset(re.findall(r'<symbol id="([a-z0-9-]+)"', (dist / manifest["icons"]["svg"]).read_text()))


def build_problem(dist: Path = DIST) -> str:
    """A sentence about the fault of the build and how to fix it; "" if there is none."""
    try:
        missing = {f"the icon {name}" for name in named_icons() - built_icons(dist)}
        manifest = json.loads((dist / "manifest.json").read_text())
        missing |= {f"{name!r}" for name in named_entries() - set(manifest)}
        missing |= set() if "later" in manifest.get("site", {}) else {"what offline lessons load"}
    except (OSError, KeyError, ValueError):
        return (
            "static/dist holds no complete build, and no page can be rendered without it. Run: npm ci && npm run build"
        )
    if missing:
        return f"static/dist is out of date, it lacks {', '.join(sorted(missing))}. Run: npm run build"
    return ""
