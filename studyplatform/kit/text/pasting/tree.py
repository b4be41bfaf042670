"""HTML as a tree of what means something here."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

import nh3

from studyplatform.kit.text.formula_reading import Element

MAX_COLUMNS = 60  # of a table
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = frozenset({
    "p", "div", "section", "article", "main", "header", "footer", "center", "h1", "h2", "h3", "h4", "h5", "h6", "ul",
    "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "hr", "table", "caption", "thead", "tbody", "tfoot", "tr", "td",
    "th", "figure", "figcaption", "details", "summary",
})  # fmt: skip
_INLINE = frozenset({
    "a", "b", "strong", "i", "em", "u", "s", "strike", "del", "ins", "code", "tt", "kbd", "samp", "var", "sup", "sub",
    "span", "font", "br", "img", "mark", "q", "cite", "abbr", "small", "big", "label", "iframe", "tex-formula",
    "list-marker",
})  # fmt: skip
_MATH = frozenset({
    "math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle",
    "mpadded", "mphantom", "merror", "msup", "msub", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
    "mprescripts", "none", "mtable", "mtr", "mtd", "mfenced", "menclose",
})  # fmt: skip
_VOID = frozenset({"br", "hr", "img"})
# Elements that end without an end tag: they are in each other only within others, which are counted.
IMPLIED = frozenset({
    "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "br", "hr", "img", "input", "meta",
    "link", "col", "wbr",
})  # fmt: skip
_ATTRIBUTES = {
    **{tag: {"style", "class"} for tag in (*BLOCKS, *_INLINE)},
    "a": {"href", "style"},
    "img": {"src", "alt", "title", "style"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "iframe": {"src", "title"},
    "math": {"display"},
    "annotation": {"encoding"},
    "mfenced": {"open", "close"},
    "tex-formula": {"data-tex", "data-display"},
}
_SCHEMES = {"http", "https", "mailto", "data", "cid", "file", "blob"}
_WORD_LIST = re.compile(r"mso-list:\s*l(\d+)\s+level(\d)")
_ORDERED = re.compile(r"\(?(?:(\d{1,9})|[a-z]|[ivxlcdm]{1,7})[.)]", re.IGNORECASE)


_CLEANER = nh3.Cleaner(
    tags={*BLOCKS, *_INLINE, *_MATH},
    clean_content_tags={"script", "style", "title", "template", "noscript", "textarea", "select"},
    attributes=_ATTRIBUTES,
    url_schemes=_SCHEMES,
    link_rel=None,
)  # building one takes longer than cleaning most texts


def clean_pasted(html: str) -> str:
    """Return HTML with only the elements and attributes that mean something here."""
    return _CLEANER.clean(html)


@dataclass
class Node(Element):
    has_blocks: bool = False


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("root")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag in BLOCKS:
            for ancestor in reversed(self.open):
                if ancestor.has_blocks:
                    break
                ancestor.has_blocks = True
        if tag not in _VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if any(node.tag == tag for node in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def build_tree(html: str) -> Node:
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


def walk(node: Element) -> Iterator[Element]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.elements))


def text_without(node: Element, left_out: Sequence[Element]) -> str:
    return "".join(
        child if isinstance(child, str) else child.text()
        for child in node.children
        if not any(child is one for one in left_out)
    )


def code_text(node: Element) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield "\n"
        else:
            yield from code_text(child)
            if child.tag in {"div", "p", "li"}:
                yield "\n"


def items_of(node: Element) -> list[Element]:
    """The items of a list; what stands between them, such as lists in Google Docs, belongs to the one before."""
    items: list[Element] = []
    for child in node.children:
        if isinstance(child, Element) and child.tag == "li":
            items.append(Node("li", child.attributes, list(child.children), has_blocks=True))
        elif not isinstance(child, str) or child.strip():
            if not items:
                items.append(Node("li"))
            items[-1].children.append(child)
    return items


def rows_of(table: Element) -> tuple[list[list[Element]], list[Element]]:
    """The cells of each row of a table, and its captions."""
    rows: list[list[Element]] = []
    captions: list[Element] = []
    waiting: list[Element] = list(reversed(table.elements))
    while waiting:
        one = waiting.pop()
        if one.tag == "tr":
            cells = [cell for cell in one.elements if cell.tag in {"td", "th"}]
            rows += [cells] if cells else []
        elif one.tag == "caption":
            captions.append(one)
        elif one.tag in {"thead", "tbody", "tfoot"}:
            waiting.extend(reversed(one.elements))
    return rows, captions


def span_of(cell: Element, name: str) -> int:
    value = cell.attributes.get(name, "1")
    return min(max(int(value), 1), MAX_COLUMNS + 1) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def with_word_lists(children: Sequence[Element | str]) -> list[Element | str]:
    """Paragraphs that are items of lists in Word, as lists."""
    found: list[Element | str] = []
    lists: list[Element] = []  # the open ones, each within an item of the one before
    for child in children:
        place = _WORD_LIST.search(child.attributes.get("style", "")) if isinstance(child, Element) else None
        if place is None or isinstance(child, str) or child.tag in HEADINGS:
            if not isinstance(child, str) or child.strip():
                lists = []
            found.append(child)
            continue
        level = int(place[2])
        markers = [one for one in walk(child) if one.tag == "list-marker"]
        marker = " ".join(markers[0].text().split()) if markers else ""
        ordered = _ORDERED.fullmatch(marker)
        tag = "ol" if ordered else "ul"
        del lists[level:]
        if len(lists) == level and lists[-1].tag != tag:
            lists.pop()
        while len(lists) < level:
            opened = Node(tag, {"start": ordered[1]} if ordered and ordered[1] else {}, has_blocks=True)
            if lists:
                if not lists[-1].children:
                    lists[-1].children.append(Node("li", has_blocks=True))
                last = lists[-1].children[-1]
                (last.children if isinstance(last, Element) else lists[-1].children).append(opened)
            else:
                found.append(opened)
            lists.append(opened)
        for one in markers:
            one.children.clear()
        lists[-1].children.append(Node("li", {}, list(child.children), has_blocks=True))
    return found


def has_number(marker: str) -> bool:
    """Whether the marker of a list is a number or letters, such as "1.2" or "a)"."""
    return bool(re.fullmatch(r"\(?(?:\d{1,9}(?:\.\d{1,9})*|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,7})[.)]?", marker.strip()))
