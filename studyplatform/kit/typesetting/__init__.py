"""Documents and pictures set by Typst: any script, Markdown and formulas, as PDF or PNG (docs/adr/0044)."""

from studyplatform.kit.typesetting.compiler import compile_pdf, compile_png
from studyplatform.kit.typesetting.fonts import find_unprintable
from studyplatform.kit.typesetting.phrases import make_phrase
from studyplatform.kit.typesetting.rich_text import make_rich_text

__all__ = ["compile_pdf", "compile_png", "find_unprintable", "make_phrase", "make_rich_text"]
