"""What reading a caption file gives: its cues, and what was changed to read them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

#: The formats that are read, by their short names.
FORMAT_NAMES = {
    "webvtt": "WebVTT",
    "srt": "SubRip (SRT)",
    "sbv": "SBV",
    "ass": "SubStation Alpha (ASS)",
    "lrc": "LRC",
    "ttml": "TTML",
    "microdvd": "MicroDVD",
    "mpl2": "MPL2",
}
#: UTF-8 that was read as Windows-1252 and encoded again; not a codec.
TWICE_UTF_8 = "utf-8-twice"
#: Encodings are named as Python names them. Those of Unicode are recognized by their form.
UNICODE_ENCODINGS = ("utf-8", TWICE_UTF_8, "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
LEGACY_ENCODINGS = (
    "cp1252", "iso8859-15", "mac-roman", "cp850", "cp437", "iso8859-3", "iso8859-10", "iso8859-14",
    "cp1250", "iso8859-2", "cp852", "iso8859-16", "cp1257", "iso8859-13", "iso8859-4", "cp1254", "iso8859-9",
    "cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic", "cp1253", "iso8859-7",
    "cp1255", "iso8859-8", "cp1256", "iso8859-6", "cp1258", "cp874",
    "gb18030", "big5hkscs", "cp932", "euc_jis_2004", "iso2022_jp_2", "cp949",
)  # fmt: skip
#: What an author can choose.
ENCODINGS = UNICODE_ENCODINGS + LEGACY_ENCODINGS
MAX_FINDINGS = 200  # kept with their line; of more, only the number
MAX_FINDING_LENGTH = 200


class UnreadableCaptions(ValueError):
    """The file holds no captions that can be read. ``reason``: "empty", "size", "cues", "time", "format" or
    "damaged".

    ``format_name``: the format, if it was recognized and is not supported.
    """

    def __init__(self, reason: str, format_name: str = "") -> None:
        super().__init__(reason, format_name)
        self.reason = reason
        self.format_name = format_name


@dataclass(frozen=True, kw_only=True)
class Cue:
    """Text that is shown between two moments, in seconds.

    ``text``: WebVTT cue text. ``settings``: WebVTT cue settings, such as its position. ``chapter``: the title of the
    chapter that begins with it.
    """

    begin: float
    end: float
    text: str
    settings: str = ""
    chapter: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something in a file that was left out, repaired or moved.

    ``line``: counted from 1; 0 if it concerns the whole file. ``kind``: one of `FINDING_KINDS`. ``text``: of the line.
    """

    line: int
    kind: str
    text: str


#: What a finding says about the text of its line.
FINDING_KINDS = (
    "character",  # bytes that are no characters in this encoding were replaced
    "dropped",  # text outside of any cue
    "empty",  # a cue without text
    "joined",  # text after a blank line was added to the cue before
    "separated",  # the blank line before this cue was missing
    "placed",  # without a readable time, or ending before it begins: it was given a time
    "repaired",  # a time that is not written as its format asks
    "late",  # cues that begin after the end of the video
    "moved",  # cues out of order were sorted
    "formatting",  # fonts, colors, positions
    "comment",  # NOTE blocks
    "style",  # STYLE and REGION blocks
    "header",  # lines of the header
    "identifier",  # names of cues
)


@dataclass
class Findings:
    """The findings of a file: the first `MAX_FINDINGS` of them, and how many there are of each kind."""

    items: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, line: int, kind: str, text: str) -> None:
        """Add a finding; only the first of a line and kind counts."""
        self.counts[kind] += 1
        if len(self.items) < MAX_FINDINGS:
            self.items.append(Finding(line=line, kind=kind, text=text.strip()[:MAX_FINDING_LENGTH]))
