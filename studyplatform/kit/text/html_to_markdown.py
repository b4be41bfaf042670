"""HTML of other programs as the Markdown of `content`: what Word, Google Docs, LibreOffice and other platforms copy.

Structure stays: headings, lists, tables, links, pictures, code and formulas. Styling goes. Texts, links, pictures and
cells of the result are those of the HTML. It takes a fraction of a second whatever the HTML is: its tags and their
nesting are limited before anything parses it.
"""

import re
from dataclasses import dataclass

from studyplatform.kit.text.pasting.blocks import BlockWriter
from studyplatform.kit.text.pasting.limits import limit_html, prepare_html
from studyplatform.kit.text.pasting.phrases import Picture
from studyplatform.kit.text.pasting.tree import build_tree, clean_pasted

MAX_LENGTH = 2_000_000  # characters of HTML
MAX_TEXT = 250_000  # characters without tags


class HtmlTooLong(ValueError):
    """The HTML has more than `MAX_LENGTH` characters, or more than `MAX_TEXT` without its tags."""


@dataclass(frozen=True)
class Converted:
    """``notes``: codes of what could not stay as it was: "merged_cells", "embedded", "raised", "cut"."""

    markdown: str
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()


def convert_html(html: str) -> Converted:
    """Return the Markdown of HTML, with its pictures, which the caller stores and whose addresses it replaces.

    :raises HtmlTooLong: see the class.
    """
    if len(html) > MAX_LENGTH:
        raise HtmlTooLong
    prepared = prepare_html(html.replace("\0", ""))
    if len(prepared) - sum(len(tag[0]) for tag in re.finditer(r"<[^<>]*>", prepared)) > MAX_TEXT:
        raise HtmlTooLong
    prepared, is_cut = limit_html(prepared)
    writer = BlockWriter(notes=dict.fromkeys(["cut"] if is_cut else []))
    blocks = writer.blocks(build_tree(clean_pasted(prepared)).children)
    return Converted("\n\n".join(blocks), tuple(writer.pictures), tuple(writer.notes))
