"""SRT or WebVTT as people save it, turned into clean WebVTT.

Every step takes time in proportion to the text. Still, what somebody uploads is read in a process of its own
(:func:`read_apart`), which may be ended: while Python works on a long text, a web server's other threads wait.
"""

from __future__ import annotations

import contextlib
import html
import re
import resource
import subprocess
import sys
from dataclasses import dataclass

MOST_BYTES = 2 * 2**20  # ten hours of speech, in a script of three bytes a sign
MOST_CUES = 20_000
PATIENCE = 20  # seconds that a file may take; one of 2 MB takes less than two
MEMORY = 2**30  # bytes
UNREADABLE = 3  # the exit status that says so
TIMING = re.compile(
    r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})\s*-->\s*"
    r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})([ \t].*)?$"
)
SETTING = re.compile(r"^(?:(?:vertical|line|position|size|align):[\w%.,+-]+)$")
# What WebVTT knows; everything else between angle brackets is dropped.
TAG = re.compile(r"</?(?:b|i|u|c(?:\.[\w.-]+)?|v(?:\.[\w.-]+)?(?:\s+[^<>]*)?|lang\s+[\w-]+|ruby|rt)>")
ANY_TAG = re.compile(r"</?[A-Za-z0-9][^<>]*>")
OVERRIDE = re.compile(r"\{\\[^{}]*\}")  # ends at the next brace of either kind, so no sign is looked at twice


@dataclass(frozen=True, kw_only=True)
class Cue:
    """Words shown from one second to another."""

    begin: float
    end: float
    text: str
    settings: str = ""


class UnreadableCaptions(ValueError):
    """The text is neither WebVTT nor SRT, or holds no cue."""


def to_webvtt(raw: bytes) -> str:
    """Read SRT or WebVTT as people save it, and write clean WebVTT.

    Encodings, byte order marks, Windows line ends, numbering, unknown markup and cues out of
    order are put right. Styles and regions are left out: captions get the player's look.

    :raises UnreadableCaptions: no cue was found, or too many.
    """
    if len(raw) > MOST_BYTES:
        raise UnreadableCaptions("larger than 2 MB")
    cues = parse_cues(_decode(raw))
    if not cues:
        raise UnreadableCaptions("no cue")
    return write_webvtt(cues)


def read_apart(raw: bytes) -> str:
    """:func:`to_webvtt` in a process of its own, with limits on its time and memory.

    :raises UnreadableCaptions: no cue was found, or too many, or it took too long.
    """
    if len(raw) > MOST_BYTES:
        raise UnreadableCaptions("larger than 2 MB")
    # -I, -S: nothing is imported but this file and the standard library, so it starts at once.
    command = [sys.executable, "-I", "-S", __file__]
    try:
        done = subprocess.run(command, input=raw, stdout=subprocess.PIPE, timeout=PATIENCE)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise UnreadableCaptions("took too long") from None
    if done.returncode:
        raise UnreadableCaptions(f"status {done.returncode}")
    return done.stdout.decode()


def _main() -> int:
    with contextlib.suppress(ValueError, OSError):  # not every system lets a process limit itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        words = to_webvtt(sys.stdin.buffer.read(MOST_BYTES + 1))
    except (UnreadableCaptions, MemoryError):
        return UNREADABLE
    sys.stdout.buffer.write(words.encode())
    return 0


def clock(seconds: float) -> str:
    """Write seconds as WebVTT does: 01:02:03.456."""
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def write_webvtt(cues: list[Cue]) -> str:
    """Write cues in order of time."""
    blocks = ["WEBVTT\n"]
    for cue in sorted(cues, key=lambda each: (each.begin, each.end)):
        tail = f" {cue.settings}" if cue.settings else ""
        blocks.append(f"{clock(cue.begin)} --> {clock(cue.end)}{tail}\n{cue.text}\n")
    return "\n".join(blocks)


def parse_cues(text: str) -> list[Cue]:
    """Find the cues in SRT or WebVTT. Anything that is no cue is passed over.

    :raises UnreadableCaptions: there are too many.
    """
    cues = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    at = 0
    while at < len(lines):
        match = TIMING.match(lines[at].strip())
        at += 1
        if match is None:
            continue
        words = []
        while at < len(lines) and lines[at].strip():
            if TIMING.match(lines[at].strip()):  # a blank line was forgotten
                break
            words.append(lines[at])
            at += 1
        if at < len(lines) and TIMING.match(lines[at].strip()) and words and words[-1].strip().isdigit():
            words.pop()  # that was the next cue's number
        begin, end = _seconds(match, 0), _seconds(match, 4)
        said = _clean("\n".join(words))
        if end > begin and said:
            settings = " ".join(s for s in (match.group(9) or "").split() if SETTING.match(s))
            cues.append(Cue(begin=begin, end=end, text=said, settings=settings))
            if len(cues) > MOST_CUES:
                raise UnreadableCaptions("too many cues")
    return cues


def plain_text(text: str) -> str:
    """Return the text of a cue on one line, without tags and with its character references resolved."""
    return " ".join(html.unescape(ANY_TAG.sub("", text)).split())


def _seconds(match: re.Match[str], first: int) -> float:
    hours, minutes, seconds, parts = (match.group(first + at) or "0" for at in range(1, 5))
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{parts}")


def _clean(words: str) -> str:
    kept: list[str] = []

    def keep(tag: re.Match[str]) -> str:
        kept.append(tag.group())
        return f"\0{len(kept) - 1}\0"

    words = OVERRIDE.sub("", words.replace("\0", ""))
    words = ANY_TAG.sub(lambda tag: keep(tag) if TAG.fullmatch(tag.group()) else "", words)
    words = re.sub(r"&(?!(?:amp|lt|gt|lrm|rlm|nbsp|#\d+|#x[0-9a-fA-F]+);)", "&amp;", words)
    words = words.replace("<", "&lt;").replace(">", "&gt;")
    words = re.sub("\0(\\d+)\0", lambda mark: kept[int(mark.group(1))], words)
    return "\n".join(line.rstrip() for line in words.split("\n") if line.strip())


def _decode(raw: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if raw.startswith(mark):
            return raw.decode(encoding, errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


if __name__ == "__main__":
    sys.exit(_main())
