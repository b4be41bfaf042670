"""The Markdown of posts: that of lessons, with line breaks, bare addresses as links, images, mentions, code in colors.

Images are those that writers upload here (``/forum/images/<uid>``). An image from elsewhere would tell its server who
reads the topic, so it is a link.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import translation
from django.utils.text import Truncator
from linkify_it import LinkifyIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

from studyplatform.kit.text import code, markdown
from studyplatform.kit.text.formulas import formula_as_text

IMAGES, FILES = "/forum/images/", "/forum/files/"

_FILE = re.compile(rf"(?:{IMAGES}|{FILES})([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})", re.ASCII)
# As in the form of the profile (accounts/forms/profile.py). An address (me@a.example, //a.example/@me) is no mention.
_MENTION = re.compile(r"(?<![\w@/.+-])@([\w.-]{3,30})(?![\w@])")
_CLASS = {
    "span": re.compile(r"mention|tok-[a-z0-9]+", re.ASCII),
    "pre": re.compile("code", re.ASCII),
    "code": re.compile(r"language-[a-z0-9]+", re.ASCII),
}
_LINK = {"link_open": 1, "link_close": -1}
_BLOCKS = {"fence", "code_block", "math_block", "math_inline_double"}
_MOST_FORMULAS = 500
_WIDE = 36  # characters of a line of code that fit on any phone
_FIRST_HEADING, _LAST_HEADING = 3, 5  # a topic's title is the page's h1, and its parts begin at h2


def render(source: str, *, is_trusted: bool, mentions: Mapping[str, str]) -> str:
    """Sanitized HTML of a text. The same for every reader, so it is in the site's language.

    ``is_trusted``: search engines may follow its links. ``mentions``: usernames in lower case, and how to write them;
    only these are marked.
    """
    profile = _TRUSTED if is_trusted else _UNTRUSTED
    with translation.override(settings.LANGUAGE_CODE):
        return str(markdown.render(source, profile, {"mentions": mentions}))


def mentioned(source: str) -> list[str]:
    """The usernames that a text may mention, in lower case, each once. Not in code, links, formulas and quotations.

    "@amara." is a mention of "amara", or of "amara." if there is such a user: both are returned.
    """
    found: dict[str, None] = {}
    _parser.parse(source, {"found": found})
    return list(found)


def files_in(source: str) -> list[UUID]:
    """The files whose images or links a text contains, each once."""
    addresses = (token.attrs.get(name) for token in _all(_parsed(source)) for name in ("src", "href"))
    matches = (_FILE.fullmatch(str(address)) for address in addresses if address)
    return list(dict.fromkeys(UUID(match[1]) for match in matches if match))


def excerpt(source: str, n: int) -> str:
    """The beginning of a text as plain text in one line, at most ``n`` characters.

    Without blocks of code and displayed formulas, unless there is nothing else.
    """
    tokens = _parsed(source)
    words = "".join(_words(tokens)).split()
    if set(words) <= {"…"}:
        words = "".join(_words(tokens, shows_blocks=True)).split()
    return str(Truncator(" ".join(words)).chars(n))


def _parsed(source: str) -> list[Token]:
    return _parser.parse(source, {"mentions": {}})


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


def _words(tokens: Sequence[Token], *, shows_blocks: bool = False) -> Iterator[str]:
    for token in tokens:
        if token.children is not None:
            yield from _words(token.children, shows_blocks=shows_blocks)
        elif token.type in _BLOCKS and not shows_blocks:
            yield " … "
        elif token.type == "math_inline" and set(token.content) & set("\\{"):
            yield formula_as_text(token.content)
        elif token.nesting == 0:
            yield token.content
        if token.block or token.type in {"softbreak", "hardbreak"}:
            yield " "


def _mark_mentions(state: StateCore) -> None:
    """Split texts at mentions. `env`: ``mentions`` as in `render`, or ``found``, to which all are added."""
    quotes = 0
    for block in state.tokens:
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(block.type, 0)
        if quotes or "@" not in block.content or block.children is None:
            continue
        links, children = 0, []
        for token in block.children:
            links += _LINK.get(token.type, 0)
            children += [token] if links or token.type != "text" else _split_at_mentions(token, state.env)
        block.children = children


def _mark_images_in_links(state: StateCore) -> None:
    """A link cannot contain the link to an image from elsewhere."""
    for block in state.tokens:
        links = 0
        for token in block.children or ():
            links += _LINK.get(token.type, 0)
            if links and token.type == "image":
                token.meta["is_in_link"] = True


def _split_at_mentions(token: Token, env: Any) -> list[Token]:
    parts, done = [], 0
    for match in _MENTION.finditer(token.content):
        names = _spellings(match[1])
        if (found := env.get("found")) is not None:
            found.update(dict.fromkeys(names))
            continue
        name = next((name for name in names if name in env["mentions"]), None)
        if name is None:
            continue
        end = match.start(1) + (len(match[1]) if name == names[0] else len(match[1].rstrip(".-")))
        parts += [_text(token, token.content[done : match.start()])]
        parts += [Token("mention", "", 0, content=f"@{env['mentions'][name]}", level=token.level)]
        done = end
    return [*parts, _text(token, token.content[done:])] if parts else [token]


def _text(token: Token, content: str) -> Token:
    return Token("text", "", 0, content=content, level=token.level)


def _spellings(name: str) -> list[str]:
    """A username as it is compared, and without the punctuation that may belong to the sentence."""
    spellings = (unicodedata.normalize("NFKC", one).lower() for one in (name, name.rstrip(".-")))
    return [one for one in dict.fromkeys(spellings) if len(one) >= 3]


def _shift_headings(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + _FIRST_HEADING - 1, _LAST_HEADING)}"


def _mention(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return Markup('<span class="mention">%s</span>') % tokens[index].content


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    source, name = str(token.attrs["src"]), self.renderInlineAsText(token.children, options, env)
    if source.startswith(IMAGES) and _FILE.fullmatch(source):
        return Markup('<img src="%s" alt="%s" loading="lazy">') % (source, name)
    if token.meta.get("is_in_link"):
        return str(escape(name or source))
    return Markup('<a href="%s">%s</a>') % (source, name or source)


def _code(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    source, info = tokens[index].content, tokens[index].info.split()
    language = code.language_called(info[0]) if info else ""
    shown = code.highlighted(source, language) if language else escape(source)
    kind = Markup(' class="language-%s"') % language if language else ""
    # What scrolls can be scrolled with the keyboard.
    focus = Markup(' tabindex="0"') if any(len(line) > _WIDE for line in source.split("\n")) else ""
    return Markup('<pre class="code"%s><code%s>%s</code></pre>\n') % (focus, kind, shown)


def _keeps(tag: str, name: str, value: str) -> bool:
    if tag == "img" and name == "src":
        return value.startswith(IMAGES) and _FILE.fullmatch(value) is not None
    return name != "class" or (tag in _CLASS and _CLASS[tag].fullmatch(value) is not None)


_parser = markdown.new_parser(linkify=True, breaks=True)
_parser.linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
for _schema in ("ftp:", "//"):  # the sanitizer would leave a link without an address
    _parser.linkify.add(_schema, None)
_parser.core.ruler.after("linkify", "mentions", _mark_mentions)
_parser.core.ruler.after("inline", "headings", _shift_headings)
_parser.core.ruler.after("inline", "images", _mark_images_in_links)
_parser.enable("linkify")
for _kind, _rule in (("mention", _mention), ("image", _image), ("fence", _code), ("code_block", _code)):
    _parser.add_render_rule(_kind, _rule)

_UNTRUSTED = markdown.Profile(
    _parser,
    tags={
        "img": frozenset({"src", "alt", "loading"}),
        "span": frozenset({"class"}),
        "pre": frozenset({"class", "tabindex"}),
    },
    keeps=_keeps,
    link_rel="nofollow ugc noopener",
    most_formulas=_MOST_FORMULAS,
)
_TRUSTED = replace(_UNTRUSTED, link_rel="ugc noopener")
