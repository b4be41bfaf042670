"""Markdown to safe HTML: raw HTML is not rendered, and what is rendered is sanitized once more.

Formulas stand between dollars, in TeX: ``$x^2$`` in a line, ``$$`` around one of its own. They become MathML,
which browsers draw and read aloud without any script.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import nh3
from django.utils.translation import gettext as _
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h2", "h3", "h4", "h5", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub",
}  # fmt: skip
_INLINE = {"em", "strong", "s", "code", "a", "sup", "sub", "br"}
_MATH = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded", "mphantom",
    "msup", "msub", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mtd",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "code": {"class"},
    "math": {"display"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "lspace", "rspace", "minsize", "maxsize", "movablelimits", "separator"},
    "mspace": {"width"},
    "mfrac": {"linethickness"},
    "mover": {"accent"},
    "munder": {"accentunder"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtd": {"columnalign"},
}
_LONGEST_FORMULA = 1000  # characters: what is longer is no formula
_FUNCTION = r"\\(?:arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|ln|log|exp|det|lim|max|min|gcd)(?![A-Za-z])"
_RAISED = r"(?:\s*[\^_](?:\{[^{}]*\}|[^\s{}\\]))*"
_BEFORE_FUNCTION = re.compile(rf"(?<=[\w)}}])\s*(?={_FUNCTION})")
_AFTER_FUNCTION = re.compile(rf"({_FUNCTION}{_RAISED})\s*(?=\w|\\[A-Za-z])")
_TABLE = re.compile(r"<table>(.*?)</table>", re.DOTALL)
_FORMULA = re.compile(r'<p>(<math display="block">.*?</math>)</p>', re.DOTALL)
_NARROW = 20  # characters of a formula that fit on any phone
_NAME = re.compile(r"<mi>(\w{2,})</mi>")  # "sin": upright, while single letters are slanted
_SIGN = re.compile(r"(<mo[^>]*>[=≈≠<>≤≥(\[{,×⋅·]</mo>|<mrow>)<mo>−</mo>")  # of a number; else it is "minus"
_HEAD = re.compile(r"<th>(.*?)</th>", re.DOTALL)

_parser = (
    MarkdownIt("commonmark", {"html": False, "typographer": True})
    .enable(["table", "strikethrough", "replacements", "smartquotes"])
    # "$4 and $5" and "$5/$6" are prices.
    .use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
)


def render(text: str) -> Markup:
    """Sanitized HTML of a Markdown text. Headings begin at h2, links are nofollow, a wide table scrolls by itself."""
    html = _parser.render(text).replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    html = _TABLE.sub(_scrolling_table, _clean(html, _TAGS | _MATH))
    return Markup(_FORMULA.sub(_scrolling_formula, html))  # noqa: S704 (what is added is escaped)


@lru_cache(maxsize=4096)
def render_inline(text: str) -> Markup:
    """Sanitized HTML of a phrase: emphasis, code, links and formulas, no paragraphs. Short texts are kept rendered."""
    return _clean(_parser.renderInline(text), _INLINE | _MATH)


def _clean(html: str, tags: set[str]) -> Markup:
    clean = nh3.clean(
        html,
        tags=tags,
        attributes={tag: names for tag, names in _ATTRIBUTES.items() if tag in tags},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener",
    )
    clean = _SIGN.sub(r'\1<mo form="prefix">−</mo>', _NAME.sub(r'<mi mathvariant="normal">\1</mi>', clean))
    return Markup(clean)  # noqa: S704 (nh3 has just sanitized it)


def _scrolling_table(table: re.Match[str]) -> str:
    columns = [Markup(head).striptags() for head in _HEAD.findall(table[1])]  # noqa: S704 (sanitized; tags go)
    name = escape(_("Table: %(columns)s") % {"columns": ", ".join(filter(None, columns))})
    return f'<div class="table-wrap" role="group" tabindex="0" aria-label="{name}">{table[0]}</div>'


def _scrolling_formula(formula: re.Match[str]) -> str:
    if len(Markup(formula[1]).striptags()) <= _NARROW:  # noqa: S704 (sanitized; tags go)
        return f'<p class="formula">{formula[1]}</p>'
    return f'<div class="formula" role="group" tabindex="0" aria-label="{escape(_("Formula"))}">{formula[1]}</div>'


@lru_cache(maxsize=4096)
def _formula(tex: str, display: str) -> str:
    """MathML, not yet sanitized (the converter escapes nothing); the source itself where it cannot be read."""
    if len(tex) <= _LONGEST_FORMULA:
        with suppress(Exception):  # a formula half typed may fail in any way
            return convert(_spaced(tex.replace("<", r"\lt ").replace(">", r"\gt ")), display=display)
    return f"<code>{escape(tex)}</code>"


def _spaced(tex: str) -> str:
    """With the spaces that TeX puts itself, and the converter does not: around "cos" in "x cos t", none in 17{,}500."""
    tex = _BEFORE_FUNCTION.sub(r"\\,", tex.replace("{,}", r"\text{,}"))
    return _AFTER_FUNCTION.sub(r"\1\\,", tex)


def _in_line(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return _formula(tokens[index].content.strip(), "inline")


def _displayed(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return _formula(tokens[index].content.strip(), "block")


def _on_its_own(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return f"<p>{_formula(tokens[index].content.strip(), 'block')}</p>\n"


_parser.add_render_rule("math_inline", _in_line)
_parser.add_render_rule("math_inline_double", _displayed)
_parser.add_render_rule("math_block", _on_its_own)
