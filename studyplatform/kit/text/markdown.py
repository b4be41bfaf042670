"""Markdown to safe HTML: raw HTML is not rendered, and what is rendered is sanitized once more.

Formulas are TeX between dollars: ``$x^2$`` within a line, ``$$`` around a displayed one. They become MathML,
which browsers render and read aloud without any script. While the rest of the text is rendered and sanitized, each
formula is replaced by a placeholder.

Whatever a text contains, rendering it takes a fraction of a second (:class:`Budget`): what is beyond its budget is
shown as it was typed.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import nh3
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar

from studyplatform.kit.text.formulas import Formula, convert_formula, show_source

_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h2", "h3", "h4", "h5", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub",
}  # fmt: skip
_INLINE = {"em", "strong", "s", "code", "a", "sup", "sub", "br"}
_WITH_DIRECTION = {"p", "li", "h2", "h3", "h4", "h5", "blockquote", "div", "table", "th", "td"}  # div: a callout
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "code": {"class"},
    **{tag: {"dir"} for tag in _WITH_DIRECTION},
}
_LONGEST_FORMULA = 1000  # characters: a longer one is shown as its source
_MOST_LINES = 50  # of a formula: limits the search for a missing closing "$$"
_MOST_FORMULAS = 2000  # per text; further ones are shown as their source
_MAX_COLUMNS = 60  # of a table: each row is filled up to the columns of the head
_MICROSECONDS_PER_LINE = 60
# What characters that may begin an element cost, in microseconds, measured with tests/bench/hostile.py.
_MICROSECONDS = {
    "[": 30, "![": 60, "* ": 40, "- ": 40, "+ ": 40, ">": 40, "*": 8, "_": 8, "~": 8, "|": 5, "$": 8, "`": 4, "<": 5,
}  # fmt: skip
_CHARACTERS_PER_MICROSECOND = 4
_ALLOWED_SCHEME = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
# Authors cannot write these placeholders: they contain a secret of the process. (A control character would not be
# enough: the parser decodes them from the URL of a link.)
_OPEN, _CLOSE = f"formula-{secrets.token_hex(8)}-", "-"
_MARK = re.compile(rf"(<p>)?{_OPEN}(\d+){_CLOSE}(</p>)?")
_TABLE = re.compile(r"<table( dir=\"rtl\")?>(.*?)</table>", re.DOTALL)
_NARROW = 20  # characters of a formula that fit on any phone
_HEAD = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
# The blocks of Unicode whose letters run from right to left.
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")

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


def _limited_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """The parser's rule with limits: a short row costs as much as the head is wide."""
    budget: Budget = state.env.setdefault("budget", Budget())  # the parser may be called without `render`
    head = state.src[state.bMarks[start] : state.eMarks[start]]
    columns = head.strip().strip("|").count("|") + 1
    if columns > _MAX_COLUMNS:
        return False
    rows = budget.table_cells // columns
    if rows < 1:
        return False
    before = len(state.tokens)
    if not table(state, start, min(end, start + 1 + rows), silent):
        return False
    if not silent:
        budget.table_cells -= sum(token.type in {"th_open", "td_open"} for token in state.tokens[before:])
    return True


def direction_of(words: str) -> str:
    """Return the direction that the first letter gives to words: "ltr", "rtl", or "" without letters."""
    letter = next((one for one in map(unicodedata.bidirectional, words) if one in {"L", "R", "AL"}), "")
    return {"": "", "L": "ltr"}.get(letter, "rtl")


def _mark_directions(state: StateCore) -> None:
    """Mark the blocks whose first letter is one from right to left, as ``dir="auto"`` would see it in the words alone.

    In an item, quote, callout or table its first block decides; one of the other direction within it says so. Texts
    without such letters stay as they are, to the byte.
    """
    if not _RIGHT_TO_LEFT.search(state.src):
        return
    blocks: list[Token] = []  # that are open, the outermost first
    known: list[str] = []  # the directions of the first of them
    for token in state.tokens:
        if token.type == "inline":
            direction = direction_of("".join(child.content for child in token.children or () if child.type == "text"))
            if not direction:
                continue
            if direction == "rtl" or known[-1:] == ["rtl"]:
                for block in blocks[len(known) :]:
                    block.attrSet("dir", direction)
            known += [direction] * (len(blocks) - len(known))
        elif token.tag in _WITH_DIRECTION and token.nesting == 1:
            blocks.append(token)
        elif token.tag in _WITH_DIRECTION and token.nesting == -1:
            blocks.pop()
            del known[len(blocks) :]


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 (the name of the library)
        """Whether an address may be a link: of the web, of mail, or within this site. Any other stays as typed."""
        seen = re.sub(r"[\x00-\x20]", "", url)
        return bool(_ALLOWED_SCHEME.match(seen)) or not _SCHEME.match(seen)


def new_parser(**options: Any) -> MarkdownIt:
    """A parser of Markdown with tables and formulas. ``options`` are those of markdown-it; rules can be added to it."""
    parser = (
        _Parser("commonmark", {"html": False, **options})  # nothing that was typed is replaced: "(c)", "--", '"'
        .enable(["table", "strikethrough"])
        # "$4 and $5" and "$5/$6" are prices.
        .use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    )
    parser.core.ruler.after("inline", "directions", _mark_directions)
    parser.block.ruler.at("math_block", _formula_of_its_own)
    parser.block.ruler.at("table", _limited_table, {"alt": ["paragraph", "reference"]})
    rules = {"math_inline": _in_line, "math_inline_double": _displayed, "math_block": _on_its_own}
    for kind, rule in rules.items():
        parser.add_render_rule(kind, rule)
    return parser


@dataclass(frozen=True)
class Profile:
    """A kind of Markdown: its parser, and what its sanitized HTML may contain beyond paragraphs, lists and tables.

    ``tags`` maps further elements to the attributes they may have. ``keeps`` decides about each attribute that is
    allowed, from element, attribute and value. ``env`` of :func:`render` reaches the rules of the parser.
    """

    parser: MarkdownIt
    tags: Mapping[str, frozenset[str]] | None = None
    keeps: Callable[[str, str, str], bool] | None = None
    link_rel: str = "nofollow noopener"
    most_formulas: int = _MOST_FORMULAS

    @cached_property
    def block_cleaner(self) -> nh3.Cleaner:
        """Keeps what `render` may return. Building one takes longer than most texts."""
        return self._cleaner(_TAGS)

    @cached_property
    def phrase_cleaner(self) -> nh3.Cleaner:
        """Keeps what `render_phrase` may return."""
        return self._cleaner(_INLINE)

    def _cleaner(self, tags: set[str]) -> nh3.Cleaner:
        more, keeps = self.tags or {}, self.keeps
        attributes = {tag: names for tag, names in _ATTRIBUTES.items() if tag in tags}
        return nh3.Cleaner(
            tags=tags | more.keys(),
            attributes=attributes | {tag: attributes.get(tag, set()) | names for tag, names in more.items()},
            attribute_filter=(lambda tag, name, value: value if keeps(tag, name, value) else None) if keeps else None,
            url_schemes={"http", "https", "mailto"},
            link_rel=self.link_rel,
        )


@dataclass
class Budget:
    """What rendering may still cost: half a second in all. A response with several texts has one for all of them."""

    microseconds: int = 250_000
    table_cells: int = 6_000
    formula_characters: int = 10_000
    code_characters: int = 60_000  # that are highlighted

    @property
    def is_exceeded(self) -> bool:
        """Whether something was shown as it was typed, or will be."""
        return min(self.microseconds, self.table_cells - _MAX_COLUMNS, self.formula_characters) <= 0

    def cut(self, text: str) -> tuple[str, str]:
        """The beginning that may be rendered, up to the end of a line, and the rest. Takes its cost from the budget."""
        cost = _cost_of(text)
        if cost <= self.microseconds:
            self.microseconds -= cost
            return text, ""
        end = 0
        for line in text.splitlines(keepends=True):
            cost = _cost_of(line)
            if cost > self.microseconds:
                break
            self.microseconds -= cost
            end += len(line)
        self.microseconds = 0
        return text[:end], text[end:]


def _cost_of(text: str) -> int:
    """About how many microseconds the parser and the sanitizer need."""
    marks = sum(text.count(mark) * cost for mark, cost in _MICROSECONDS.items())
    return (text.count("\n") + 1) * _MICROSECONDS_PER_LINE + marks + len(text) // _CHARACTERS_PER_MICROSECOND


def render(
    text: str, profile: Profile, env: Mapping[str, Any] | None = None, *, budget: Budget | None = None
) -> Markup:
    """Sanitized HTML of a Markdown text. A wide table scrolls by itself; what exceeds the budget is shown as typed."""
    budget = budget or Budget()
    text, rest = budget.cut(text)
    html = _finished(
        lambda parser, env: parser.render(text, env), profile.block_cleaner, profile, {**(env or {}), "budget": budget}
    )
    return html + Markup('<pre class="as-typed">%s</pre>') % rest if rest.strip() else html


def render_phrase(
    text: str, profile: Profile, env: Mapping[str, Any] | None = None, *, budget: Budget | None = None
) -> Markup:
    """Sanitized HTML of a phrase: emphasis, code, links, formulas, no paragraphs."""
    budget = budget or Budget()
    text, rest = budget.cut(text)
    env = {**(env or {}), "budget": budget}
    return _finished(lambda parser, env: parser.renderInline(text, env), profile.phrase_cleaner, profile, env) + escape(
        rest
    )


def _finished(
    rendered: Callable[[MarkdownIt, dict[str, Any]], str], cleaner: nh3.Cleaner, profile: Profile, env: dict[str, Any]
) -> Markup:
    found: list[Formula] = []
    html = rendered(profile.parser, {**env, "formulas": found, "most_formulas": profile.most_formulas})
    html = _with_formulas(cleaner.clean(html), found)
    return Markup(_TABLE.sub(_scrolling_table, html))  # noqa: S704 (what is added is escaped)


def _scrolling_table(table: re.Match[str]) -> str:
    columns = [Markup(head).striptags() for head in _HEAD.findall(table[2])]  # noqa: S704 (sanitized; tags go)
    shown = table[0].replace("<th></th>", "<td></td>")  # an empty cell is the head of nothing
    name = escape(_("Table: %(columns)s") % {"columns": ", ".join(filter(None, columns))})
    return f'<div class="table-wrap"{table[1] or ""} role="group" tabindex="0" aria-label="{name}">{shown}</div>'


def _with_formulas(html: str, found: "list[Formula]") -> str:
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


def _mark(token: Token, env: Any, *, is_displayed: bool) -> str:
    tex, found, budget = token.content.strip(), env["formulas"], env.setdefault("budget", Budget())
    is_usual = len(tex) <= min(_LONGEST_FORMULA, budget.formula_characters) and len(found) < env["most_formulas"]
    budget.formula_characters -= len(tex) if is_usual else 0
    found.append((convert_formula if is_usual else show_source)(tex, is_displayed=is_displayed))
    return f"{_OPEN}{len(found) - 1}{_CLOSE}"


def _in_line(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    return _mark(tokens[index], env, is_displayed=False)


def _displayed(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    return _mark(tokens[index], env, is_displayed=True)


def _on_its_own(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    return f"<p>{_mark(tokens[index], env, is_displayed=True)}</p>\n"
