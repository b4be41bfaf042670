"""Rules of the parser for pictures: figures with captions, their widths, and links to what is not shown.

An app registers the pictures that it has by the beginning of their addresses (`register_pictures`).
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

from studyplatform.kit.text.formulas import formula_as_text
from studyplatform.kit.text.markdown import direction_of

_UID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ATTRIBUTE = r"(?:decorative|width=(?:25|50|75|100)%)"
_ATTRIBUTES = re.compile(rf"\{{ ?({_ATTRIBUTE}(?: {_ATTRIBUTE})?) ?\}}")
_LINK = {"link_open": 1, "link_close": -1}


@dataclass(frozen=True)
class PictureFacts:
    """Size of a picture in pixels, and the widths of its renditions, ascending: each at ``<address>?width=<width>``."""

    width: int
    height: int
    renditions: tuple[int, ...] = ()


PictureSource = Callable[[Collection[UUID]], Mapping[UUID, PictureFacts | None]]
"""Returns what is known of files by uid: None of one that is no picture, nothing of one that does not exist."""

_sources: dict[str, PictureSource] = {}


def register_pictures(prefix: str, source: PictureSource) -> None:
    """Register the app that knows the pictures whose addresses begin with ``prefix``."""
    _sources[prefix] = source


def matches_address(prefixes: Collection[str], address: str) -> re.Match[str] | None:
    """Return the match of an address of a file with its ``prefix`` and ``uid``, if it begins with one of these."""
    if not prefixes:
        return None
    return re.fullmatch(rf"(?P<prefix>{'|'.join(map(re.escape, prefixes))})(?P<uid>{_UID})", address, re.ASCII)


def add_pictures(parser: MarkdownIt, prefixes: Collection[str], *, max_pictures: int, has_figures: bool) -> None:
    """Show pictures whose addresses begin with one of ``prefixes``; any other image is a link to it.

    A picture alone in its paragraph is a figure, the title its caption. ``{decorative}`` and ``{width=50%}`` directly
    behind a picture belong to it.
    """

    def mark(state: StateCore) -> None:
        found: dict[str, set[UUID]] = {}
        count = 0
        in_caption = bool(state.env.get("in_caption"))
        for place, block in enumerate(state.tokens):
            links = 0
            children = block.children or []
            for at, token in enumerate(children):
                links += _LINK.get(token.type, 0)
                if token.type != "image":
                    continue
                token.meta["is_in_link"] = links > 0
                address = None if in_caption else matches_address(prefixes, str(token.attrs["src"]))
                if address is None or count >= max_pictures:
                    continue
                count += 1
                token.meta["prefix"], token.meta["uid"] = address["prefix"], UUID(address["uid"])
                found.setdefault(address["prefix"], set()).add(token.meta["uid"])
                _take_attributes(token, children[at + 1 : at + 2])
            if has_figures and 0 < place < len(state.tokens) - 1:
                _mark_figure(state.tokens[place - 1], block, state.tokens[place + 1])
        facts = {prefix: _sources[prefix](uids) for prefix, uids in found.items() if prefix in _sources}
        state.env["pictures"] = {**state.env.get("pictures", {}), **facts}

    def show(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _picture(self, parser, tokens[index], options, env)

    parser.core.ruler.after("inline", "pictures", mark)
    parser.add_render_rule("image", show)
    parser.add_render_rule("figure_open", _figure)


def _take_attributes(picture: Token, following: Sequence[Token]) -> None:
    text = following[0] if following and following[0].type == "text" else None
    found = _ATTRIBUTES.match(text.content) if text is not None else None
    if text is None or found is None:
        return
    for attribute in found[1].split():
        name, _equals, value = attribute.partition("=")
        picture.meta[name] = int(value.removesuffix("%")) if value else True
    text.content = text.content[found.end() :]


def _mark_figure(before: Token, block: Token, after: Token) -> None:
    if (before.type, after.type) != ("paragraph_open", "paragraph_close"):
        return
    seen = [
        child
        for child in block.children or ()
        if child.type not in {"softbreak", "hardbreak"} and (child.type != "text" or child.content.strip())
    ]
    if len(seen) == 1 and "uid" in seen[0].meta:
        block.children = seen
        before.type, before.tag, before.hidden = "figure_open", "figure", False
        after.type, after.tag, after.hidden = "figure_close", "figure", False
        before.meta["picture"], seen[0].meta["is_figure"] = seen[0], True


def _figure(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    picture = tokens[index].meta["picture"]
    width = picture.meta.get("width")
    direction = ' dir="rtl"' if direction_of(str(picture.attrs.get("title") or "")) == "rtl" else ""
    return f'<figure class="figure figure--{width}"{direction}>' if width else f'<figure class="figure"{direction}>'


def _picture(self: RendererHTML, parser: MarkdownIt, token: Token, options: Any, env: Any) -> str:
    address, alt = str(token.attrs["src"]), alternative_text(token)
    title = str(token.attrs.get("title") or "")
    if "uid" not in token.meta:
        return _link_to(address, alt or address, title, is_in_link=token.meta.get("is_in_link", bool(token.level)))
    caption = _caption(parser, title, env) if title and token.meta.get("is_figure") else ""
    known = env.get("pictures", {}).get(token.meta["prefix"])
    uid = token.meta["uid"]
    if known is not None and uid not in known:
        missing = Markup('<span class="missing-picture">%s</span>') % (alt or _("Picture not found"))
        return missing + (caption or title)
    if known is not None and known[uid] is None:
        is_in_link = token.meta["is_in_link"]
        return _link_to(address, alt or address, "" if caption else title, is_in_link=is_in_link) + caption
    image = _img(address, alt, known[uid] if known is not None else None, token.meta)
    if title and not caption:
        image = image.replace("<img ", Markup('<img title="%s" ') % title, 1)
    return image + caption


def _img(address: str, alt: str, facts: PictureFacts | None, meta: Mapping[str, Any]) -> Markup:
    width = meta.get("width") or 0
    kind = "" if meta.get("is_figure") else f' class="picture picture--{width}"' if width else ' class="picture"'
    if facts is None:
        return Markup('<img src="%s" alt="%s"%s loading="lazy" decoding="async">') % (address, alt, Markup(kind))  # noqa: S704 (a constant and a number)
    sources = Markup("")
    if facts.renditions:
        middle = next((one for one in facts.renditions if one >= 960), facts.renditions[-1])
        addresses = ", ".join(f"{address}?width={one} {one}w" for one in facts.renditions)
        share = (width or 100) / 100
        sizes = f"auto, (min-width: 48em) {round(42 * share, 1):g}rem, {round(100 * share)}vw"
        sources = Markup(' srcset="%s" sizes="%s"') % (addresses, sizes)
        address = f"{address}?width={middle}"
    return Markup('<img src="%s"%s width="%d" height="%d" alt="%s"%s loading="lazy" decoding="async">') % (
        address,
        sources,
        facts.width,
        facts.height,
        alt,
        Markup(kind),  # noqa: S704 (a constant and a number)
    )


def _caption(parser: MarkdownIt, title: str, env: Any) -> Markup:
    """The caption is a phrase of its own, with formulas and emphasis, but without pictures."""
    if env.get("in_caption"):
        return escape(title)
    env["in_caption"] = True
    try:
        html = parser.renderInline(title, env)
    finally:
        env["in_caption"] = False
    return Markup("<figcaption>%s</figcaption>") % Markup(html)  # noqa: S704 (the parser escapes, and the result is sanitized)


def _link_to(address: str, name: str, title: str, *, is_in_link: bool) -> Markup:
    """A link to what is not shown here: nothing that was typed vanishes."""
    if is_in_link:  # a link cannot contain another one
        return escape(name)
    return Markup('<a href="%s"%s>%s</a>') % (address, Markup(' title="%s"') % title if title else "", name)


def alternative_text(picture: Token) -> str:
    """Return the alternative text of an image, with formulas as plain text."""
    return "".join(_plain(picture.children or ())).strip()


def _plain(tokens: Sequence[Token]) -> list[str]:
    parts = []
    for token in tokens:
        if token.type.startswith("math_inline"):
            parts.append(formula_as_text(token.content))
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif token.children:
            parts += _plain(token.children)
        else:
            parts.append(token.content)
    return parts
