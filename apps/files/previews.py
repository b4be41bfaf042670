"""The preview of a file: shown by the browser itself, or as HTML made from its text."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from django.db import models
from markupsafe import Markup

from apps.files import policies
from apps.files.file_types import SHOWN_INLINE
from apps.files.models import File, FileKind
from apps.files.storage import open_content
from studyplatform.kit.text import markdown

MOST_TEXT = 256 * 1024  # bytes of a text that a preview shows


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


def preview_of(file: File) -> Preview:
    """The preview of the current version. Reads up to `MOST_TEXT` bytes of a text. None before the virus scan."""
    if policies.hand_out(file.current, to_owner=True) is not None:
        return NO_PREVIEW
    if file.media_type in SHOWN_INLINE:
        return Preview(PreviewKind(file.kind)) if file.kind in PreviewKind.values else NO_PREVIEW
    if file.kind != FileKind.TEXT:
        return NO_PREVIEW
    try:
        with open_content(file.current) as content:
            raw = content.read(MOST_TEXT)
    except FileNotFoundError:
        return NO_PREVIEW
    text = raw.decode("utf-8", errors="replace")
    if PurePosixPath(file.name).suffix.lower() in {".md", ".markdown"}:
        html = Markup('<div class="prose">%s</div>') % markdown.render(text)
    else:
        html = Markup('<pre class="files__text" tabindex="0">%s</pre>') % text
    return Preview(PreviewKind.HTML, html, is_cut=file.size > MOST_TEXT)
