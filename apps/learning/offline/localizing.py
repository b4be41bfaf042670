"""Let HTML refer to what a device stores: course files, static files, and links that need a connection.

Only tags are rewritten, never what a lesson says: the HTML that this site renders writes no "<" in texts, and values of
attributes in double quotes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from markupsafe import escape

from studyplatform.kit.text.content import COURSE_FILES

OFFLINE_MEDIA = "/offline/media/"
OFFLINE_STATIC = "/offline/static/"
NEEDS_CONNECTION = "data-needs-connection"
"""Marks links that lead to what no device stores."""
_STORED_PAGES = ("#", "?", "/learn/", "/offline", "/dashboard", "/me/dashboard", "/me/practice")
_TAG = re.compile(r'<([a-zA-Z][\w-]*)((?:\s+[^\s"\'<>/=]+(?:="[^"]*")?)*)\s*(/?)>')
_ATTRIBUTE = re.compile(r'\s+([^\s"\'<>/=]+)(?:="([^"]*)")?')
_FILE = re.compile(
    rf"{re.escape(COURSE_FILES)}([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})(?:\?width=\d{{1,5}})?", re.ASCII
)


@dataclass(frozen=True)
class LocalFile:
    """A file that a device stores: its address there, and the name under which it is saved."""

    address: str
    filename: str


def course_files_in(texts: Iterable[str]) -> set[UUID]:
    """Return the uids of the course files that texts name, in Markdown, HTML or JSON."""
    return {UUID(found[1]) for text in texts for found in _FILE.finditer(text)}


def to_offline_static(address: str) -> str:
    """Return the address under which the shell has a static file."""
    return OFFLINE_STATIC + address.removeprefix(settings.STATIC_URL)


class Localizer:
    """Rewrites the HTML of one lesson. ``files`` are those that the device stores, by the uid of the course file."""

    def __init__(self, files: Mapping[UUID, LocalFile]) -> None:
        self._files = files
        self.pictures: dict[UUID, str] = {}
        """Of each picture that was shown, the address of the rendition that its page would load."""

    def html(self, html: str) -> str:
        """Return the HTML with the addresses that work on the device."""
        return _TAG.sub(self._rewrite, html) if "<" in html else html

    def data(self, value: Any, name: str = "") -> Any:
        """Return data of the API with its HTML rewritten: the texts under names that end with "html"."""
        if isinstance(value, dict):
            return {key: self.data(one, str(key)) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(one, name) for one in value]
        return self.html(value) if isinstance(value, str) and name.endswith("html") else value

    def _rewrite(self, tag: re.Match[str]) -> str:
        name, attributes = tag[1].lower(), {found[1]: found[2] for found in _ATTRIBUTE.finditer(tag[2])}
        changed = dict(attributes)
        if name == "img":
            shown = self._picture(changed)
            if shown is not None:
                return shown
        elif name == "a" and attributes.get("href") is not None:
            self._link(changed)
        for key, value in changed.items():
            if value is not None and value.startswith(settings.STATIC_URL):
                changed[key] = " ".join(map(to_offline_static, value.split()))
        if changed == attributes:
            return tag[0]
        written = "".join(f" {key}" if value is None else f' {key}="{value}"' for key, value in changed.items())
        return f"<{tag[1]}{written}{'/' if tag[3] else ''}>"

    def _picture(self, attributes: dict[str, Any]) -> str | None:
        """Show the stored rendition; return what stands in place of a picture that is not stored."""
        found = _FILE.fullmatch(attributes.get("src") or "")
        if found is None:
            return None
        file = self._files.get(UUID(found[1]))
        if file is None:
            name = unescape(attributes.get("alt") or "")
            said = _("The picture “%(name)s” needs a connection.") if name else _("A picture here needs a connection.")
            return f'<span class="missing-picture">{escape(said % {"name": name})}</span>'
        self.pictures.setdefault(UUID(found[1]), found[0])
        attributes["src"] = file.address
        attributes.pop("srcset", None)
        attributes.pop("sizes", None)
        return None

    def _link(self, attributes: dict[str, Any]) -> None:
        address = attributes["href"]
        found = _FILE.fullmatch(address)
        file = self._files.get(UUID(found[1])) if found is not None else None
        if file is not None:
            attributes["href"], attributes["download"] = file.address, str(escape(file.filename))
        elif not address.startswith(_STORED_PAGES):
            attributes[NEEDS_CONNECTION] = ""
