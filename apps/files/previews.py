"""The preview of a file: shown by the browser itself, or as HTML made from its text.

Whatever a text contains, its preview takes a fraction of a second: how much of it is read, rendered and highlighted
has limits, and how it is shown depends on its name alone.
"""

import codecs
import csv
import io
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.db import models
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markupsafe import Markup

from apps.files import policies
from apps.files.file_types import SHOWN_INLINE, TEXT
from apps.files.models import File, FileKind
from apps.files.storage import open_content
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.text import code, content

MOST_TEXT = 256 * 1024  # bytes of a text that a preview shows
MOST_MARKDOWN = 64 * 1024  # characters
MOST_ROWS, MOST_COLUMNS = 200, 30  # of a table
MARKDOWN_SUFFIXES = {".md", ".markdown"}
TABLE_SUFFIXES = {".csv", ".tsv"}
NOTHING = Markup()


class PreviewKind(models.TextChoices):
    """What shows a preview: an element of the browser, HTML, or nothing."""

    IMAGE = "image"
    PDF = "pdf"
    AUDIO = "audio"
    VIDEO = "video"
    HTML = "html"
    NONE = "none"


@dataclass(frozen=True)
class Preview:
    """``html`` is safe to insert into a page. ``is_cut``: it shows only the beginning."""

    kind: PreviewKind
    html: Markup = NOTHING
    is_cut: bool = False


NO_PREVIEW = Preview(PreviewKind.NONE)
# The contents of an upload never change. Rendering some of them takes a hundred times as long as the rest of a page.
_previews: LruCache[Preview] = LruCache(16 * 2**20, lambda preview: 200 + len(preview.html))


def preview_of(file: File, *, to_owner: bool = False) -> Preview:
    """The preview of the current version. Reads up to `MOST_TEXT` bytes of a text.

    None if the virus scan does not let the file out. ``to_owner``: its owner looks at it.
    """
    if policies.hand_out(file.current, to_owner=to_owner) is not None:
        return NO_PREVIEW
    if file.media_type in SHOWN_INLINE:
        return Preview(PreviewKind(file.kind)) if file.kind in PreviewKind.values else NO_PREVIEW
    suffix = PurePosixPath(file.name).suffix.lower()
    if file.kind != FileKind.TEXT and not (file.media_type == TEXT and suffix in TABLE_SUFFIXES):
        return NO_PREVIEW
    key = (file.current.uid, suffix, get_language())
    if (known := _previews.get(key)) is not None:
        return known
    try:
        with open_content(file.current, to_owner=to_owner) as content:
            raw = content.read(MOST_TEXT)
    except FileNotFoundError:
        return NO_PREVIEW
    is_cut = file.size > len(raw)
    html, is_shortened = text_as_html(decoded(raw, is_cut=is_cut), file.name)
    return _previews.put(key, Preview(PreviewKind.HTML, html, is_cut=is_cut or is_shortened))


def decoded(raw: bytes, *, is_cut: bool = False) -> str:
    """The text of these bytes: UTF-16 if they begin with its mark, UTF-8 if they are it, else Windows-1252.

    The last one is what browsers read for Latin-1. ``is_cut``: the last character may be incomplete.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", errors="replace")
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(raw, final=not is_cut)
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def text_as_html(text: str, name: str) -> tuple[Markup, bool]:
    """A text as HTML, by the ending of its name; and whether only its beginning is shown."""
    suffix = PurePosixPath(name).suffix.lower()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if suffix in MARKDOWN_SUFFIXES:
        html = Markup('<div class="prose">%s</div>') % content.render(text[:MOST_MARKDOWN], content.FILE)
        return html, len(text) > MOST_MARKDOWN
    if suffix in TABLE_SUFFIXES and (table := _table(text, suffix)) is not None:
        return table
    language = code.LANGUAGES.get(suffix)
    shown = code.highlighted(text, language) if language else Markup.escape(text)
    return Markup('<pre class="files__text code" tabindex="0"><code>%s</code></pre>') % shown, False


def _table(text: str, suffix: str) -> tuple[Markup, bool] | None:
    """A table, and whether rows or columns are left out. None unless all its rows have equally many columns."""
    first, _newline, _rest = text.partition("\n")
    separator = "\t" if suffix == ".tsv" else max(",;\t", key=first.count)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text), delimiter=separator, strict=True):
            if row:
                rows.append(row)
            if len(rows) > MOST_ROWS:
                break
    except csv.Error:
        return None
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    html = Markup(
        '<div class="table-wrap files__sheet" role="group" tabindex="0" aria-label="%s"><table class="table">'
        "<thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>"
    ) % (
        _("Contents of the file as a table"),
        _cells('<th scope="col">%s</th>', rows[0]),
        NOTHING.join(Markup("<tr>%s</tr>") % _cells("<td>%s</td>", row) for row in rows[1:MOST_ROWS]),
    )
    return html, len(rows) > MOST_ROWS or len(rows[0]) > MOST_COLUMNS


def _cells(element: str, row: list[str]) -> Markup:
    return NOTHING.join(Markup(element) % cell for cell in row[:MOST_COLUMNS])  # noqa: S704 (two constants)
