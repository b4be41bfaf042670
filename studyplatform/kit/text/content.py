"""The texts that people write, in one format: which of it works in which place, and its HTML there.

The format is Markdown, stored as it was typed. Beyond CommonMark it has tables, strikethrough, formulas between
dollars, pictures with captions (`picture_rules`), callouts and code in colors; no HTML. docs/content.md shows it.

What differs between places is declared here and nowhere else.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.utils.translation import get_language
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from studyplatform.kit.text import content_rules, markdown, picture_rules
from studyplatform.kit.text.escaping import escape_markdown
from studyplatform.kit.text.formulas import formula_as_text, mathml_as_text
from studyplatform.kit.text.markdown import Budget, Profile
from studyplatform.kit.text.picture_rules import alternative_text, matches_address

COURSE_FILES = "/course-files/"
POST_IMAGES = "/forum/images/"
_SHORT_PHRASE = 500  # characters; the HTML of shorter ones is cached
_PLACEHOLDER = " … "


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a text is written, and what works there.

    ``has_blocks``: paragraphs, headings, lists, tables, quotations, callouts, code; otherwise only what stands within
    a line. ``first_heading``: the level of its highest headings. ``pictures_from``: the beginnings of the addresses of
    its pictures; other images are links. ``breaks_lines``: a line feed is a line break. ``links_addresses``: bare
    addresses are links. ``unwraps_paragraph``: a text that is a single paragraph stands without one.
    ``max_length`` in characters.
    """

    name: str
    has_blocks: bool = True
    first_heading: int = 2
    pictures_from: tuple[str, ...] = ()
    max_pictures: int = 0
    breaks_lines: bool = False
    links_addresses: bool = False
    has_mentions: bool = False
    unwraps_paragraph: bool = False
    link_rel: str = "nofollow noopener"
    max_formulas: int = 2000
    max_length: int = 100_000


LESSON = Place(name="lesson", pictures_from=(COURSE_FILES,), max_pictures=300)
DESCRIPTION = Place(
    name="description", first_heading=3, pictures_from=(COURSE_FILES,), max_pictures=30, max_length=20_000
)
PROMPT = Place(
    name="prompt", first_heading=3, pictures_from=(COURSE_FILES,), max_pictures=20, unwraps_paragraph=True,
    max_length=4_000,
)  # fmt: skip
CHOICE = Place(
    name="choice", has_blocks=False, pictures_from=(COURSE_FILES,), max_pictures=1, max_length=500,
)  # fmt: skip
EXPLANATION = Place(
    name="explanation", first_heading=4, pictures_from=(COURSE_FILES,), max_pictures=20, unwraps_paragraph=True,
    max_length=4_000,
)  # fmt: skip
FEEDBACK = Place(
    name="feedback", first_heading=4, pictures_from=(COURSE_FILES,), max_pictures=5, unwraps_paragraph=True,
    max_length=2_000,
)  # fmt: skip
POST = Place(
    name="post", first_heading=3, pictures_from=(POST_IMAGES,), max_pictures=20, breaks_lines=True,
    links_addresses=True, has_mentions=True, link_rel="nofollow ugc noopener", max_formulas=500, max_length=5_000,
)  # fmt: skip
MESSAGE = Place(
    name="message", first_heading=4, breaks_lines=True, links_addresses=True, link_rel="nofollow ugc noopener",
    max_formulas=500, max_length=5_000,
)  # fmt: skip
PATH = Place(name="path", first_heading=3, max_length=20_000)
NOTE = Place(name="note", first_heading=3, max_length=10_000)
COMMENT = Place(name="comment", first_heading=4, max_length=5_000)
ANSWER = Place(
    name="answer", first_heading=3, pictures_from=(COURSE_FILES,), max_pictures=20, max_length=64_000
)  # of the tutor, who quotes questions

FILE = Place(name="file", max_length=64 * 1024)

PLACES: Mapping[str, Place] = {
    place.name: place
    for place in (
        LESSON, DESCRIPTION, PROMPT, CHOICE, EXPLANATION, FEEDBACK, POST, MESSAGE, PATH, NOTE, COMMENT, ANSWER, FILE,
    )
}  # fmt: skip

_CLASSES = {
    "pre": re.compile("code", re.ASCII),
    "code": re.compile(r"language-[a-z0-9]+", re.ASCII),
    "span": re.compile(r"mention|missing-picture|tok-[a-z0-9]+", re.ASCII),
    "p": re.compile(r"callout__(?:kind|title)", re.ASCII),
    "div": re.compile(r"callout callout--(?:note|tip|important|warning|caution)", re.ASCII),
    "figure": re.compile(r"figure(?: figure--(?:25|50|75|100))?", re.ASCII),
    "img": re.compile(r"picture(?: picture--(?:25|50|75|100))?", re.ASCII),
}
_PHRASE_TAGS = {
    "img": frozenset({"src", "srcset", "sizes", "width", "height", "alt", "title", "class", "loading", "decoding"}),
    "span": frozenset({"class"}),
}
_BLOCK_TAGS = _PHRASE_TAGS | {
    "pre": frozenset({"class", "tabindex"}),
    "p": frozenset({"class"}),
    "div": frozenset({"class", "dir", "role"}),
    "figure": frozenset({"class", "dir"}),
    "figcaption": frozenset[str](),
}
_IMAGE = re.compile(r"<img [^>]*>")
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_ALT = re.compile(r'\balt="([^"]*)"')
_BLOCKS_OF_CODE = {"fence", "code_block", "math_block", "math_inline_double"}


def new_parser(place: Place) -> MarkdownIt:
    """Return a parser of the texts of a place, to which the caller may add rules."""
    parser = markdown.new_parser(linkify=place.links_addresses, breaks=place.breaks_lines)
    picture_rules.add_pictures(
        parser, place.pictures_from, max_pictures=place.max_pictures, has_figures=place.has_blocks
    )
    if place.has_blocks:
        content_rules.shift_headings(parser, place.first_heading)
        content_rules.color_code(parser)
        content_rules.add_callouts(parser)
    if place.links_addresses:
        parser.linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
        for schema in ("ftp:", "//"):  # which would not be links that are allowed
            parser.linkify.add(schema, None)
        parser.enable("linkify")
    return parser


def profile_of(place: Place, parser: MarkdownIt | None = None) -> Profile:
    """Return how texts of a place are rendered, by a parser to which the caller has added rules."""
    return Profile(
        parser or new_parser(place),
        tags=_BLOCK_TAGS if place.has_blocks else _PHRASE_TAGS,
        keeps=lambda tag, name, value: _keeps(place.pictures_from, tag, name, value),
        link_rel=place.link_rel,
        most_formulas=place.max_formulas,
    )


def _keeps(prefixes: Collection[str], tag: str, name: str, value: str) -> bool:
    if name == "class":
        return tag in _CLASSES and _CLASSES[tag].fullmatch(value) is not None
    if tag == "img" and name == "src":
        return matches_address(prefixes, value.partition("?width=")[0]) is not None
    if name == "srcset":
        return all(_keeps(prefixes, tag, "src", one.strip().partition(" ")[0]) for one in value.split(","))
    return name != "role" or value == "note"


_profiles = {place: profile_of(place) for place in PLACES.values()}


def render(text: str, place: Place, env: Mapping[str, Any] | None = None, *, budget: Budget | None = None) -> Markup:
    """Return the sanitized HTML of a text; what exceeds the budget is shown as it was typed."""
    if place.has_blocks:
        html = markdown.render(text, _profiles[place], env, budget=budget)
        return _without_paragraph(html) if place.unwraps_paragraph else html
    if env or budget or len(text) > _SHORT_PHRASE or COURSE_FILES in text:
        return markdown.render_phrase(text, _profiles[place], env, budget=budget)
    return _render_short_phrase(text, place, get_language())


@lru_cache(maxsize=4096)
def _render_short_phrase(text: str, place: Place, _language: str | None) -> Markup:
    return markdown.render_phrase(text, _profiles[place])


def _without_paragraph(html: Markup) -> Markup:
    stripped = html.strip()
    is_single = stripped.startswith("<p>") and stripped.endswith("</p>") and stripped.count("<p>") == 1
    # A paragraph holds no blocks: what ends with its end and begins with its beginning is nothing else.
    return Markup(stripped[3:-4]) if is_single and stripped.count("</p>") == 1 else html  # noqa: S704 (sanitized)


def has_blocks(html: str) -> bool:
    """Return whether the HTML of a text is more than a phrase."""
    return html.lstrip().startswith(("<p", "<ul", "<ol", "<h", "<table", "<div", "<figure", "<pre", "<blockquote"))


def html_as_text(html: str) -> str:
    """Return the words of the HTML of a phrase, with the alternative texts of its pictures and formulas as text."""
    shown = _IMAGE.sub(lambda image: (_ALT.search(image[0]) or ("", ""))[1], html)
    shown = _MATH.sub(lambda formula: escape(mathml_as_text(formula[0], otherwise=formula[0])), shown)
    return str(Markup(shown).striptags())  # noqa: S704 (tags go)


def name_formulas(html: str) -> Markup:
    """Return the attribute that names a control by a phrase with a formula: not every browser reads one into a name.

    Without a formula it is "": the phrase names it.
    """
    return Markup(' aria-label="%s"') % html_as_text(html) if "<math" in html else Markup("")


def write_picture(address: str, *, alt: str, caption: str = "", is_decorative: bool = False) -> str:
    """Return the line of a text that shows a picture."""
    title = " ".join(escape_markdown(caption).replace('"', '\\"').split())
    shown = f' "{title}"' if title else ""
    name = " ".join(escape_markdown(alt).split())
    return f"![{name}]({address}{shown})" + ("{decorative}" if is_decorative else "")


def write_link(address: str, name: str) -> str:
    """Return the line of a text that links a file."""
    return f"[{' '.join(escape_markdown(name).split())}]({address})"


def find_files(text: str, prefix: str = COURSE_FILES) -> list[UUID]:
    """Return the files of these addresses that a text shows or links, each once, in their order."""
    if prefix not in text:
        return []
    addresses = (
        str(token.attrs[name])
        for token in _walk(_profiles[_BY_PREFIX[prefix]].parser.parse(text, {"budget": Budget()}))
        for name in ("src", "href")
        if token.attrs.get(name)
    )
    matches = (matches_address((prefix,), address.partition("?")[0].partition("#")[0]) for address in addresses)
    return list(dict.fromkeys(UUID(match["uid"]) for match in matches if match is not None))


_BY_PREFIX = {COURSE_FILES: LESSON, POST_IMAGES: POST}


def plain_text(text: str, place: Place) -> str:
    """Return the words of a text in one line, with the alternative texts and captions of its pictures."""
    tokens = _profiles[place].parser.parse(text, {"budget": Budget()})
    return " ".join("".join(find_words(tokens, shows_blocks=True)).split())


def find_words(tokens: Sequence[Token], *, shows_blocks: bool) -> Iterator[str]:
    """Yield the words of parsed tokens; instead of blocks of code and displayed formulas "…", unless they are shown."""
    for token in tokens:
        if token.type == "image":
            yield from (alternative_text(token), " ", str(token.attrs.get("title") or ""))
        elif token.children is not None:
            yield from find_words(token.children, shows_blocks=shows_blocks)
        elif token.type in _BLOCKS_OF_CODE and not shows_blocks:
            yield _PLACEHOLDER
        elif token.type == "math_inline" and set(token.content) & set("\\{"):
            yield formula_as_text(token.content)
        elif token.nesting == 0:
            yield token.content
        if token.block or token.type in {"softbreak", "hardbreak"}:
            yield " "


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())
