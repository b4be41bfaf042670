"""Captions: text tracks inside the video, and SRT or WebVTT files that somebody uploads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import ffmpeg

from .graph import finish, source_input
from .probe import Probe, Text
from .recipe import Recipe
from .stills import clock

MOST_BYTES = 4 * 2**20
MOST_CUES = 20_000
TIMING = re.compile(
    r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})\s*-->\s*"
    r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})([ \t].*)?$"
)
SETTING = re.compile(r"^(?:(?:vertical|line|position|size|align):[\w%.,+-]+)$")
# What WebVTT knows; everything else between angle brackets is dropped.
TAG = re.compile(r"</?(?:b|i|u|c(?:\.[\w.-]+)?|v(?:\.[\w.-]+)?(?:\s+[^<>]*)?|lang\s+[\w-]+|ruby|rt)>")
ANY_TAG = re.compile(r"</?[A-Za-z0-9][^<>]*>")
OVERRIDE = re.compile(r"\{\\[^}]*\}")

# ISO 639-2 (both spellings) to the two letters that browsers want.
LANGUAGES = {
    "ara": "ar", "bul": "bg", "ces": "cs", "chi": "zh", "cze": "cs", "dan": "da", "deu": "de",
    "dut": "nl", "ell": "el", "eng": "en", "est": "et", "fas": "fa", "fin": "fi", "fra": "fr",
    "fre": "fr", "ger": "de", "gre": "el", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu",
    "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "msa": "ms",
    "nld": "nl", "nor": "no", "per": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro",
    "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv",
    "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cue:
    """Words shown from one second to another."""

    begin: float
    end: float
    text: str
    settings: str = ""


class UnreadableCaptions(ValueError):
    """The text is neither WebVTT nor SRT, or holds no cue."""


def extract_arguments(path: Path, source: Probe, folder: Path, recipe: Recipe) -> tuple[list[str], dict[Text, Path]]:
    """Write every text track of a video to a file of its own, in one reading."""
    file = source_input(path, source, recipe)
    targets = {text: folder / f"{text.index}.vtt" for text in source.texts}
    made = [
        ffmpeg.output(file[str(text.index)], f"file:{target}", f="webvtt", **{"c:s": "webvtt"})
        for text, target in targets.items()
    ]
    return finish(ffmpeg.merge_outputs(*made)), targets


def language_of(written: str) -> str:
    """Turn a language as files write it into a tag for browsers; empty means unknown."""
    plain = written.strip().lower()
    if plain in ("und", "zxx", "mis", ""):
        return ""
    return LANGUAGES.get(plain, plain if re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", plain) else "")


def to_webvtt(raw: bytes) -> str:
    """Read SRT or WebVTT as people save it, and write clean WebVTT.

    Encodings, byte order marks, Windows line ends, numbering, unknown markup and cues out of
    order are put right. Styles and regions are left out: captions get the player's look.

    :raises UnreadableCaptions: no cue was found, or too many.
    """
    if len(raw) > MOST_BYTES:
        raise UnreadableCaptions("larger than 4 MB")
    cues = parse_cues(_decode(raw))
    if not cues:
        raise UnreadableCaptions("no cue")
    if len(cues) > MOST_CUES:
        raise UnreadableCaptions("too many cues")
    return write_webvtt(cues)


def write_webvtt(cues: list[Cue]) -> str:
    """Write cues in order of time."""
    blocks = ["WEBVTT\n"]
    for cue in sorted(cues, key=lambda each: (each.begin, each.end)):
        tail = f" {cue.settings}" if cue.settings else ""
        blocks.append(f"{clock(cue.begin)} --> {clock(cue.end)}{tail}\n{cue.text}\n")
    return "\n".join(blocks)


def parse_cues(text: str) -> list[Cue]:
    """Find the cues in SRT or WebVTT. Anything that is no cue is passed over."""
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
    return cues


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
