"""Read WebVTT and SubRip (SRT) captions, and write clean WebVTT (https://www.w3.org/TR/webvtt1/).

Parsing takes linear time. Still, uploaded files are parsed in a process of their own
(:func:`to_webvtt_in_subprocess`), which can be stopped: while Python parses a long text, the other threads of a web
server wait. That process imports only this file and the standard library.
"""

from __future__ import annotations

import contextlib
import html
import re
import resource
import subprocess
import sys
from dataclasses import dataclass

MAX_BYTES = 2 * 2**20  # ten hours of speech, with three bytes per character
MAX_CUES = 20_000
TIMEOUT = 20  # seconds; a file of 2 MB takes less than two
MEMORY = 2**30  # bytes
EXIT_UNREADABLE = 3  # exit status of the subprocess
TIMING = re.compile(
    r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})\s*-->\s*"
    r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})([ \t].*)?$"
)
SETTING = re.compile(r"^(?:(?:vertical|line|position|size|align):[\w%.,+-]+)$")
# The tags of WebVTT; all others are removed.
TAG = re.compile(r"</?(?:b|i|u|c(?:\.[\w.-]+)?|v(?:\.[\w.-]+)?(?:\s+[^<>]*)?|lang\s+[\w-]+|ruby|rt)>")
ANY_TAG = re.compile(r"</?[A-Za-z0-9][^<>]*>")
# A comment before the cue where a chapter begins, on the line of its NOTE or on one of its own.
CHAPTER = re.compile(r"(?:NOTE[ \t]+)?chapter:[ \t]*(\S.*)", re.IGNORECASE)
LONGEST_CHAPTER = 80
OVERRIDE = re.compile(r"\{\\[^{}]*\}")  # stops at the next brace of either kind, so that matching takes linear time


@dataclass(frozen=True, kw_only=True)
class Cue:
    """Text that is shown between two moments, in seconds.

    ``settings``: WebVTT cue settings, such as its position. ``chapter``: the title of the chapter that begins with it.
    """

    begin: float
    end: float
    text: str
    settings: str = ""
    chapter: str = ""


class UnreadableCaptions(ValueError):
    """The text is neither WebVTT nor SRT, or has no cue."""


def to_webvtt(raw: bytes) -> str:
    """Convert SRT or WebVTT in any common encoding to clean WebVTT.

    Corrects byte order marks, Windows line ends, numbering, unknown markup and cues out of order. Removes styles and
    regions: captions are styled by the player. Of comments, it keeps those that begin chapters.

    :raises UnreadableCaptions: there is no cue, or there are too many.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadableCaptions("larger than 2 MB")
    cues = parse_cues(_decode(raw))
    if not cues:
        raise UnreadableCaptions("no cue")
    return write_webvtt(cues)


def to_webvtt_in_subprocess(raw: bytes) -> str:
    """:func:`to_webvtt` in a subprocess with limits on its time and memory.

    :raises UnreadableCaptions: there is no cue, there are too many, or parsing took too long.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadableCaptions("larger than 2 MB")
    # -I, -S: only this file and the standard library are imported, so it starts quickly.
    command = [sys.executable, "-I", "-S", __file__]
    try:
        done = subprocess.run(command, input=raw, stdout=subprocess.PIPE, timeout=TIMEOUT)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise UnreadableCaptions("took too long") from None
    if done.returncode:
        raise UnreadableCaptions(f"status {done.returncode}")
    return done.stdout.decode()


def _main() -> int:
    with contextlib.suppress(ValueError, OSError):  # not every system lets a process limit itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        words = to_webvtt(sys.stdin.buffer.read(MAX_BYTES + 1))
    except (UnreadableCaptions, MemoryError):
        return EXIT_UNREADABLE
    sys.stdout.buffer.write(words.encode())
    return 0


def format_timestamp(seconds: float) -> str:
    """Format seconds as a WebVTT timestamp: 01:02:03.456."""
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def write_webvtt(cues: list[Cue]) -> str:
    """Write a WebVTT file, its cues ordered by time."""
    blocks = ["WEBVTT\n"]
    for cue in sorted(cues, key=lambda each: (each.begin, each.end)):
        tail = f" {cue.settings}" if cue.settings else ""
        if cue.chapter:
            blocks.append(f"NOTE Chapter: {cue.chapter}\n")
        blocks.append(f"{format_timestamp(cue.begin)} --> {format_timestamp(cue.end)}{tail}\n{cue.text}\n")
    return "\n".join(blocks)


def parse_cues(text: str) -> list[Cue]:
    """Parse the cues of SRT or WebVTT, with the chapters that comments before them name. Ignores everything else.

    :raises UnreadableCaptions: there are too many.
    """
    cues = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    at = 0
    chapter = ""
    while at < len(lines):
        line = lines[at].strip()
        match = TIMING.match(line)
        at += 1
        if match is None:
            chapter = _chapter(line) or chapter
            continue
        words = []
        while at < len(lines) and lines[at].strip():
            if TIMING.match(lines[at].strip()):  # the blank line between two cues is missing
                break
            words.append(lines[at])
            at += 1
        if at < len(lines) and TIMING.match(lines[at].strip()) and words and words[-1].strip().isdigit():
            words.pop()  # the number of the next cue
        begin, end = _seconds(match, 0), _seconds(match, 4)
        said = _clean_markup("\n".join(words))
        if end > begin and said:
            settings = " ".join(s for s in (match.group(9) or "").split() if SETTING.match(s))
            cues.append(Cue(begin=begin, end=end, text=said, settings=settings, chapter=chapter))
            chapter = ""
            if len(cues) > MAX_CUES:
                raise UnreadableCaptions("too many cues")
    return cues


def plain_text(text: str) -> str:
    """Return the text of a cue on one line, without tags and with its character references resolved."""
    return " ".join(html.unescape(ANY_TAG.sub("", text)).split())


def _chapter(line: str) -> str:
    """Return the title of a comment that begins a chapter; empty if the line is none."""
    found = CHAPTER.fullmatch(line)
    title = plain_text(found.group(1)).replace("-->", "→") if found else ""
    return title[:LONGEST_CHAPTER].rstrip()


def _seconds(match: re.Match[str], first: int) -> float:
    hours, minutes, seconds, parts = (match.group(first + at) or "0" for at in range(1, 5))
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{parts}")


def _clean_markup(words: str) -> str:
    tags: list[str] = []

    def placeholder(tag: re.Match[str]) -> str:
        tags.append(tag.group())
        return f"\0{len(tags) - 1}\0"

    words = OVERRIDE.sub("", words.replace("\0", ""))
    words = ANY_TAG.sub(lambda tag: placeholder(tag) if TAG.fullmatch(tag.group()) else "", words)
    words = re.sub(r"&(?!(?:amp|lt|gt|lrm|rlm|nbsp|#\d+|#x[0-9a-fA-F]+);)", "&amp;", words)
    words = words.replace("<", "&lt;").replace(">", "&gt;")
    words = re.sub("\0(\\d+)\0", lambda mark: tags[int(mark.group(1))], words)
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
