"""What is done to HTML before anything parses it."""

import html as entities
import re
from collections.abc import Callable, Iterator

from studyplatform.kit.text.formula_reading import Element, read_omml
from studyplatform.kit.text.pasting.tree import IMPLIED, build_tree

MAX_TAGS = 20_000  # further ones are removed, and their texts stay
MAX_DEPTH = 60  # of elements in each other
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")


def prepare_html(html: str) -> str:
    """Keep what conditional comments and scripts say: formulas of Word and MathJax, and markers of lists."""
    begin, end = html.find("<!--StartFragment-->"), html.rfind("<!--EndFragment-->")
    if 0 <= begin < end:
        html = html[begin + 20 : end]
    html = _between(html, "<!--[if gte msEquation 12]>", "<![endif]-->", _word_formulas)
    html = _between(html, "<![if !msEquation]>", "<![endif]>", lambda _fallback: "")
    html = _between(html, '<script type="math/tex; mode=display">', "</script>", lambda tex: _formula(tex, is_own=True))
    html = _between(html, '<script type="math/tex">', "</script>", lambda tex: _formula(tex, is_own=False))
    for opened, closed in (("<!--[if !supportLists]-->", "<!--[endif]-->"), ("<![if !supportLists]>", "<![endif]>")):
        html = _between(html, opened, closed, lambda marker: f"<list-marker>{marker}</list-marker>")
    return html


def _between(html: str, begin: str, end: str, change: Callable[[str], str]) -> str:
    parts, place = [], 0
    while (start := html.find(begin, place)) >= 0 and (stop := html.find(end, start)) >= 0:
        parts += [html[place:start], change(html[start + len(begin) : stop])]
        place = stop + len(end)
    return "".join([*parts, html[place:]])


def _word_formulas(xml: str) -> str:
    limited, _ = limit_html(xml[:200_000])
    return "".join(_formula(tex, is_own=is_own) for tex, is_own in _omml_in(build_tree(limited)) if tex)


def _omml_in(root: Element) -> Iterator[tuple[str, bool]]:
    waiting: list[tuple[Element, bool]] = [(root, False)]
    while waiting:
        one, is_own = waiting.pop()
        if one.tag == "m:omath":
            yield read_omml(one), is_own
        else:
            waiting += [(child, is_own or one.tag == "m:omathpara") for child in reversed(one.elements)]


def _formula(tex: str, *, is_own: bool) -> str:
    escaped = entities.escape(entities.unescape(tex).strip())
    return f'<tex-formula data-tex="{escaped}" data-display="{int(is_own)}">.</tex-formula>' if escaped else ""


def limit_html(html: str) -> tuple[str, bool]:
    """Return the HTML with at most `MAX_TAGS` tags and `MAX_DEPTH` elements in each other, and whether that cut any."""
    parts: list[str] = []
    place = depth = dropped = tags = 0
    is_cut = False
    for tag in _TAG.finditer(html):
        if tag.start() < place:
            continue
        tags += 1
        if tags > MAX_TAGS:
            rest = re.sub(r"<[^>]*>?", " ", html[place:])
            return "".join([*parts, rest]), True
        name = tag[2].lower()
        if name in IMPLIED:
            continue
        if tag[1]:
            is_dropped = dropped > 0
            dropped, depth = (dropped - 1, depth) if dropped else (dropped, max(0, depth - 1))
        else:
            is_dropped = depth >= MAX_DEPTH
            dropped, depth = (dropped + 1, depth) if is_dropped else (dropped, depth + 1)
        if is_dropped:
            is_cut = True
            end = html.find(">", tag.end())
            parts.append(html[place : tag.start()])
            place = end + 1 if end >= 0 else len(html)
    return "".join([*parts, html[place:]]), is_cut
