"""HTML of other programs as the Markdown of `content`: what Word, Google Docs, LibreOffice and other platforms copy.

Structure stays: headings, lists, tables, links, pictures, code and formulas. Styling goes. Texts, links, pictures and
cells of the result are those of the HTML. It takes a fraction of a second whatever the HTML is: its tags and their
nesting are limited before anything parses it.
"""

import html as entities
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import nh3

from studyplatform.kit.text import content
from studyplatform.kit.text.formula_reading import Element, read_mathml, read_omml
from studyplatform.kit.text.markdown import Budget, new_parser

MAX_LENGTH = 2_000_000  # characters of HTML
MAX_TEXT = 250_000  # characters without tags
MAX_TAGS = 20_000  # further ones are removed, and their texts stay
MAX_DEPTH = 60  # of elements in each other
MAX_PICTURES = 200
MAX_COLUMNS, MAX_CELLS = 60, 5_000

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset({
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
_IMPLIED = frozenset({
    "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "br", "hr", "img", "input", "meta",
    "link", "col", "wbr",
})  # fmt: skip
_ATTRIBUTES = {
    **{tag: {"style", "class"} for tag in (*_BLOCKS, *_INLINE)},
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
_LINK = re.compile(r"(?:https?:|mailto:|/|#|\.|[^:/?#]*(?:[/?#]|$))", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_SPACES = re.compile(r"[ \t\r\n\f\xa0\u2028]+")
_TEX_BEGIN = re.compile(r"\\\(|\\\[|\$\$|\[mathjaxinline\]|\[mathjax\]")
_TEX_ENDS = {
    "\\(": "\\)", "\\[": "\\]", "$$": "$$", "[mathjaxinline]": "[/mathjaxinline]", "[mathjax]": "[/mathjax]",
}  # fmt: skip
_MAX_TEX = 1000  # characters of a formula
_ADJACENT_MARKERS = re.compile(r"(?<!\\)(?:\*{3,}|~{3,}|\w\*+\w|\w~~\w)")
_WORD_LIST = re.compile(r"mso-list:\s*l(\d+)\s+level(\d)")
_ORDERED = re.compile(r"\(?(?:(\d{1,9})|[a-z]|[ivxlcdm]{1,7})[.)]", re.IGNORECASE)
_MONOSPACE = re.compile(r"font-family:[^;]*(?:courier|consolas|monospace|menlo)")
# Not those of other scripts: Word writes "mso-bidi-font-weight:normal" at bold text.
_WEIGHT = re.compile(r"(?<![-\w])font-weight:\s*(bold|normal|\d+)")
_SLANT = re.compile(r"(?<![-\w])font-style:\s*(italic|oblique|normal)")
_RAISED = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_LOWERED = dict(zip("0123456789+-=()aeoxhklmnpst", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ", strict=True))
_MARKERS = {"strong": "**", "em": "*", "s": "~~"}
_MAX_CHECKED = 4_000  # characters of a line whose emphasis is read again to check it
_phrases = new_parser()


class HtmlTooLong(ValueError):
    """The HTML has more than `MAX_LENGTH` characters, or more than `MAX_TEXT` without its tags."""


@dataclass(frozen=True)
class Picture:
    """A picture of the HTML. ``address`` stands for it in the Markdown; ``source``: its address, or a data URI."""

    address: str
    source: str
    alt: str


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
    prepared = _prepare(html.replace("\0", ""))
    if len(prepared) - sum(len(tag[0]) for tag in re.finditer(r"<[^<>]*>", prepared)) > MAX_TEXT:
        raise HtmlTooLong
    prepared, is_cut = _limit(prepared)
    writer = _Writer(notes=dict.fromkeys(["cut"] if is_cut else []))
    blocks = writer.blocks(_tree(clean_pasted(prepared)).children)
    return Converted("\n\n".join(blocks), tuple(writer.pictures), tuple(writer.notes))


def clean_pasted(html: str) -> str:
    """Return HTML with only the elements and attributes that mean something here."""
    return nh3.clean(
        html,
        tags={*_BLOCKS, *_INLINE, *_MATH},
        clean_content_tags={"script", "style", "title", "template", "noscript", "textarea", "select"},
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel=None,
    )


# --- Before anything is parsed -------------------------------------------------------------------------


def _prepare(html: str) -> str:
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
    limited, _ = _limit(xml[:200_000])
    return "".join(_formula(tex, is_own=is_own) for tex, is_own in _omml_in(_tree(limited)) if tex)


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


def _limit(html: str) -> tuple[str, bool]:
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
        if name in _IMPLIED:
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


# --- The tree ------------------------------------------------------------------------------------------


@dataclass
class _Node(Element):
    has_blocks: bool = False


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Node("root")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = _Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag in _BLOCKS:
            for ancestor in reversed(self.open):
                if ancestor.has_blocks:
                    break
                ancestor.has_blocks = True
        if tag not in _VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(_Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if any(node.tag == tag for node in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def _tree(html: str) -> _Node:
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


# --- What stands within a line -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """A part of a line. ``kind``: "text", "code", "break", "raw" (Markdown already) or "formula" (one on its own)."""

    text: str
    styles: frozenset[str] = frozenset()
    kind: str = "text"


def _styles_of(node: Element, styles: frozenset[str]) -> frozenset[str]:
    style = node.attributes.get("style", "").lower()
    weight = _WEIGHT.search(style)
    adds, removes = set[str](), set[str]()
    if weight:
        is_bold = weight[1] == "bold" or (weight[1].isdigit() and int(weight[1][:4]) >= 600)
        (adds if is_bold else removes).add("strong")
    elif node.tag in {"b", "strong"}:
        adds.add("strong")
    slant = _SLANT.search(style)
    if slant:
        (removes if slant[1] == "normal" else adds).add("em")
    elif node.tag in {"i", "em", "cite", "var"}:
        adds.add("em")
    if node.tag in {"s", "strike", "del"} or "line-through" in style:
        adds.add("s")
    if node.tag in {"sup", "sub"}:
        adds.add(node.tag)
    elif "vertical-align:super" in style.replace(" ", ""):
        adds.add("sup")
    elif "vertical-align:sub" in style.replace(" ", ""):
        adds.add("sub")
    if node.tag in {"code", "tt", "kbd", "samp"} or _MONOSPACE.search(style):
        adds.add("code")
    return (styles - removes) | adds


def escape_text(text: str) -> str:
    """Return text so that Markdown shows it as it is, wherever it stands but at the beginning of a line."""
    text = re.sub(r"[\\`*\[\]$<]", r"\\\g<0>", text)
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)
    text = re.sub(r"~(?=~)|(?<=~)~", r"\\~", text)
    return re.sub(r"&(?=#?\w{1,40};)", r"\\&", text)


def _at_line_start(line: str) -> str:
    line = re.sub(r"^(#{1,6}|[+-])(?=\s|$)|^[>|:=]|^-(?=-|\|)", r"\\\g<0>", line)
    return re.sub(r"^(\d{1,9})([.)])(?=\s|$)", r"\1\\\2", line)


def _code_span(text: str) -> str:
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or (text.strip() and text[0] == text[-1] == " ") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _address(href: str) -> str:
    href = re.sub(r"[\s\x00-\x1f]+", lambda space: "%20" if space[0].strip("\r\n\t") else "", href.strip())
    href = href.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C").replace("|", "%7C")
    return f"<{href}>" if re.search(r"[()*_$\[\]`]", href) and not href.startswith("<") else href


def _without_redirect(href: str) -> str:
    """The address behind that of Google Docs, which leads through Google."""
    if href.startswith(("https://www.google.com/url?", "http://www.google.com/url?")):
        found = parse_qs(urlsplit(href).query).get("q", [])
        return found[0] if found and found[0].startswith(("http://", "https://")) else href
    return href


def _joined(runs: Iterable[_Run]) -> list[_Run]:
    """Runs with single spaces, none at the ends or beside breaks, and without empty ones."""
    found: list[_Run] = []
    for run in runs:
        text = run.text if run.kind != "text" else _SPACES.sub(" ", run.text)
        if run.kind == "text":
            before = found[-1] if found else None
            if before is None or before.kind == "break" or (before.kind == "text" and before.text.endswith(" ")):
                text = text.lstrip(" ")
            if not text:
                continue
        if run.kind == "break" and found and found[-1].kind == "text" and found[-1].text.endswith(" "):
            found[-1] = replace(found[-1], text=found[-1].text.rstrip(" "))
        if found and _is_formula(found[-1]) and _is_formula(run):
            found.append(_Run(" "))  # "$a$$b$" would be something else
        if found and found[-1].kind == run.kind == "code":  # two spans of code beside each other would be one
            found[-1] = replace(found[-1], text=found[-1].text + text, styles=found[-1].styles & run.styles)
            continue
        if found and found[-1].kind == run.kind == "text" and found[-1].styles == run.styles:
            found[-1] = replace(found[-1], text=found[-1].text + text)
        else:
            found.append(replace(run, text=text))
    while found and (found[-1].kind == "break" or not found[-1].text.strip()):
        found.pop()
    if found and found[-1].kind == "text":
        found[-1] = replace(found[-1], text=found[-1].text.rstrip(" "))
    return [run for run in found if run.text or run.kind == "break"]


def _is_formula(run: _Run) -> bool:
    return run.kind in {"raw", "formula"} and run.text.startswith("$")


def _edges_apart(runs: list[_Run]) -> list[_Run]:
    """Split spaces, and punctuation beside words, from the ends of styled runs: there no marker can open or close."""
    found: list[_Run] = []
    for place, run in enumerate(runs):
        marked = run.styles & _MARKERS.keys()
        before = runs[place - 1].text[-1:] if place else ""
        after = runs[place + 1].text[:1] if place + 1 < len(runs) else ""
        if run.kind != "text" or not marked:
            # What begins and ends with punctuation cannot be marked beside a letter.
            found.append(replace(run, styles=run.styles - marked) if before.isalnum() or after.isalnum() else run)
            continue
        lead = re.match(r"[\W_]*" if before and (before.isalnum()) else r"\s*", run.text)
        trail = re.search(r"[\W_]*$" if after and after.isalnum() else r"\s*$", run.text)
        begin, end = lead.end() if lead else 0, trail.start() if trail else len(run.text)
        if begin >= end:
            found.append(replace(run, styles=run.styles - marked))
            continue
        plain = run.styles - marked
        parts = [(run.text[:begin], plain), (run.text[begin:end], run.styles), (run.text[end:], plain)]
        found += [_Run(text, styles) for text, styles in parts if text]
    for place in range(1, len(found) - 1):
        if found[place].kind == "text" and found[place].text.isspace():
            shared = found[place - 1].styles & found[place + 1].styles
            found[place] = replace(found[place], styles=found[place].styles | shared)
    return found


def _write(runs: list[_Run], *, in_table: bool = False) -> str:
    """The Markdown of joined runs. Emphasis that would be read otherwise is left out."""
    text = _write_styled(_edges_apart(runs), in_table=in_table)
    if _ADJACENT_MARKERS.search(text):
        plain = _write_styled([replace(run, styles=frozenset()) for run in runs], in_table=in_table)
        if len(text) > _MAX_CHECKED or _words_of(text) != _words_of(plain):
            text = plain
    if in_table:
        return text.replace("\n", " ")
    return "\n".join(_at_line_start(line) for line in text.split("\n"))


def _words_of(phrase: str) -> str:
    return "".join(content.find_words(_phrases.parseInline(phrase, {"budget": Budget()}), shows_blocks=True))


def _write_styled(runs: list[_Run], *, in_table: bool) -> str:
    parts: list[str] = []
    opened: list[str] = []
    for place, run in enumerate(runs):
        wanted = run.styles & _MARKERS.keys()
        while any(style not in wanted for style in opened):
            parts.append(_MARKERS[opened.pop()])
        new = wanted - set(opened)
        for style in sorted(new, key=lambda one: (-_extent(runs, place, one), one)):
            parts.append(_MARKERS[style])
            opened.append(style)
        parts.append(_run_text(run, in_table=in_table))
    parts += [_MARKERS[style] for style in reversed(opened)]
    return "".join(parts)


def _run_text(run: _Run, *, in_table: bool) -> str:
    match run.kind:
        case "break":
            return " " if in_table else "\\\n"
        case "code":
            return _code_span(run.text).replace("|", "\\|") if in_table else _code_span(run.text)
        case "text":
            text = escape_text(run.text)
            return text.replace("|", "\\|") if in_table else text
        case _:
            return re.sub(r"(?<!\\)\|", r"\\|", run.text) if in_table and run.kind == "raw" else run.text


def _extent(runs: Sequence[_Run], place: int, style: str) -> int:
    count = 0
    for run in runs[place : place + 50]:
        if style not in run.styles:
            break
        count += 1
    return count


# --- Blocks --------------------------------------------------------------------------------------------


@dataclass
class _Writer:
    notes: dict[str, None]
    pictures: list[Picture] = field(default_factory=list)

    def blocks(self, children: Sequence[Element | str], styles: frozenset[str] = frozenset()) -> list[str]:
        """The blocks of Markdown of these nodes."""
        found: list[str] = []
        line: list[_Run] = []
        children = _with_word_lists(children)

        def flush() -> None:
            found.extend(self._paragraph(line))
            line.clear()

        last_list = ""
        for child in children:
            if isinstance(child, str):
                line += self._text(child, styles)
                continue
            is_block = child.tag in _BLOCKS or getattr(child, "has_blocks", False)
            if not is_block:
                line += self._inline(child, styles)
                continue
            flush()
            before = len(found)
            if child.tag in {"ul", "ol"}:
                is_same = last_list == child.tag
                found += self._list(child, is_second=is_same)
                last_list = "" if is_same else child.tag if len(found) > before else last_list
                continue
            found += self._block(child, styles)
            last_list = "" if len(found) > before else last_list
        flush()
        return found

    def _block(self, node: Element, styles: frozenset[str]) -> list[str]:
        match node.tag:
            case tag if tag in _HEADINGS or node.attributes.get("class", "") == "MsoTitle":
                level = int(tag[1]) if tag in _HEADINGS else 1
                return self._heading(node, level)
            case "hr":
                return ["---"]
            case "pre":
                return self._code(node)
            case "blockquote":
                inside = self.blocks(node.children, styles)
                return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(inside).split("\n"))] if inside else []
            case "table":
                return self._table(node)
            case "figure":
                return self._figure(node, styles)
            case "dt" | "summary":
                return self.blocks(node.children, styles | {"strong"})
            case "a" | "b" | "strong" | "i" | "em" | "span" | "font" | "s" | "del" | "code" | "sup" | "sub":
                if node.tag == "a" and node.attributes.get("href"):
                    return self._paragraph(self._inline(node, styles))
                return self.blocks(node.children, _styles_of(node, styles) - {"code"})
            case _:
                return self.blocks(node.children, styles)

    def _paragraph(self, line: Sequence[_Run]) -> list[str]:
        runs = _joined(line)
        if not runs:
            return []
        if len(runs) == 1 and runs[0].kind == "formula":
            return [f"$$\n{runs[0].text.strip('$')}\n$$"]
        return [_write(runs)]

    def _heading(self, node: Element, level: int) -> list[str]:
        for marker in (one for one in _walk(node) if one.tag == "list-marker"):
            if not _has_number(marker.text()):
                marker.children.clear()  # a bullet
        line = [_Run(" ") if run.kind == "break" else run for run in self._flat(node, frozenset())]
        runs = [replace(run, styles=run.styles - {"strong"}) for run in line]
        text = _write(_joined(runs), in_table=False).replace("\n", " ")
        if not text:
            return []
        text = re.sub(r"(?<![\\#])#+$", r"\\\g<0>", text)  # it would end the heading
        return [f"{'#' * level} {text}"]

    def _code(self, node: Element) -> list[str]:
        text = "".join(_code_text(node)).strip("\n")
        pictures = [image for one in _walk(node) if one.tag == "img" and (image := self._image(one, ""))]
        if not text.strip():
            return pictures
        classes = " ".join(one.attributes.get("class", "") for one in (node, *node.elements))
        language = re.search(r"(?:language|lang|brush)[-:]\s*([A-Za-z0-9+#]{1,20})", classes)
        ticks = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
        return [f"{ticks}{language[1] if language else ''}\n{text}\n{ticks}", *pictures]

    def _figure(self, node: Element, styles: frozenset[str]) -> list[str]:
        images = [one for one in _walk(node) if one.tag == "img"]
        captions = [one for one in node.elements if one.tag == "figcaption"]
        rest = _text_without(node, captions).strip()
        if len(images) != 1 or len(captions) != 1 or rest or any(one.tag == "img" for one in _walk(captions[0])):
            return self.blocks(node.children, styles)
        caption = _write(_joined(self._flat(captions[0], frozenset()))).replace("\n", " ")
        image = self._image(images[0], caption)
        return [image] if image else self.blocks(captions[0].children, styles)

    def _list(self, node: Element, *, is_second: bool) -> list[str]:
        is_ordered = node.tag == "ol"
        start = node.attributes.get("start", "1")
        number = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
        items: list[str] = []
        is_loose = False
        for child in _items_of(node):
            inside = self.blocks(child.children)
            if not inside:
                continue
            marker = f"{number}{')' if is_second else '.'} " if is_ordered else "* " if is_second else "- "
            number += 1
            text = inside[0]
            for block in inside[1:]:
                is_nested = bool(re.match(r"(?:[-*]|\d{1,9}[.)]) ", block))
                text += ("\n" if is_nested else "\n\n") + block
                is_loose = is_loose or not is_nested
            lines = text.split("\n")
            pad = " " * len(marker)
            items.append("\n".join([marker + lines[0], *(pad + line if line else "" for line in lines[1:])]))
        return [("\n\n" if is_loose else "\n").join(items)] if items else []

    def _table(self, node: Element) -> list[str]:
        rows, captions = _rows_of(node)
        before = [block for caption in captions for block in self.blocks(caption.children)]
        width = sum(_span(cell, "colspan") for cell in rows[0]) if rows else 0
        width = max([width, *(sum(_span(cell, "colspan") for cell in row) for row in rows)]) if rows else 0
        is_layout = width <= 1 and all(getattr(cell, "has_blocks", False) for row in rows for cell in row)
        if not rows or width > MAX_COLUMNS or width * len(rows) > MAX_CELLS or is_layout:
            return before + [block for row in rows for cell in row for block in self.blocks(cell.children)]
        grid: list[list[str]] = []
        spanned: dict[int, int] = {}  # rows that cells from above still fill, by column
        for row in rows:
            cells: list[str] = []
            for cell in row:
                while spanned.get(len(cells), 0) > 0:
                    spanned[len(cells)] -= 1
                    cells.append("")
                columns, lines = _span(cell, "colspan"), _span(cell, "rowspan")
                if columns > 1 or lines > 1:
                    self.notes["merged_cells"] = None
                for offset in range(columns):
                    spanned[len(cells) + offset] = lines - 1
                cells += [self._cell(cell), *[""] * (columns - 1)]
            grid.append(cells)
        width = max(len(cells) for cells in grid)
        if width > MAX_COLUMNS:
            return before + [block for row in rows for cell in row for block in self.blocks(cell.children)]
        grid = [[*cells, *[""] * (width - len(cells))] for cells in grid]
        lines_ = [f"| {' | '.join(cells)} |" for cells in grid]
        return [*before, "\n".join([lines_[0], f"|{' --- |' * width}", *lines_[1:]])]

    def _cell(self, cell: Element) -> str:
        is_head = cell.tag == "th"
        runs = [
            replace(run, styles=run.styles - {"strong"}) if is_head else run for run in self._flat(cell, frozenset())
        ]
        return _write(_joined(runs), in_table=True).strip()

    # --- Within a line ---------------------------------------------------------------------------------

    def _flat(self, node: Element, styles: frozenset[str]) -> list[_Run]:
        """All that is within an element as one line; blocks are separated by spaces."""
        found: list[_Run] = []
        for child in node.children:
            if isinstance(child, str):
                found += self._text(child, styles)
            elif child.tag in _BLOCKS:
                found += [_Run(" "), *self._flat(child, _styles_of(child, styles)), _Run(" ")]
            else:
                found += self._inline(child, styles)
        return found

    def _text(self, text: str, styles: frozenset[str]) -> list[_Run]:
        if "code" in styles:
            return [_Run(_SPACES.sub(" ", text), styles - {"code"}, "code")] if text else []
        found: list[_Run] = []
        place = 0
        for begin in _TEX_BEGIN.finditer(text):
            if begin.start() < place:
                continue
            end = text.find(_TEX_ENDS[begin[0]], begin.end(), begin.end() + _MAX_TEX)
            tex = text[begin.end() : end] if end > 0 else ""
            if not tex.strip() or "$" in tex:
                continue
            found += self._plain(text[place : begin.start()], styles)
            found += self._formula(tex, is_own=begin[0] in {"\\[", "$$", "[mathjax]"})
            place = end + len(_TEX_ENDS[begin[0]])
        return found + self._plain(text[place:], styles)

    def _plain(self, text: str, styles: frozenset[str]) -> list[_Run]:
        for style, signs in (("sup", _RAISED), ("sub", _LOWERED)):
            if style in styles and text.strip():
                if all(char in signs for char in text.strip()):
                    text = "".join(signs.get(char, char) for char in text)
                else:
                    self.notes["raised"] = None
        return [_Run(text, styles - {"sup", "sub"})] if text else []

    def _formula(self, tex: str, *, is_own: bool) -> list[_Run]:
        tex = " ".join(tex.split()).replace(r"\$", r"\text{\textdollar}")
        if not tex or "$" in tex or tex.endswith("\\") or "\n" in tex:
            return [_Run(tex)]
        tex = tex.replace("|", r"\vert ")
        if is_own:
            return [_Run(f"$${tex.strip()}$$", kind="formula")]
        return [_Run(f"${tex.strip()}$", kind="raw")]

    def _inline(self, node: Element, styles: frozenset[str]) -> list[_Run]:
        match node.tag:
            case "br":
                return [_Run("", kind="break")]
            case "img":
                image = self._image(node, "")
                return [_Run(image, styles & _MARKERS.keys(), "raw")] if image else []
            case "tex-formula":
                is_own = node.attributes.get("data-display") == "1"
                return self._formula(node.attributes.get("data-tex", ""), is_own=is_own)
            case "math":
                return self._formula(read_mathml(node), is_own="block" in node.attributes.get("display", ""))
            case "iframe":
                self.notes["embedded"] = None
                source = node.attributes.get("src", "")
                return self._link(source, [_Run(source)], styles) if source.startswith("http") else []
            case "a":
                href = _without_redirect(node.attributes.get("href", "").strip())
                inner = _styles_of(node, styles)
                runs = self._flat(node, inner - {"code"} if "code" not in styles else inner)
                return self._link(href, runs, inner) if href and _LINK.match(href) else runs
            case "q":
                return [_Run("“", styles), *self._flat(node, styles), _Run("”", styles)]
            case _:
                return self._flat(node, _styles_of(node, styles))

    def _link(self, href: str, runs: list[_Run], styles: frozenset[str]) -> list[_Run]:
        shared = styles & _MARKERS.keys()
        inside = _joined(replace(run, styles=run.styles - shared) for run in runs)
        inside = [replace(run, kind="text", text=" ") if run.kind == "break" else run for run in inside]
        text = _write(inside).replace("\n", " ")
        if not text:
            return []
        if any(run.kind == "raw" and re.search(r"(?<!!)\[[^\]]*\]\(", run.text) for run in inside):
            return runs  # a link cannot contain another one
        lead = " " if runs and runs[0].text[:1].isspace() else ""
        trail = " " if runs and runs[-1].text[-1:].isspace() else ""
        link = _Run(f"[{text}]({_address(href)})", shared, "raw")
        return [*([_Run(lead)] if lead else []), link, *([_Run(trail)] if trail else [])]

    def _image(self, node: Element, caption: str) -> str:
        source = node.attributes.get("src", "").strip()
        alt = " ".join(node.attributes.get("alt", "").split())
        if not source or len(self.pictures) >= MAX_PICTURES:
            return escape_text(alt)
        is_elsewhere = source.startswith(("http://", "https://", "/")) and not source.startswith("//")
        address = source if is_elsewhere else f"picture-{len(self.pictures) + 1}"
        self.pictures.append(Picture(address, source, alt))
        title = caption or escape_text(" ".join(node.attributes.get("title", "").split()))
        quoted = title.replace('"', '\\"')
        ending = f' "{quoted}"' if quoted else ""
        return f"![{escape_text(alt)}]({_address(address)}{ending})"


def _has_number(marker: str) -> bool:
    """Whether the marker of a list is a number or letters, such as "1.2" or "a)"."""
    return bool(re.fullmatch(r"\(?(?:\d{1,9}(?:\.\d{1,9})*|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,7})[.)]?", marker.strip()))


def _walk(node: Element) -> Iterator[Element]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.elements))


def _text_without(node: Element, left_out: Sequence[Element]) -> str:
    return "".join(
        child if isinstance(child, str) else child.text()
        for child in node.children
        if not any(child is one for one in left_out)
    )


def _code_text(node: Element) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield "\n"
        else:
            yield from _code_text(child)
            if child.tag in {"div", "p", "li"}:
                yield "\n"


def _items_of(node: Element) -> list[Element]:
    """The items of a list; what stands between them, such as lists in Google Docs, belongs to the one before."""
    items: list[Element] = []
    for child in node.children:
        if isinstance(child, Element) and child.tag == "li":
            items.append(_Node("li", child.attributes, list(child.children), has_blocks=True))
        elif not isinstance(child, str) or child.strip():
            if not items:
                items.append(_Node("li"))
            items[-1].children.append(child)
    return items


def _rows_of(table: Element) -> tuple[list[list[Element]], list[Element]]:
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


def _span(cell: Element, name: str) -> int:
    value = cell.attributes.get(name, "1")
    return min(max(int(value), 1), MAX_COLUMNS + 1) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _with_word_lists(children: Sequence[Element | str]) -> list[Element | str]:
    """Paragraphs that are items of lists in Word, as lists."""
    found: list[Element | str] = []
    lists: list[Element] = []  # the open ones, each within an item of the one before
    for child in children:
        place = _WORD_LIST.search(child.attributes.get("style", "")) if isinstance(child, Element) else None
        if place is None or isinstance(child, str) or child.tag in _HEADINGS:
            if not isinstance(child, str) or child.strip():
                lists = []
            found.append(child)
            continue
        level = int(place[2])
        markers = [one for one in _walk(child) if one.tag == "list-marker"]
        marker = " ".join(markers[0].text().split()) if markers else ""
        ordered = _ORDERED.fullmatch(marker)
        tag = "ol" if ordered else "ul"
        del lists[level:]
        if len(lists) == level and lists[-1].tag != tag:
            lists.pop()
        while len(lists) < level:
            opened = _Node(tag, {"start": ordered[1]} if ordered and ordered[1] else {}, has_blocks=True)
            if lists:
                if not lists[-1].children:
                    lists[-1].children.append(_Node("li", has_blocks=True))
                last = lists[-1].children[-1]
                (last.children if isinstance(last, Element) else lists[-1].children).append(opened)
            else:
                found.append(opened)
            lists.append(opened)
        for one in markers:
            one.children.clear()
        lists[-1].children.append(_Node("li", {}, list(child.children), has_blocks=True))
    return found
