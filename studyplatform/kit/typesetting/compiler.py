"""Compile a Typst template with data. Templates read no other files than those of the product."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import typst

from studyplatform.kit.typesetting.clusters import limit_clusters
from studyplatform.kit.typesetting.fonts import CODE, DISPLAY, PLAIN, fallback_families, font_book
from studyplatform.kit.typesetting.text_layer import has_composed_letters, repair


class TypesettingFailed(Exception):
    """Typst panicked."""


_ROOT = Path(__file__).resolve().parents[3]


def compile_pdf(template: Path, data: Mapping[str, Any], *, dated: datetime | None = None) -> bytes:
    """Return a template as a PDF with embedded subsets of its fonts. ``dated`` is the date in its metadata.

    :raises TypesettingFailed: Typst gave up.
    """
    document = _compile(template, data, format="pdf", timestamp=int(dated.timestamp()) if dated else None)
    return repair(document) if has_composed_letters(json.dumps(data, ensure_ascii=False)) else document


def compile_png(template: Path, data: Mapping[str, Any]) -> bytes:
    """Return a template of one page as a PNG of one pixel per point.

    :raises TypesettingFailed: Typst gave up.
    """
    return _compile(template, data, format="png", ppi=72)


def _compile(template: Path, data: Mapping[str, Any], **options: Any) -> bytes:
    fonts = {"display": DISPLAY, "plain": PLAIN, "code": CODE, "fallback": fallback_families()}
    # What people wrote reaches the template as strings, which Typst never reads as markup.
    inputs = {"data": limit_clusters(json.dumps({**data, "fonts": fonts}, ensure_ascii=False))}
    compiler = typst.Compiler(root=_ROOT, font_paths=font_book(), ignore_system_fonts=True)
    try:
        result = compiler.compile(input=template, sys_inputs=inputs, **options)
    except BaseException as error:
        # A panic of Typst is no Exception, and would end the worker or the thread that it happens in.
        if type(error).__name__ == "PanicException":
            raise TypesettingFailed(str(error)) from None
        raise
    if not isinstance(result, bytes):  # a PNG of several pages is a list
        message = f"{template.name} has more than one page"
        raise TypeError(message)
    return result
