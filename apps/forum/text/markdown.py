"""The texts of posts and messages: those of `content.POST` and `content.MESSAGE`, with mentions.

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
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from studyplatform.kit.text import content, markdown

IMAGES, FILES = content.POST_IMAGES, "/forum/files/"

_FILE = re.compile(rf"(?:{IMAGES}|{FILES})([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})", re.ASCII)
# As in the form of the profile (accounts/forms/profile.py). An address (me@a.example, //a.example/@me) is no mention.
_MENTION = re.compile(r"(?<![\w@/.+-])@([\w.-]{3,30})(?![\w@])")
_LINK = {"link_open": 1, "link_close": -1}


def render(source: str, *, is_trusted: bool, mentions: Mapping[str, str]) -> str:
    """Sanitized HTML of a post. The same for every reader, so it is in the site's language.

    ``is_trusted``: search engines may follow its links. ``mentions``: usernames in lower case, and how to write them;
    only these are marked.
    """
    profile = _TRUSTED if is_trusted else _UNTRUSTED
    with translation.override(settings.LANGUAGE_CODE):
        return str(markdown.render(source, profile, {"mentions": mentions}))


def render_message(source: str, *, is_trusted: bool) -> str:
    """Sanitized HTML of a message, see `render`. It mentions nobody."""
    profile = _TRUSTED_MESSAGE if is_trusted else _UNTRUSTED_MESSAGE
    with translation.override(settings.LANGUAGE_CODE):
        return str(markdown.render(source, profile))


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
    words = "".join(content.find_words(tokens, shows_blocks=False)).split()
    if set(words) <= {"…"}:
        words = "".join(content.find_words(tokens, shows_blocks=True)).split()
    return str(Truncator(" ".join(words)).chars(n))


def _parsed(source: str) -> list[Token]:
    return _parser.parse(source, {"mentions": {}})


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


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


def _mention(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return Markup('<span class="mention">%s</span>') % tokens[index].content


_parser = content.new_parser(content.POST)
_parser.core.ruler.after("linkify", "mentions", _mark_mentions)
_parser.add_render_rule("mention", _mention)

_UNTRUSTED = content.profile_of(content.POST, _parser)
_TRUSTED = replace(_UNTRUSTED, link_rel="ugc noopener")
_UNTRUSTED_MESSAGE = content.profile_of(content.MESSAGE)
_TRUSTED_MESSAGE = replace(_UNTRUSTED_MESSAGE, link_rel="ugc noopener")
