"""Read TTML, also called DFXP (https://www.w3.org/TR/ttml1/): its text and times.

Paragraphs and spans count from the begin of what they are in. Whatever has no time that can be read keeps its text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from .cue_drafts import CueDraft
from .cue_text import escape_text
from .cues import FORMAT_NAMES, Findings, UnreadableCaptions

MAX_DEPTH = 100  # elements in one another
DEFAULT_FRAME_RATE = 30.0
_OWN_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}
_REFERENCE = re.compile(r"&(?:(#\d{1,7}|#x[0-9A-Fa-f]{1,6})|(\w{1,32}))?(;?)")
_CLOCK_TIME = re.compile(r"(?:(?:(\d{1,6}):)?(\d{1,4}):)?(\d{1,4})(?:[.,](\d{1,9})|:(\d{1,4})(?:\.\d{1,4})?)?")
_OFFSET_TIME = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(h|m|s|ms|f|t)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_SPACES = re.compile(r"[ \t\r\n]+")


@dataclass
class _Element:
    """An open element. ``begin`` and ``end`` in seconds; None where they are unknown."""

    name: str
    begin: float | None
    end: float | None
    is_timed: bool
    is_sequence: bool
    keeps_spaces: bool
    draft: CueDraft | None
    last_end: float | None = field(default=None)
    """When the last child of a sequence ends."""


def read_ttml(text: str, _form: str, findings: Findings) -> list[CueDraft]:
    """Read the cues of a TTML file.

    :raises UnreadableCaptions: it is damaged.
    """
    findings.add(0, "formatting", "TTML")
    reader = _Reader(findings)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: reader.start(name, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = lambda _name: reader.end()
    parser.CharacterDataHandler = lambda data: reader.read_text(data, parser.CurrentLineNumber)
    parser.EntityDeclHandler = _refuse_entity  # they can be of any size, or name other files
    try:
        parser.Parse(_with_known_references(text.lstrip("\ufeff \t\r\n")), True)  # noqa: FBT003 (expat's signature)
    except expat.ExpatError:
        raise UnreadableCaptions("damaged", FORMAT_NAMES["ttml"]) from None
    return list(_with_lines(reader.drafts))


def _with_lines(drafts: list[CueDraft]) -> Iterator[CueDraft]:
    """Join the pieces of each cue to lines. Spaces around line breaks belong to the file's layout."""
    for draft in drafts:
        draft.words = [line.strip(" ") for line in "".join(draft.words).split("\n")]
        # A paragraph without times or text only holds the spans that have them.
        if "=" in draft.timing or any(draft.words):
            yield draft


def _refuse_entity(*_declaration: object) -> None:
    raise UnreadableCaptions("damaged", FORMAT_NAMES["ttml"])


def _with_known_references(text: str) -> str:
    """Resolve the named references of HTML, which XML doesn't know, and escape every other "&"."""
    text = re.sub(r"""^(<\?xml[^>]{0,200}?)\s+encoding\s*=\s*["'][^"'>]{0,40}["']""", r"\1", text)  # it is text now

    def resolve(match: re.Match[str]) -> str:
        number, name, semicolon = match.groups()
        if semicolon and (number or name in _OWN_ENTITIES):
            return match.group()
        found = html.unescape(match.group()) if semicolon and name else match.group()
        return html.escape(found, quote=False)

    return _REFERENCE.sub(resolve, text) if "<!ENTITY" not in text else text


class _Reader:
    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.drafts: list[CueDraft] = []
        self.open: list[_Element] = []
        self.frame_rate, self.tick_rate = DEFAULT_FRAME_RATE, 1.0

    def start(self, tag: str, written: dict[str, str], line: int) -> None:
        """Read the begin of an element."""
        name = tag.rpartition(" ")[2]
        attributes = {key.rpartition(" ")[2]: value for key, value in written.items()}
        if len(self.open) >= MAX_DEPTH:
            raise UnreadableCaptions("damaged", FORMAT_NAMES["ttml"])
        if name == "tt":
            self._read_rates(attributes)
        outer = self.open[-1] if self.open else _Element("", 0.0, None, False, False, False, None)  # noqa: FBT003
        if name == "br" and outer.draft is not None:
            outer.draft.words.append("\n")
        is_timed = name in ("body", "div", "p", "span") and bool({"begin", "end", "dur"} & attributes.keys())
        begin, end = self._times(attributes, outer) if is_timed else (outer.begin, outer.end)
        draft = outer.draft
        if name == "p" or (name == "span" and is_timed and draft is not None and not self._paragraph().is_timed):
            timing = " ".join(f'{key}="{attributes[key]}"' for key in ("begin", "end", "dur") if key in attributes)
            draft = CueDraft(line, timing or f"<{name}>", begin, end)
            self.drafts.append(draft)
        elif name in ("metadata", "title", "desc", "copyright"):
            draft = None
        keeps = attributes.get("space", "preserve" if outer.keeps_spaces else "") == "preserve"
        is_sequence = attributes.get("timeContainer") == "seq"
        self.open.append(_Element(name, begin, end, is_timed, is_sequence, keeps, draft))

    def end(self) -> None:
        """Read the end of an element."""
        done = self.open.pop()
        if self.open and self.open[-1].is_sequence and done.is_timed:
            self.open[-1].last_end = done.end if done.end is not None else done.begin

    def read_text(self, data: str, line: int) -> None:
        """Read text: of a cue, or of what is no cue."""
        inner = self.open[-1] if self.open else None
        if inner is not None and inner.draft is not None:
            words = data if inner.keeps_spaces else _SPACES.sub(" ", data)
            inner.draft.words.append(escape_text(words))
        elif data.strip() and inner is not None and inner.name in ("body", "div"):
            self.findings.add(line, "dropped", data)

    def _paragraph(self) -> _Element:
        return next(element for element in reversed(self.open) if element.name == "p")

    def _read_rates(self, attributes: dict[str, str]) -> None:
        rate = _number(attributes.get("frameRate", ""))
        above, _, below = attributes.get("frameRateMultiplier", "1 1").replace(":", " ").partition(" ")
        multiplier = (_number(above) or 1.0) / (_number(below) or 1.0)
        self.frame_rate = (rate or DEFAULT_FRAME_RATE) * multiplier
        self.tick_rate = _number(attributes.get("tickRate", "")) or (self.frame_rate if rate else 1.0)

    def _times(self, attributes: dict[str, str], outer: _Element) -> tuple[float | None, float | None]:
        base = outer.last_end if outer.is_sequence and outer.last_end is not None else outer.begin or 0.0
        begin = end = None
        if "begin" not in attributes:
            begin = base
        elif (offset := self._seconds(attributes["begin"])) is not None:
            begin = round(base + offset, 3)
        if (until := self._seconds(attributes.get("end", ""))) is not None:
            end = round(base + until, 3)
        if (length := self._seconds(attributes.get("dur", ""))) is not None and begin is not None:
            end = round(min(begin + length, end if end is not None else begin + length), 3)
        return begin, end

    def _seconds(self, written: str) -> float | None:
        written = written.strip()
        if found := _OFFSET_TIME.fullmatch(written):
            count, unit = float(found[1]), found[2]
            rates = {"f": 1 / self.frame_rate, "t": 1 / self.tick_rate}
            return count * (_SECONDS.get(unit) or rates[unit])
        found = _CLOCK_TIME.fullmatch(written)
        if found is None:
            return None
        hours, minutes, seconds, fraction, frames = found.groups()
        part = float(f"0.{fraction}") if fraction else int(frames or 0) / self.frame_rate
        return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds) + part


def _number(written: str) -> float:
    """A positive number of up to 12 digits; 0 if there is none."""
    return float(written) if re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", written.strip(), re.ASCII) else 0.0
