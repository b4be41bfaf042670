"""Read WebVTT, SubRip (SRT) and YouTube's SBV, and write WebVTT (https://www.w3.org/TR/webvtt1/).

Text is kept as a browser's WebVTT parser or VLC's SubRip parser keeps it, and beyond: a cue whose times can't be read
keeps its text. What is left out, repaired or moved is reported with its line. Everything takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .cue_drafts import MAX_CUE_TIME_SECONDS, CueDraft, finish_cues, in_order
from .cue_text import plain_text
from .cues import Cue, Findings, UnreadableCaptions

MAX_CUES = 20_000
MAX_CHAPTER_LENGTH = 80
_BLANK = " \t\f\ufeff"  # ASCII whitespace without line ends, and byte order marks of files that were joined

#: What editors put between times: full-width signs, no-break spaces, and marks of direction, which show nothing.
_PLAIN_SIGNS = str.maketrans(
    dict(zip("：，．；＞－−\u3000\xa0\u202f", ":,.;>--   ", strict=True))
    | dict.fromkeys("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "")
)
_TIME = r"(?:(\d{1,6})[ ]?:[ ]?)?(\d{1,4})[ ]?:[ ]?(\d{1,4})(?:[ ]?[.,:;][ ]?(\d{1,9}))?"
_ARROW = r"[ \t\f]{0,9}(?:[-–—=]{1,3} ?>|→)[ \t\f]{0,9}"
#: Times as people write them; arrows of other kinds, signs and spaces are repaired.
_TIMING = re.compile(rf"(-)?{_TIME}{_ARROW}(-)?{_TIME}(?:[ \t\f](.*))?")
_SBV_TIMING = re.compile(r"()(\d{1,4}):(\d\d):(\d\d)\.(\d{2,3}),()(\d{1,4}):(\d\d):(\d\d)\.(\d{2,3})()")
#: Times as the formats ask for them.
_WEBVTT_TIMING = re.compile(r"(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}[ \t\f]*-->[ \t\f]*(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}")
_SRT_TIMING = re.compile(
    r"(?:\d+:)?[0-5]?\d:[0-5]?\d(?:[.,]\d{1,3})?[ \t]*-->[ \t]*(?:\d+:)?[0-5]?\d:[0-5]?\d(?:[.,]\d{1,3})?"
)
#: A line that was meant to be times: what stands on both sides of its arrow begins with a digit, or one side is a time.
_BROKEN_TIMING = re.compile(
    r"[-+]?\d[^>\s]{0,20}:[^>\s]{0,12}[ \t\f]{0,9}(?:-{1,3}>|→)[ \t\f]{0,9}(?:[-+]?\d|$)"
    r"|\d{1,6}:\d\d:\d\d(?:[.,]\d{1,3})?[ \t\f]{0,9}(?:-{1,3}>|→)|-{2,3}>[ \t\f]{0,9}\d{1,6}:\d"
)
_SPLIT_ARROW = re.compile(r"-{1,3}>|→")
_ONE_TIME = re.compile(rf"(-)?{_TIME}")
_SETTING = re.compile(
    r"vertical:(?:rl|lr)|line:-?\d+(?:\.\d+)?%?(?:,(?:start|center|end))?|size:\d+(?:\.\d+)?%"
    r"|position:\d+(?:\.\d+)?%(?:,(?:line-left|center|line-right))?|align:(?:start|center|end|left|right)"
)
#: A comment before the cue where a chapter begins, on the line of its NOTE or on one of its own.
_CHAPTER = re.compile(r"(?:NOTE[ \t]+)?chapter:[ \t]*(\S.*)", re.IGNORECASE)
_BLOCK = re.compile(r"(NOTE|STYLE|REGION)(?:[ \t].*)?")


def format_timestamp(seconds: float) -> str:
    """Format seconds as a WebVTT timestamp: 01:02:03.456."""
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def write_webvtt(cues: Iterable[Cue]) -> str:
    """Write a WebVTT file, its cues in the order in which browsers show them."""
    blocks = ["WEBVTT\n"]
    for cue in in_order(cues):
        tail = f" {cue.settings}" if cue.settings else ""
        if cue.chapter:
            blocks.append(f"NOTE Chapter: {cue.chapter}\n")
        blocks.append(f"{format_timestamp(cue.begin)} --> {format_timestamp(cue.end)}{tail}\n{cue.text}\n")
    return "\n".join(blocks)


def parse_cues(text: str) -> list[Cue]:
    """Parse the cues of WebVTT, SRT or SBV, with the chapters that comments before them name.

    :raises UnreadableCaptions: there are too many.
    """
    return read_cues(text, Findings())


def read_cues(text: str, findings: Findings) -> list[Cue]:
    """Like :func:`parse_cues`, and report what was left out, repaired or moved.

    :raises UnreadableCaptions: there are too many.
    """
    return _Reader(text, findings).read()


class _Reader:
    """Reads the lines of a file, one after the other."""

    def __init__(self, text: str, findings: Findings) -> None:
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        self.lines = text.split("\n")
        self.findings = findings
        self.at = next((at for at in range(len(self.lines)) if self._bare(at)), 0)  # of the first line with text
        self.is_webvtt = re.match(r"WEBVTT(?:[ \t]|$)", self._bare(self.at)) is not None
        self.number: int | None = None  # of the next cue, if it has one
        self.chapter = ""  # that begins with the next cue
        self.drafts: list[CueDraft] = []
        self.timings = [self._match_timing(line) for line in self.lines]
        if not self.is_webvtt and not any(self.timings):
            self.timings = [_SBV_TIMING.fullmatch(line.strip(_BLANK)) for line in self.lines]
        self.has_whole_milliseconds = _has_whole_milliseconds(self.timings)

    def read(self) -> list[Cue]:
        if self.is_webvtt:
            self._skip_header()
        while self.at < len(self.lines):
            line = self._bare(self.at)
            if not line:
                self.at += 1
            elif self._is_timing(self.at):
                self._read_cue()
            elif self.is_webvtt and _BLOCK.fullmatch(line):
                self._read_block(line)
            else:
                self._read_between_cues(line)
        return finish_cues(self.drafts, self.findings, is_webvtt=self.is_webvtt)

    def _bare(self, at: int) -> str:
        return self.lines[at].strip(_BLANK)

    def _with_arrows(self, line: str) -> str:
        """The line as it is searched for times; "" if it has no arrow.

        In the text of WebVTT ">" is always escaped or ends a tag, and a cue may show "0:30 → 0:45".
        """
        if not line.isascii():
            line = line.translate(_PLAIN_SIGNS)
        if self.is_webvtt:
            line = line.replace("→", " ")
        elif "&gt;" in line:  # copied from the source of a page
            line = line.replace("&gt;", ">")
        return line.strip(_BLANK) if ">" in line or "→" in line else ""

    def _match_timing(self, line: str) -> re.Match[str] | None:
        return _TIMING.fullmatch(self._with_arrows(line)) if ":" in line or "：" in line else None

    def _is_timing(self, at: int) -> bool:
        """Whether a line holds times, readable or not."""
        if at >= len(self.lines):
            return False
        return self.timings[at] is not None or _BROKEN_TIMING.match(self._with_arrows(self.lines[at])) is not None

    def _skip_header(self) -> None:
        """Skip the header: the lines up to the first blank one."""
        self.at += 1
        while self.at < len(self.lines) and self.lines[self.at] and not self._is_timing(self.at):
            self.findings.add(self.at + 1, "header", self.lines[self.at])
            self.at += 1

    def _read_block(self, line: str) -> None:
        """Read a comment, a style sheet or a region. A comment may begin a chapter."""
        begin, kind = self.at, "comment" if line.startswith("NOTE") else "style"
        found = ""
        while self.at < len(self.lines) and self.lines[self.at] and not self._is_timing(self.at):
            found = (_chapter(self._bare(self.at)) if kind == "comment" else "") or found
            self.at += 1
        if found:
            self.chapter = found
        else:
            self.findings.add(begin + 1, kind, " ".join(self.lines[begin : self.at]))

    def _read_between_cues(self, line: str) -> None:
        """Read the number or name of the next cue, or text that belongs to no cue."""
        following = self.at + 1
        if _is_number(line):
            while following < len(self.lines) and not self._bare(following):
                following += 1
            if self._is_timing(following):
                self.number, self.at = int(line), following
                return
        elif self.is_webvtt and self._is_timing(following):
            self.findings.add(self.at + 1, "identifier", line)
            self.at = following
            return
        begin = self.at
        while self.at < len(self.lines) and self._bare(self.at) and not self._is_timing(self.at):
            self.at += 1
        block = self.lines[begin : self.at]
        if self._is_timing(self.at) and len(block) > 1 and _is_number(self._bare(self.at - 1)):
            self.number = int(block.pop())
        self._keep_block(begin, block)

    def _keep_block(self, begin: int, block: list[str]) -> None:
        """Add a block of text that stands outside of cues to the cue before it, if players would show it there."""
        found = next((title for each in block if (title := _chapter(each.strip(_BLANK)))), "")
        if found and (len(block) == 1 or block[0].strip(_BLANK) == "NOTE"):
            self.chapter = found
        elif self.drafts and not (self.is_webvtt and any(word.strip(_BLANK) for word in self.drafts[-1].words)):
            self.drafts[-1].words += block
            self.findings.add(begin + 1, "joined", " ".join(block))
        else:
            for at, each in enumerate(block, begin + 1):
                self.findings.add(at, "dropped", each)

    def _read_cue(self) -> None:
        """Read a cue: times, then text up to a blank line or the next times."""
        begin, end, tail = self._read_times()
        settings = tail.replace("align:middle", "align:center").split()
        good = [each for each in settings if _SETTING.fullmatch(each)]
        if len(good) < len(settings):
            self.findings.add(self.at + 1, "formatting", tail)
        draft = CueDraft(self.at + 1, self._bare(self.at), begin, end, " ".join(good), self.chapter)
        number, self.number, self.chapter = self.number, None, ""
        self.drafts.append(draft)
        if len(self.drafts) > MAX_CUES:
            raise UnreadableCaptions("cues")
        self.at += 1
        while self.at < len(self.lines) and self.lines[self.at] and not self._is_timing(self.at):
            draft.words.append(self.lines[self.at])
            self.at += 1
        if draft.words and self._is_timing(self.at):  # the blank line before the next cue is missing
            last = draft.words[-1].strip(_BLANK)
            # Where cues have numbers, the last line is the number of the next cue.
            if number is not None and _is_number(last) and (int(last) == number + 1 or len(draft.words) > 1):
                self.number = int(draft.words.pop())
            if draft.words and draft.words[-1].strip(_BLANK):
                self.findings.add(self.at + 1, "separated", self.lines[self.at])

    def _read_times(self) -> tuple[float | None, float | None, str]:
        """Begin and end in the present line, in seconds, and what follows them. None for what can't be read."""
        line, timing = self._bare(self.at), self.timings[self.at]
        if timing is None:
            parts = [_ONE_TIME.fullmatch(part.strip()) for part in _SPLIT_ARROW.split(line, maxsplit=1)]
            begin, end = (self._seconds(part, 0) if part else None for part in (*parts, None)[:2])
            return begin, end, ""
        form = _WEBVTT_TIMING if self.is_webvtt else _SRT_TIMING
        if timing.re is _TIMING and not form.match(line):
            self.findings.add(self.at + 1, "repaired", line)
        return self._seconds(timing, 0), self._seconds(timing, 5), timing.group(11) or ""

    def _seconds(self, match: re.Match[str], first: int) -> float | None:
        """The time whose sign, hours, minutes, seconds and fraction begin after the group ``first``."""
        sign, hours, minutes, seconds, fraction = match.groups()[first : first + 5]
        if sign:
            return 0.0
        if self.has_whole_milliseconds and fraction and len(fraction) < 3:
            fraction = fraction.zfill(3)
        time = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}")
        return round(time, 3) if time <= MAX_CUE_TIME_SECONDS else None


def _has_whole_milliseconds(timings: list[re.Match[str] | None]) -> bool:
    """Whether fractions are milliseconds without leading zeros: ",5" and ",50" and ",500" in one file.

    Otherwise they are decimals: ",5" is half a second.
    """
    fractions = {match.group(at) for match in timings if match is not None for at in (5, 10)} - {None}
    return (
        {len(each) for each in fractions} > {3}
        and not any(len(each) > 1 and each[0] == "0" for each in fractions)
        and any(len(each) == 2 and each[1] == "0" for each in fractions)
    )


def _is_number(line: str) -> bool:
    return line.isascii() and line.isdigit() and len(line) < 10


def _chapter(line: str) -> str:
    """Return the title of a comment that begins a chapter; empty if the line is none."""
    found = _CHAPTER.fullmatch(line)
    title = plain_text(found.group(1)).replace("-->", "→") if found else ""
    return title[:MAX_CHAPTER_LENGTH].rstrip()
