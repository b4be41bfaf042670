"""Rich text: the sanitized HTML of `kit.text.markdown`, with its formulas, for the function ``rich`` of ``rich.typ``.

A document shows what the page shows, because both come from the same HTML.
"""

import re
from html.parser import HTMLParser
from typing import Any

from studyplatform.kit.typesetting.fonts import find_unprintable
from studyplatform.kit.typesetting.phrases import is_right_to_left

MAX_DEPTH = 24
"""Of elements in each other; Typst limits how deep functions may call each other. Deeper ones become their text."""
_LONG_WORD = re.compile(r"[!-~]{20}(?=[!-~]{10})")
_BLOCKS = {"p", "li", "h2", "h3", "h4", "h5", "td", "th", "blockquote", "figcaption"}
_BLOCK_TAGS = _BLOCKS | {"ul", "ol", "pre", "table", "hr", "thead", "tbody", "tr", "div", "figure"}
_VOID = {"br", "hr", "img", "mspace", "mprescripts"}
_FENCES = set("()[]{}|‖⟨⟩⌊⌋⌈⌉")
_SPACES = re.compile(r"[ \t\r\n\f]+")
Node = dict[str, Any]


def make_rich_text(html: str) -> list[Any]:
    """Return the nodes of sanitized HTML: strings, and elements with ``tag``, ``attributes`` and ``children``."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    finished: list[Any] = _finished(builder.root)["children"]
    return finished


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: Node = {"tag": "", "attributes": {}, "children": []}
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node: Node = {"tag": tag, "attributes": {name: value or "" for name, value in attrs}, "children": []}
        self._open[-1]["children"].append(node)
        if tag not in _VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if any(node["tag"] == tag for node in self._open[1:]):
            while self._open.pop()["tag"] != tag:
                pass

    def handle_data(self, data: str) -> None:
        self._open[-1]["children"].append(data)


def _finished(node: Any, depth: int = 0, *, is_code: bool = False) -> Any:
    """Return a node with boxes for what no font can write, breaks in long words, and the direction of its text."""
    if isinstance(node, str):
        return _text(node, is_code=is_code)
    is_code = is_code or node["tag"] in {"pre", "code"}
    children = node["children"]
    if depth >= MAX_DEPTH:
        return _text(_text_of(node), is_code=is_code)
    if node["tag"] in _BLOCKS:
        node["attributes"]["rtl"] = "yes" if is_right_to_left(_text_of(node)) else ""
    if node["tag"] == "mrow" and len(children) == 1 and not isinstance(children[0], str):
        return _finished(children[0], depth, is_code=is_code)
    children = _without_blanks_around_blocks(children)
    if node["tag"] in {"math", "mrow", "mstyle", "mtd"} and not node["attributes"].get("fenced"):
        children = _with_fences(children)
    return node | {"children": [_finished(child, depth + 1, is_code=is_code) for child in children]}


def _without_blanks_around_blocks(children: list[Any]) -> list[Any]:
    is_block = [_tag_of(child) in _BLOCK_TAGS for child in children]
    return [
        child
        for place, child in enumerate(children)
        if not isinstance(child, str) or child.strip() or not any(is_block[max(0, place - 1) : place + 2])
    ]


def _tag_of(node: Any) -> str:
    return "" if isinstance(node, str) else str(node["tag"])


def _with_fences(children: list[Any]) -> list[Any]:
    """Return the parts of a formula with each matrix and its parentheses as one part, so that these grow with it."""
    found: list[Any] = []
    rest = list(children)
    while rest:
        child = rest.pop(0)
        if _is_tall(child):
            fenced = [found.pop()] if found and _is_fence(found[-1]) else []
            fenced.append(child)
            fenced += [rest.pop(0)] if rest and _is_fence(rest[0]) else []
            child = {"tag": "mrow", "attributes": {"fenced": "yes"}, "children": fenced} if len(fenced) > 1 else child
        found.append(child)
    return found


def _is_tall(node: Any) -> bool:
    if isinstance(node, str) or node["attributes"].get("fenced"):
        return False
    return node["tag"] == "mtable" or (node["tag"] == "mfrac" and "linethickness" in node["attributes"])


def _is_fence(node: Any) -> bool:
    return _tag_of(node) == "mo" and _text_of(node).strip() in _FENCES


def _text(text: str, *, is_code: bool) -> Any:
    if not is_code:
        text = _SPACES.sub(" ", _LONG_WORD.sub("\\g<0>\u200b", text))
    unprintable = [] if text.isascii() else find_unprintable(text)
    if not unprintable or is_code:
        return text
    parts = re.split(f"([{re.escape(''.join(unprintable))}])", text)
    children = [
        {"tag": "missing", "attributes": {"number": f"{ord(part):04X}"}, "children": []} if place % 2 else part
        for place, part in enumerate(parts)
        if part
    ]
    return {"tag": "span", "attributes": {}, "children": children}


def _text_of(node: Any) -> str:
    parts, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
        else:
            waiting.extend(reversed(one["children"]))
    return "".join(parts)
