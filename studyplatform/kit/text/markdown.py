"""Markdown to safe HTML: raw HTML is not rendered, and what is rendered is sanitized once more.

Formulas are TeX between dollars: ``$x^2$`` within a line, ``$$`` around a displayed one. They become MathML,
which browsers render and read aloud without any script. While the rest of the text is rendered and sanitized, each
formula is replaced by a placeholder.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import nh3
from django.utils.translation import gettext as _
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore, smartquotes
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar

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
_LONGEST_FORMULA = 1000  # characters: a longer one is shown as its source
_MOST_LINES = 50  # of a formula: limits the search for a missing closing "$$"
_MOST_FORMULAS = 2000  # per text; further ones are shown as their source
_MOST_QUOTES = 1000  # in a paragraph; with more they stay straight, because their cost grows with their square
_SHORT = 500  # characters of a phrase whose HTML is cached
# Authors cannot write these placeholders: they contain a secret of the process. (A control character would not be
# enough: the parser decodes them from the URL of a link.)
_OPEN, _CLOSE = f"formula-{secrets.token_hex(8)}-", "-"
_MARK = re.compile(rf"(<p>)?{_OPEN}(\d+){_CLOSE}(</p>)?")
_FUNCTION = r"\\(?:arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|ln|log|exp|det|lim|max|min|gcd)(?![A-Za-z])"
_RAISED = r"(?:\s*[\^_](?:\{[^{}]*\}|[^\s{}\\]))*"
_BEFORE_FUNCTION = re.compile(rf"(?<=[\w)}}])\s*(?={_FUNCTION})")
_AFTER_FUNCTION = re.compile(rf"({_FUNCTION}{_RAISED})\s*(?=\w|\\[A-Za-z])")
_TABLE = re.compile(r"<table>(.*?)</table>", re.DOTALL)
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
_closed_formula = math_block_dollar(allow_labels=False, allow_blank_lines=True)


def _formula_of_its_own(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (their order)
    """The plug-in's rule with two limits: on lines, and "$$a$$ text $$b$$" is a paragraph with two formulas in it."""
    line, before = state.line, len(state.tokens)
    if not _closed_formula(state, start, min(end, start + _MOST_LINES), silent):
        return False
    if "$$" not in state.tokens[-1].content:
        return True
    state.line = line
    del state.tokens[before:]
    return False


def _typographic_quotes(state: StateCore) -> None:
    """The parser's rule with a limit on quotation marks."""
    texts = (token.content for token in state.tokens if token.type == "inline")
    if all(text.count('"') + text.count("'") <= _MOST_QUOTES for text in texts):
        smartquotes(state)


_parser.core.ruler.at("smartquotes", _typographic_quotes)
_parser.block.ruler.at("math_block", _formula_of_its_own)


def render(text: str) -> Markup:
    """Sanitized HTML of a Markdown text. Headings begin at h2, links are nofollow, a wide table scrolls by itself."""
    found: list[_Formula] = []
    html = _parser.render(text, {"formulas": found})
    html = _with_formulas(_clean(html.replace("<h1>", "<h2>").replace("</h1>", "</h2>"), _TAGS), found)
    return Markup(_TABLE.sub(_scrolling_table, html))  # noqa: S704 (what is added is escaped)


def render_inline(text: str) -> Markup:
    """Sanitized HTML of a phrase: emphasis, code, links, formulas, no paragraphs. The HTML of short texts is cached."""
    return _cached_phrase(text) if len(text) <= _SHORT else _phrase(text)


def _phrase(text: str) -> Markup:
    found: list[_Formula] = []
    html = _parser.renderInline(text, {"formulas": found})
    return Markup(_with_formulas(_clean(html, _INLINE), found))  # noqa: S704 (both are sanitized)


_cached_phrase = lru_cache(maxsize=4096)(_phrase)


def _clean(html: str, tags: set[str]) -> str:
    return nh3.clean(
        html,
        tags=tags,
        attributes={tag: names for tag, names in _ATTRIBUTES.items() if tag in tags},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener",
    )


def _scrolling_table(table: re.Match[str]) -> str:
    columns = [Markup(head).striptags() for head in _HEAD.findall(table[1])]  # noqa: S704 (sanitized; tags go)
    name = escape(_("Table: %(columns)s") % {"columns": ", ".join(filter(None, columns))})
    return f'<div class="table-wrap" role="group" tabindex="0" aria-label="{name}">{table[0]}</div>'


def _with_formulas(html: str, found: "list[_Formula]") -> str:
    """The sanitized text with its placeholders replaced by the formulas. Long displayed ones scroll."""

    def formula(mark: re.Match[str]) -> str:
        before, number, after = mark[1] or "", mark[2], mark[3] or ""
        one = found[int(number)]
        if not (one.is_displayed and one.is_converted and before and after):
            return f"{before}{one.html}{after}"
        if len(Markup(one.html).striptags()) <= _NARROW:  # noqa: S704 (sanitized; tags go)
            return f'<p class="formula">{one.html}</p>'
        return f'<div class="formula" role="group" tabindex="0" aria-label="{escape(_("Formula"))}">{one.html}</div>'

    return _MARK.sub(formula, html)


@dataclass(frozen=True)
class _Formula:
    """The sanitized HTML of a formula: MathML, or its source if it cannot be converted."""

    html: str
    is_displayed: bool
    is_converted: bool = True


@lru_cache(maxsize=4096)
def _as_mathml(tex: str, *, is_displayed: bool) -> _Formula:
    try:
        display = "block" if is_displayed else "inline"
        mathml = convert(_with_tex_spaces(tex.replace("<", r"\lt ").replace(">", r"\gt ")), display=display)
    except Exception:  # an incomplete formula may raise anything
        return _as_source(tex, is_displayed=is_displayed)
    clean = _clean(mathml, _MATH)  # the converter escapes nothing
    clean = _SIGN.sub(r'\1<mo form="prefix">−</mo>', _NAME.sub(r'<mi mathvariant="normal">\1</mi>', clean))
    return _Formula(clean, is_displayed)


def _as_source(tex: str, *, is_displayed: bool) -> _Formula:
    return _Formula(f"<code>{escape(tex)}</code>", is_displayed, is_converted=False)


def _with_tex_spaces(tex: str) -> str:
    """Add the spaces that TeX adds and the converter does not: around "cos" in "x cos t", none in 17{,}500."""
    tex = _BEFORE_FUNCTION.sub(r"\\,", tex.replace("{,}", r"\text{,}"))
    return _AFTER_FUNCTION.sub(r"\1\\,", tex)


def _mark(token: Token, env: Any, *, is_displayed: bool) -> str:
    tex, found = token.content.strip(), env["formulas"]
    is_usual = len(tex) <= _LONGEST_FORMULA and len(found) < _MOST_FORMULAS
    found.append((_as_mathml if is_usual else _as_source)(tex, is_displayed=is_displayed))
    return f"{_OPEN}{len(found) - 1}{_CLOSE}"


def _in_line(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    return _mark(tokens[index], env, is_displayed=False)


def _displayed(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    return _mark(tokens[index], env, is_displayed=True)


def _on_its_own(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    return f"<p>{_mark(tokens[index], env, is_displayed=True)}</p>\n"


_parser.add_render_rule("math_inline", _in_line)
_parser.add_render_rule("math_inline_double", _displayed)
_parser.add_render_rule("math_block", _on_its_own)
