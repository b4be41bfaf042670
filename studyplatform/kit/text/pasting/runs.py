"""What stands within a line: texts with their styles, and their Markdown."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlsplit

from studyplatform.kit.text import content
from studyplatform.kit.text.formula_reading import Element
from studyplatform.kit.text.markdown import Budget, new_parser

SPACES = re.compile(r"[ \t\r\n\f\xa0\u2028]+")
_ADJACENT_MARKERS = re.compile(r"(?<!\\)(?:[*~]{3,}|\w\*+\w|\w~~\w)")
_MONOSPACE = re.compile(r"font-family:[^;]*(?:courier|consolas|monospace|menlo)")
# Not those of other scripts: Word writes "mso-bidi-font-weight:normal" at bold text.
_WEIGHT = re.compile(r"(?<![-\w])font-weight:\s*(bold|normal|\d+)")
_SLANT = re.compile(r"(?<![-\w])font-style:\s*(italic|oblique|normal)")
MARKERS = {"strong": "**", "em": "*", "s": "~~"}
_MAX_CHECKED = 4_000  # characters of a line whose emphasis is read again to check it
_phrases = new_parser()


@dataclass(frozen=True)
class Run:
    """A part of a line. ``kind``: "text", "code", "break", "raw" (Markdown already) or "formula" (one on its own)."""

    text: str
    styles: frozenset[str] = frozenset()
    kind: str = "text"


def styles_of(node: Element, styles: frozenset[str]) -> frozenset[str]:
    style = node.attributes.get("style", "").lower()
    weight = _WEIGHT.search(style)
    adds, removes = set[str](), set[str]()
    if weight:
        is_bold = weight[1] == "bold" or (weight[1].isdecimal() and int(weight[1][:4]) >= 600)
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


def write_address(href: str) -> str:
    href = re.sub(r"[\s\x00-\x1f]+", lambda space: "%20" if space[0].strip("\r\n\t") else "", href.strip())
    href = href.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C").replace("|", "%7C")
    return f"<{href}>" if re.search(r"[()*_$\[\]`]", href) and not href.startswith("<") else href


def without_redirect(href: str) -> str:
    """The address behind that of Google Docs, which leads through Google."""
    if href.startswith(("https://www.google.com/url?", "http://www.google.com/url?")):
        found = parse_qs(urlsplit(href).query).get("q", [])
        return found[0] if found and found[0].startswith(("http://", "https://")) else href
    return href


def join_runs(runs: Iterable[Run]) -> list[Run]:
    """Runs with single spaces, none at the ends or beside breaks, and without empty ones."""
    found: list[Run] = []
    for run in runs:
        text = run.text if run.kind != "text" else SPACES.sub(" ", run.text)
        if run.kind == "text":
            before = found[-1] if found else None
            if before is None or before.kind == "break" or (before.kind == "text" and before.text.endswith(" ")):
                text = text.lstrip(" ")
            if not text:
                continue
        if run.kind == "break" and found and found[-1].kind == "text" and found[-1].text.endswith(" "):
            found[-1] = replace(found[-1], text=found[-1].text.rstrip(" "))
        if found and _is_formula(found[-1]) and _is_formula(run):
            found.append(Run(" "))  # "$a$$b$" would be something else
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


def _is_formula(run: Run) -> bool:
    return run.kind in {"raw", "formula"} and run.text.startswith("$")


def _edges_apart(runs: list[Run]) -> list[Run]:
    """Split spaces, and punctuation beside words, from the ends of styled runs: there no marker can open or close."""
    found: list[Run] = []
    for place, run in enumerate(runs):
        marked = run.styles & MARKERS.keys()
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
        found += [Run(text, styles) for text, styles in parts if text]
    for place in range(1, len(found) - 1):
        if found[place].kind == "text" and found[place].text.isspace():
            shared = found[place - 1].styles & found[place + 1].styles
            found[place] = replace(found[place], styles=found[place].styles | shared)
    return found


def write_runs(runs: list[Run], *, in_table: bool = False) -> str:
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


def _write_styled(runs: list[Run], *, in_table: bool) -> str:
    parts: list[str] = []
    opened: list[str] = []
    for place, run in enumerate(runs):
        wanted = run.styles & MARKERS.keys()
        while any(style not in wanted for style in opened):
            parts.append(MARKERS[opened.pop()])
        new = wanted - set(opened) if run.kind != "text" or not run.text.isspace() else ()  # none opens before a space
        for style in sorted(new, key=lambda one: (-_extent(runs, place, one), one)):
            parts.append(MARKERS[style])
            opened.append(style)
        if run.text.startswith("[") and run.kind == "raw" and parts and parts[-1].endswith("!"):
            parts[-1] = f"{parts[-1][:-1]}\\!"  # "![" would begin a picture
        parts.append(_run_text(run, in_table=in_table))
    parts += [MARKERS[style] for style in reversed(opened)]
    return "".join(parts)


def _run_text(run: Run, *, in_table: bool) -> str:
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


def _extent(runs: Sequence[Run], place: int, style: str) -> int:
    count = 0
    for run in runs[place : place + 50]:
        if style not in run.styles:
            break
        count += 1
    return count
