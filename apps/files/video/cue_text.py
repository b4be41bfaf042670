"""The text of cues: read the markup of WebVTT and SubRip, write that of WebVTT.

Tags of the formats keep their meaning; everything else that looks like a tag is text and stays as it was written, such
as "vector<int>". Everything here takes linear time.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

#: A tag, without line breaks inside; it stops at the next angle bracket, so that matching takes linear time.
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)((?:[.\s/][^<>]*)?)>|<((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})>")
_BARE = frozenset({"b", "i", "u", "ruby", "rt"})  # tags of WebVTT that take no annotation
_SINGLE = frozenset({"b", "i", "u", "c"})
_CLASSES = re.compile(r"(?:\.[\w-]+)+")
_ANNOTATED = re.compile(r"((?:\.[\w-]+)*)[ \t\n]+(\S[^<>]*)")
_LANGUAGE = re.compile(r"[A-Za-z0-9-]+")
#: Formatting that SubRip files borrow from HTML: the tag goes, its text stays.
_DECORATION = frozenset({"font", "span", "s", "strike", "strong", "em", "small", "big", "center", "nobr", "tt", "lang"})
_SYNONYMS = {"strong": "b", "em": "i"}
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: Position and style of SubStation Alpha, as SubRip files use them: {\an8}. It stops at the next brace of either kind.
_OVERRIDE = re.compile(r"\{\\[^{}]*\}")


def clean_markup(text: str, *, is_webvtt: bool) -> tuple[str, bool]:
    """Return the WebVTT cue text of a cue, and whether formatting was removed from it.

    Lines without a visible character go: a blank line would end the cue.
    """
    is_reduced = False
    if not is_webvtt and "{\\" in text:
        shorter = _OVERRIDE.sub("", text)
        is_reduced = shorter != text
        text = shorter
    tags = [(tag, written) for tag in _TAG.finditer(text) if (written := _tag(tag)) is not None]
    closed = {written[2:-1] for _, written in tags if written.startswith("</")}
    parts, at, last = [], 0, ""
    for tag, written in tags:
        before = _escape(text[at : tag.start()], is_webvtt=is_webvtt)
        last = (before or last)[-1:]
        if written[1:-1] in _SINGLE and written[1:-1] not in closed and (last.isalnum() or last == "_"):
            written = escape_text(tag.group())  # never closed and right behind a word: the type argument of "List<b>"
        is_reduced |= written not in (tag.group(), escape_text(tag.group()))
        parts += [before, written]
        last = (written or last)[-1:]
        at = tag.end()
    parts.append(_escape(text[at:], is_webvtt=is_webvtt))
    lines = [line.rstrip(" \t\f") for line in "".join(parts).split("\n")]
    return "\n".join(line for line in lines if line.strip(" \t\f")), is_reduced


def _tag(tag: re.Match[str]) -> str | None:
    """What a tag becomes in WebVTT, "" if it is only formatting; None if it is text that looks like a tag."""
    slash, name, rest, time = tag.groups()
    if time:
        return tag.group()
    small = name.lower()
    if small == "br":
        return "\n"
    own = _SYNONYMS.get(small, small)
    if slash:
        if own in _BARE or own in {"c", "v", "lang"}:
            return None if rest.strip() else f"</{own}>"
        return "" if small in _DECORATION and not rest.strip() else None
    if own in _BARE or own == "c":
        if not rest or _CLASSES.fullmatch(rest):
            return f"<{own}{rest}>"
        return f"<{own}>" if small in _DECORATION else None
    found = _ANNOTATED.fullmatch(rest)
    if own == "v" and found is not None:
        return f"<v{found.group(1)} {_escape(' '.join(found.group(2).split()), is_webvtt=True)}>"
    if own == "lang" and found is not None and _LANGUAGE.fullmatch(found.group(2)):
        return f"<lang{found.group(1)} {found.group(2)}>"
    return "" if small in _DECORATION - {"lang"} else None


def _escape(text: str, *, is_webvtt: bool) -> str:
    """Resolve the character references of a text, as its format does, and escape it for WebVTT."""
    if "&" in text:
        text = html.unescape(text) if is_webvtt else _REFERENCE.sub(_resolve, text)
    return escape_text(text)


def _resolve(reference: re.Match[str]) -> str:
    written = reference.group()
    return html.unescape(written) if written[1] == "#" or written[1:] in html5 else written


def escape_text(text: str) -> str:
    """Escape plain text for a WebVTT cue."""
    # A resolved reference can be a control character or half a surrogate pair, which databases refuse.
    text = text.replace("\0", "\ufffd").replace("\r", " ")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain_text(text: str) -> str:
    """Return WebVTT cue text on one line, without tags and with its character references resolved.

    Readings of ruby characters follow in parentheses, as browsers without ruby show them.
    """
    if "<" in text:
        text = _TAG.sub(lambda tag: _RUBY.get(tag.group(), ""), text)
    return " ".join(html.unescape(text).split())


_RUBY = {"<rt>": "(", "</rt>": ")"}
