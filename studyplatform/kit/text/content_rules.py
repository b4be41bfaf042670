"""Rules of the parser for what Markdown lacks: callouts, code in colors, headings of a page.

Each is plain text that reads well without rendering, and what does not fit a rule stays as it was typed. Those of
pictures are in `picture_rules`.
"""

import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

from studyplatform.kit.text import code
from studyplatform.kit.text.markdown import Budget

LAST_HEADING = 5
_CALLOUT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*([^\n]*)(?:\n|$)", re.IGNORECASE)
_WIDE = 36  # characters of a line of code that fit on any phone


# --- Headings ------------------------------------------------------------------------------------------


def shift_headings(parser: MarkdownIt, first: int) -> None:
    """Let the highest headings of a text be those of level ``first``, and none be below `LAST_HEADING`."""

    def shift(state: StateCore) -> None:
        headings = [token for token in state.tokens if token.type in {"heading_open", "heading_close"}]
        highest = min((int(token.tag[1]) for token in headings), default=1)
        for token in headings:
            token.tag = f"h{min(int(token.tag[1]) - highest + first, LAST_HEADING)}"

    parser.core.ruler.after("inline", "headings", shift)


# --- Code ----------------------------------------------------------------------------------------------


def color_code(parser: MarkdownIt) -> None:
    """Show blocks of code in the colors of their language, as long as the budget lasts."""
    for kind in ("fence", "code_block"):
        parser.add_render_rule(kind, _code)


def _code(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    source, info = tokens[index].content, tokens[index].info.split()
    budget: Budget = env.setdefault("budget", Budget())
    language = code.language_called(info[0]) if info and len(source) <= budget.code_characters else ""
    if language:
        budget.code_characters -= len(source)
    shown = code.highlighted(source, language) if language else escape(source)
    kind = Markup(' class="language-%s"') % language if language else ""
    # What scrolls can be scrolled with the keyboard.
    focus = Markup(' tabindex="0"') if any(len(line) > _WIDE for line in source.split("\n")) else ""
    return Markup('<pre class="code"%s><code%s>%s</code></pre>\n') % (focus, kind, shown)


# --- Callouts ------------------------------------------------------------------------------------------


def add_callouts(parser: MarkdownIt) -> None:
    """Show quotations that begin with ``[!NOTE]``, ``[!TIP]``, … as callouts, with the rest of that line as title."""
    parser.core.ruler.after("block", "callouts", _mark_callouts)
    parser.add_render_rule("callout_open", _callout)


def _mark_callouts(state: StateCore) -> None:
    tokens, result, opened = state.tokens, list[Token](), list[Token]()
    place = 0
    while place < len(tokens):
        token = tokens[place]
        result.append(token)
        place += 1
        if token.type == "blockquote_open":
            opened.append(token)
            mark = _mark_of(tokens, place)
            if mark is not None:
                token.type, token.tag, token.meta = "callout_open", "div", {"kind": mark[1].lower()}
                paragraph, text, end = tokens[place : place + 3]
                result += _title_of(mark[2].strip(), paragraph, text)
                text.content = text.content[mark.end() :]
                result += [paragraph, text, end] if text.content.strip() else []
                place += 3
        elif token.type == "blockquote_close" and opened.pop().type == "callout_open":
            token.type, token.tag = "callout_close", "div"
    state.tokens = result


def _mark_of(tokens: Sequence[Token], place: int) -> re.Match[str] | None:
    following = tokens[place : place + 2]
    if [token.type for token in following] != ["paragraph_open", "inline"]:
        return None
    return _CALLOUT.match(following[1].content)


def _title_of(title: str, paragraph: Token, text: Token) -> list[Token]:
    if not title:
        return []
    level, lines = paragraph.level, paragraph.map
    begin = Token("paragraph_open", "p", 1, attrs={"class": "callout__title"}, level=level, block=True, map=lines)
    inline = Token("inline", "", 0, level=text.level, block=True, content=title, children=[], map=lines)
    return [begin, inline, Token("paragraph_close", "p", -1, level=level, block=True)]


def _callout(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    kind, direction = tokens[index].meta["kind"], tokens[index].attrs.get("dir")
    return Markup('<div class="callout callout--%s"%s role="note">\n<p class="callout__kind">%s</p>\n') % (
        kind,
        Markup(' dir="%s"') % direction if direction else "",
        _callout_label(kind),
    )


def _callout_label(kind: str) -> str:
    labels = {
        "note": _("Note"),
        "tip": _("Tip"),
        "important": _("Important"),
        "warning": _("Warning"),
        "caution": _("Caution"),
    }
    return labels[kind]
