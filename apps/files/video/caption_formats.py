"""Recognize the format of a caption file and read its cues."""

from __future__ import annotations

import re
from dataclasses import replace

from .cue_drafts import CueDraft, finish_cues
from .cue_text import escape_text
from .cues import Cue, Findings, UnreadableCaptions
from .line_formats import read_lines
from .ttml import read_ttml
from .webvtt import MAX_CUES, read_cues

#: What people also have, by how it begins.
_UNSUPPORTED = (
    (re.compile(r"Scenarist_SCC"), "SCC"),
    (re.compile(r"<SAMI[\s>]", re.IGNORECASE), "SAMI"),
    (re.compile(r"# VobSub index file"), "VobSub"),
    (re.compile(r"PG.{8}[\x14-\x17\x80\ufffd]", re.DOTALL), "PGS (SUP)"),
    (re.compile(r".{3}STL\d{2}\.\d{2}", re.DOTALL), "EBU STL"),
    (re.compile(r"\s*[\[{]\s*[\"{]"), "JSON"),
    (re.compile(r"\{\\rtf"), "RTF"),
    (re.compile(r"PK\x03\x04"), "ZIP"),
    (re.compile(r"%PDF-"), "PDF"),
)
_HEAD = 4096  # characters in which a format shows itself
_ARROW_TIMES = re.compile(r"\d[ ]?[:：][ ]?\d.{0,24}(?:[-–—=−－][ ]?(?:[>＞]|&gt;)|→)|->[ \t]{0,9}\d+:\d")
_ASS = re.compile(r"(?im)^\[(?:Script Info|Events|V4\+? Styles)\][ \t]*$|^Dialogue:[ \t]*(?:Marked=)?\d,")
_SBV = re.compile(r"(?m)^\d{1,4}:\d\d:\d\d\.\d{2,3},\d{1,4}:\d\d:\d\d\.\d{2,3}[ \t]*$")
_LRC_LINE = re.compile(r"((?:\[\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?\][ \t]*)+)(.*)")
_LRC_TIME = re.compile(r"\[(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?\]")
_LRC_WORD_TIME = re.compile(r"<\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?>")
_LRC_LAST_SECONDS = 5.0
_ASS_COLUMNS = ("layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text")
_ASS_TIME = re.compile(r"(\d{1,6}):(\d{1,4}):(\d{1,4})(?:[.,:](\d{1,3}))?")
_ASS_BLOCK = re.compile(r"\{([^{}]*)\}")
_ASS_TOGGLE = re.compile(r"\\([biu])([01])(?![0-9A-Za-z])")
_ASS_DRAWING = re.compile(r"\\p([0-9])")


def recognize_format(text: str) -> str:
    """Return the short name of a file's format, a key of `FORMAT_NAMES`.

    :raises UnreadableCaptions: it is none of them.
    """
    head = text.lstrip("\ufeff \t\r\n\f")
    for form, name in _UNSUPPORTED:
        if form.match(head):
            raise UnreadableCaptions("format", name)
    begin = head[:_HEAD]
    if re.match(r"WEBVTT(?:\s|$)", head):
        return "webvtt"
    if re.match(r"<(?:\?xml|!DOCTYPE|(?:\w+:)?tt[\s>])", head, re.IGNORECASE) and re.search(
        r"<(?:\w+:)?tt[\s>]", begin
    ):
        return "ttml"
    if _ASS.search(begin):
        return "ass"
    if _ARROW_TIMES.search(text):
        return "srt"
    if _SBV.search(text):
        return "sbv"
    if re.match(r"\{\d+\}\{\d*\}", head):
        return "microdvd"
    if re.match(r"\[\d+\]\[\d*\]", head):
        return "mpl2"
    if re.search(r"(?m)^\[\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?\]", text):
        return "lrc"
    raise UnreadableCaptions("format" if head else "empty")


def read_format(text: str, form: str, findings: Findings) -> list[Cue]:
    """Read the cues of a file in a format of `FORMAT_NAMES`.

    :raises UnreadableCaptions: it is damaged, or has too many cues.
    """
    if form in ("webvtt", "srt"):
        return read_cues(text, findings)
    if form == "sbv":
        return [replace(cue, text=cue.text.replace("[br]", "\n")) for cue in read_cues(text, findings)]
    drafts = _READERS[form](text, form, findings)
    if len(drafts) > MAX_CUES:
        raise UnreadableCaptions("cues")
    return finish_cues(drafts, findings, is_webvtt=True)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _read_ass(text: str, _form: str, findings: Findings) -> list[CueDraft]:
    """Read SubStation Alpha. Italics, bold and underlines stay; styles, positions and drawings do not."""
    columns: tuple[str, ...] = _ASS_COLUMNS
    drafts = []
    section = ""
    for number, line in enumerate(_lines(text), 1):
        line = line.strip(" \t\ufeff")
        if line.startswith("["):
            section = line.strip("[]").lower()
        kind, _, rest = line.partition(":")
        kind = kind.lower()
        if kind == "format" and section in ("events", ""):
            columns = tuple(each.strip().lower() for each in rest.split(","))
        elif kind == "comment" and section in ("events", ""):
            findings.add(number, "comment", line)
        elif kind == "dialogue":
            values = dict(zip(columns, rest.split(",", len(columns) - 1), strict=False))
            words, is_reduced = _ass_words(values.get("text", ""))
            if is_reduced:
                findings.add(number, "formatting", line)
            begin, end = _ass_time(values.get("start", "")), _ass_time(values.get("end", ""))
            drafts.append(CueDraft(number, line, begin, end, words=words))
    return drafts


def _ass_time(written: str) -> float | None:
    found = _ASS_TIME.fullmatch(written.strip())
    if found is None:
        return None
    hours, minutes, seconds, fraction = found.groups()
    return round(int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}"), 3)


def _ass_words(text: str) -> tuple[list[str], bool]:
    """The text of an event as lines of WebVTT, and whether formatting was removed."""
    parts, at = [], 0
    is_drawing = is_reduced = False
    for block in _ASS_BLOCK.finditer(text):
        parts.append("" if is_drawing else escape_text(text[at : block.start()]))
        at = block.end()
        toggles = _ASS_TOGGLE.findall(block.group(1))
        parts += [f"<{name}>" if turn == "1" else f"</{name}>" for name, turn in toggles]
        is_reduced |= _ASS_TOGGLE.sub("", block.group(1)) != ""
        for drawing in _ASS_DRAWING.findall(block.group(1)):
            is_drawing = drawing != "0"
    parts.append("" if is_drawing else escape_text(text[at:]))
    whole = "".join(parts).replace("\\N", "\n").replace("\\n", "\n").replace("\\h", "\xa0")
    return whole.split("\n"), is_reduced


def _read_lrc(text: str, _form: str, findings: Findings) -> list[CueDraft]:
    """Read LRC: each line ends when the next one begins."""
    stamped: list[tuple[float, int, str]] = []
    for number, line in enumerate(_lines(text), 1):
        found = _LRC_LINE.fullmatch(line.strip(" \t\ufeff"))
        if found is None:
            if line.strip():
                findings.add(number, "header" if line.startswith("[") else "dropped", line)
            continue
        words = _LRC_WORD_TIME.sub("", found.group(2))
        for minutes, seconds, fraction in _LRC_TIME.findall(found.group(1)):
            time = round(int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}"), 3)
            stamped.append((time, number, words))
            if len(stamped) > MAX_CUES:
                raise UnreadableCaptions("cues")
    stamped.sort(key=lambda each: each[0])
    ends = [time for time, _, _ in stamped[1:]] + [stamped[-1][0] + _LRC_LAST_SECONDS] if stamped else []
    return [
        CueDraft(number, words, time, max(end, time + 0.001), words=[escape_text(words)])
        for (time, number, words), end in zip(stamped, ends, strict=True)
        if words.strip()  # an empty line ends the one before
    ]


_READERS = {"ass": _read_ass, "lrc": _read_lrc, "ttml": read_ttml, "microdvd": read_lines, "mpl2": read_lines}
