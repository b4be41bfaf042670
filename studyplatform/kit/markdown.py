"""Markdown to safe HTML: raw HTML is not rendered, and what is rendered is sanitized once more."""

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h2", "h3", "h4", "h5", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub",
}  # fmt: skip
_INLINE = {"em", "strong", "s", "code", "a", "sup", "sub", "br"}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
_parser = MarkdownIt("commonmark", {"html": False, "typographer": True}).enable(
    ["table", "strikethrough", "replacements", "smartquotes"]
)


def render(text: str) -> Markup:
    """Sanitized HTML of a Markdown text. Headings begin at h2, links are nofollow."""
    html = _parser.render(text).replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    return _clean(html, _TAGS)


@lru_cache(maxsize=4096)
def render_inline(text: str) -> Markup:
    """Sanitized HTML of a phrase: emphasis, code and links, no paragraphs. Short texts are kept rendered."""
    return _clean(_parser.renderInline(text), _INLINE)


def _clean(html: str, tags: set[str]) -> Markup:
    clean = nh3.clean(
        html,
        tags=tags,
        attributes={tag: names for tag, names in _ATTRIBUTES.items() if tag in tags},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener",
    )
    return Markup(clean)  # noqa: S704 (nh3 has just sanitized it)
