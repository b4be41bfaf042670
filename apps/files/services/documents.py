"""The text of files that are handed out, for those who search it."""

import logging
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from apps.files.models import Upload
from apps.files.pdf_text import MAX_BYTES, UnreadablePdf, pages_of
from apps.files.previews import MARKDOWN_SUFFIXES, MOST_MARKDOWN, decoded
from apps.files.storage import open_content
from studyplatform.kit.errors import AppError
from studyplatform.kit.text import content

MOST_TEXT = 500_000  # bytes of a text
_PDF = "application/pdf"
_TEXT_SUFFIXES = frozenset({".txt", ".text", ".csv", ".tsv"})
_HYPHEN = re.compile(r"(?<=[a-z])-\r?\n(?=[a-z])")
_log = logging.getLogger(__name__)


class DocumentPart(NamedTuple):
    """A page of a PDF, or all of another file. ``page`` counts from 1; 0 where there are no pages."""

    page: int
    html: str = ""
    text: str = ""


def read_document(upload: Upload, name: str) -> list[DocumentPart]:
    """Return what a PDF, a Markdown file or a text says; nothing for other files and for what can't be read.

    ``name``: under which it is handed out. Blocks for up to 30 s: for jobs only.
    """
    suffix = PurePosixPath(name.lower()).suffix
    is_pdf = suffix == ".pdf" or upload.media_type == _PDF
    if not is_pdf and suffix not in MARKDOWN_SUFFIXES | _TEXT_SUFFIXES:
        return []
    try:
        with open_content(upload) as file:
            raw = file.read(MAX_BYTES + 1 if is_pdf else MOST_TEXT)
        if is_pdf:
            texts = [_HYPHEN.sub("", text) for text in pages_of(raw)]
            return [DocumentPart(number, text=text) for number, text in enumerate(texts, start=1) if text.strip()]
    except (AppError, FileNotFoundError, UnreadablePdf) as problem:
        _log.warning("The text of upload %s is not searched: %r", upload.uid, problem)
        return []
    text = decoded(raw, is_cut=upload.length > len(raw)).replace("\x00", "")
    if suffix in MARKDOWN_SUFFIXES:
        return [DocumentPart(0, html=content.render(text[:MOST_MARKDOWN], content.FILE))]
    return [DocumentPart(0, text=text)]
