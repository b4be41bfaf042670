"""PDFs from texts: a page is a dictionary of strings that its template draws. Lengths are in points."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from apps.billing.models import Document
from studyplatform.kit.typesetting import compile_pdf, make_phrase

_TEMPLATES = {1: "template_1.typ"}
"""By version. A template that has printed documents is never changed: another look is another version."""

MAX_UNBROKEN_LENGTH = 36  # letters of a word
_LONG_WORD = re.compile(
    rf"[^\s\u2e80-\u9fff\uac00-\ud7af]{{{MAX_UNBROKEN_LENGTH + 1},}}"
)  # East Asian texts break anyway
_BREAK = "\u200b"  # a zero-width space, at which a line may break
_JOINERS = ("\u200d", "\ufe0f")

_TEXTS = ("name", "seller", "billed-to", "shown-address")
_LISTS = ("seller-lines", "facts", "buyer")


def print_document(document: Document) -> bytes:
    """Return an invoice or credit note as a PDF, as it was issued: only from its snapshot."""
    return print_page(document.snapshot["print"], version=document.template, dated=document.issued_at)


def file_name(document: Document) -> str:
    """Return the name under which a document is saved: "INV-2026-000001.pdf"."""
    return f"{document.number}.pdf"


def print_page(page: Mapping[str, Any], *, version: int, dated: datetime) -> bytes:
    """Return a page of texts (`pages.Page`) as a PDF. ``dated`` is the date in its metadata."""
    data: dict[str, Any] = {**page}
    for name in _TEXTS:
        data[name] = _phrase(page[name])
    for name in _LISTS:
        data[name] = [_phrase(text) for text in page[name]]
    data["items"] = [_phrased(item) for item in page["items"]]
    return compile_pdf(Path(__file__).with_name(_TEMPLATES[version]), data, dated=dated)


def _phrased(item: Mapping[str, Any]) -> dict[str, Any]:
    if item["kind"] != "text":
        return dict(item)
    amount = item["amount"]
    return {**item, "label": _phrase(item["label"]), "amount": None if amount is None else _phrase(amount)}


def _phrase(text: str) -> dict[str, Any]:
    """A phrase whose very long words may break: 200 letters without a space would be set too small to read."""
    return make_phrase(_LONG_WORD.sub(lambda word: _with_breaks(word[0]), text))


def _with_breaks(word: str) -> str:
    kept: list[str] = []
    length = 0
    for char in word:
        joins = char in _JOINERS or unicodedata.category(char).startswith("M")
        if length >= MAX_UNBROKEN_LENGTH and not joins and kept[-1] not in _JOINERS:
            kept.append(_BREAK)
            length = 0
        kept.append(char)
        length += 1
    return "".join(kept)
