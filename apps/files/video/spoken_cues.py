"""Make cues that can be read of what a speech model has heard.

What such a model answers is not to be trusted: times may be missing, negative, out of order or beyond the sound, a
sentence may be repeated forever, and where nobody speaks it may invent words.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypedDict

from .sound_levels import Span
from .speech import MIN_SOUND_SECONDS, cut_cues

MAX_LINE_WIDTH = 42  # characters; those of Chinese, Japanese and Korean count twice
MAX_CUE_WIDTH = 2 * MAX_LINE_WIDTH
MAX_CUE_SECONDS = 7.0
MIN_CUE_SECONDS = 0.7
MAX_SEGMENTS = 5000  # of one answer
MAX_SEGMENT_CHARACTERS = 2000
MAX_CHARACTERS_PER_SECOND = 50  # of a text without times; the fastest speakers say 25
MAX_REPEATED = 2  # how often the same words in a row are believed
#: A model says how likely nobody speaks, and how sure it is of its words.
NO_SPEECH_PROBABILITY = 0.8
UNSURE_LOG_PROBABILITY = -1.0

_UNWRITTEN = {"Cc", "Cs", "Co"}  # categories of characters that are no text
#: Up to eight words that stand four times and more in a row: a model that got stuck.
_LOOP = re.compile(r"(?<!\S)(\S+(?: \S+){0,7}?)(?: \1(?!\S)){3,}")
_SPACES = re.compile(r"\s+")
#: Where a long text may be divided, the best places first: after sentences, after clauses, between words.
_BREAKS = (re.compile(r"(?<=[.!?…。！？।؟])\s*"), re.compile(r"(?<=[,;:，、；：،])\s*"), re.compile(r"\s+"))


class SpokenCue(TypedDict):
    """Text between two moments, in seconds of the video."""

    begin: float
    end: float
    text: str


class NotSpeech(ValueError):
    """The answer is no transcription."""


def read_answer(answer: Any, span: Span, silences: Sequence[Span]) -> list[SpokenCue]:
    """The cues of one answer, in order and without overlaps.

    ``span``: the part of the video that was sent; times of the answer count from its beginning. ``silences``: of the
    video; an answer without times is spread over the speech between them.

    :raises NotSpeech: the answer is something else.
    """
    if not isinstance(answer, Mapping):
        raise NotSpeech("no object")
    heard = answer.get("segments")
    if isinstance(heard, list) and heard:
        if not any(isinstance(each, Mapping) for each in heard):
            raise NotSpeech("segments of something else")
        if _have_times(heard):
            found = [cue for cue in _segments(heard, span) if not is_silent((cue["begin"], cue["end"]), silences)]
        else:
            said = " ".join(each["text"] for each in heard[:MAX_SEGMENTS] if _is_said(each) and not _is_invented(each))
            found = spread_text(_clean_whole(said, span), span, silences)
    elif isinstance(answer.get("text"), str):
        found = spread_text(_clean_whole(answer["text"], span), span, silences)
    else:
        raise NotSpeech("neither segments nor a text")
    return divide(separate(drop_repeated(found), span[1]))


def language_of(answer: Any, names: Mapping[str, str]) -> str:
    """The BCP 47 tag of the language that an answer names by its tag or its English name; empty if it names none."""
    said = answer.get("language") if isinstance(answer, Mapping) else None
    if not isinstance(said, str):
        return ""
    said = said.strip().lower()
    return names.get(said, said if re.fullmatch(r"[a-z]{2,3}", said) else "")


def _is_said(segment: Any) -> bool:
    return isinstance(segment, Mapping) and isinstance(segment.get("text"), str)


def _have_times(heard: Sequence[Any]) -> bool:
    """Whether the times of segments say anything: not if most are missing, empty or the same, or all run backward."""
    said = [each for each in heard if _is_said(each) and each["text"].strip()]
    times = [(_number(each.get("start")), _number(each.get("end"))) for each in said]
    begins = [begin for begin, end in times if begin is not None and end is not None and begin < end]
    is_backward = len(begins) > 2 and begins == sorted(begins, reverse=True)
    return not said or (len(set(begins)) > len(said) / 2 and not is_backward)


def _segments(heard: Sequence[Any], span: Span) -> Iterator[SpokenCue]:
    length = span[1] - span[0]
    for each in heard[:MAX_SEGMENTS]:
        if not _is_said(each):
            continue
        begin, end = _number(each.get("start")), _number(each.get("end"))
        text = _clean(each["text"])
        if begin is None or end is None or not text or begin >= length or _is_invented(each):
            continue
        begin = max(0.0, begin)
        end = min(max(end, begin + MIN_CUE_SECONDS), length)
        yield SpokenCue(begin=span[0] + begin, end=span[0] + end, text=text)


def _is_invented(segment: Mapping[str, Any]) -> bool:
    silence, sureness = _number(segment.get("no_speech_prob")), _number(segment.get("avg_logprob"))
    is_unsure = sureness is not None and sureness < UNSURE_LOG_PROBABILITY
    return silence is not None and silence > NO_SPEECH_PROBABILITY and is_unsure


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e9 and math.isfinite(value) else None


def _clean_whole(text: str, span: Span) -> str:
    """Clean all that was said in a span; a model that got stuck is cut off where nobody can have said so much."""
    return _clean(text, most=max(MAX_SEGMENT_CHARACTERS, int((span[1] - span[0]) * MAX_CHARACTERS_PER_SECOND)))


def without_controls(text: str) -> str:
    """The text without what no file and no database keeps: control characters but spaces, and lone surrogates."""
    return "".join(sign for sign in text if sign.isspace() or unicodedata.category(sign) not in _UNWRITTEN)


def _clean(text: str, *, most: int = MAX_SEGMENT_CHARACTERS) -> str:
    """Text on one line, without characters that control something."""
    kept = without_controls(text[:most])
    return _LOOP.sub(r"\1", _SPACES.sub(" ", kept).strip())


def drop_repeated(cues: Sequence[SpokenCue]) -> list[SpokenCue]:
    """Leave out what a model that got stuck repeats."""
    kept: list[SpokenCue] = []
    repeated = 0
    for cue in sorted(cues, key=lambda each: (each["begin"], each["end"])):
        repeated = repeated + 1 if kept and kept[-1]["text"] == cue["text"] else 1
        if repeated <= MAX_REPEATED:
            kept.append(cue)
    return kept


def separate(cues: Sequence[SpokenCue], until: float) -> list[SpokenCue]:
    """End each cue before the next one begins; one that has no time left then is joined with the next."""
    found: list[SpokenCue] = []
    for cue in cues:
        if found and cue["begin"] - found[-1]["begin"] < MIN_CUE_SECONDS / 2:
            last = found[-1]
            last["text"], last["end"] = f"{last['text']} {cue['text']}", max(last["end"], cue["end"])
            continue
        if found:
            found[-1]["end"] = min(found[-1]["end"], cue["begin"])
        found.append(SpokenCue(begin=cue["begin"], end=min(cue["end"], until), text=cue["text"]))
    return [cue for cue in found if cue["end"] > cue["begin"]]


def spread_text(text: str, span: Span, silences: Sequence[Span]) -> list[SpokenCue]:
    """Spread a text without times over the speech of its span: who speaks longer has said more."""
    if not text:
        return []
    inside = [(max(begin, span[0]), min(end, span[1])) for begin, end in silences if begin < span[1] and end > span[0]]
    parts = cut_cues([(begin - span[0], end - span[0]) for begin, end in inside], span[1] - span[0])
    places = [(span[0] + begin, span[0] + end) for begin, end in parts] or [span]
    total = sum(end - begin for begin, end in places)
    words = text.split(" ") if " " in text else list(text)
    joint = " " if " " in text else ""
    found, taken, passed = [], 0, 0.0
    for begin, end in places:
        passed += end - begin
        upto = round(len(words) * passed / total)
        if upto > taken:
            found.append(SpokenCue(begin=begin, end=end, text=joint.join(words[taken:upto])))
        taken = upto
    return found


def width_of(text: str) -> int:
    """How wide a text is, in Latin characters."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) != 0 for sign in text)


def divide(cues: Sequence[SpokenCue]) -> list[SpokenCue]:
    """Divide what is too long to be read at once, at the ends of sentences where there are any; break lines."""
    return [
        SpokenCue(begin=round(part["begin"], 3), end=round(part["end"], 3), text=break_lines(part["text"]))
        for cue in cues
        for part in _divided(cue)
    ]


def _divided(cue: SpokenCue) -> Iterator[SpokenCue]:
    text, length = cue["text"], cue["end"] - cue["begin"]
    is_short = width_of(text) <= MAX_CUE_WIDTH and length <= MAX_CUE_SECONDS
    at = None if is_short or length < 2 * MIN_CUE_SECONDS else _break_near_middle(text)
    if at is None:
        yield cue
        return
    first, second = text[:at].strip(), text[at:].strip()
    middle = cue["begin"] + length * width_of(first) / max(1, width_of(first) + width_of(second))
    yield from _divided(SpokenCue(begin=cue["begin"], end=middle, text=first))
    yield from _divided(SpokenCue(begin=middle, end=cue["end"], text=second))


def _break_near_middle(text: str) -> int | None:
    """Where to divide a text: near its middle, after a sentence rather than within; None if it is one word."""
    for pattern in _BREAKS:
        places = [found.end() for found in pattern.finditer(text) if len(text) * 0.2 < found.end() < len(text) * 0.8]
        if places:
            return min(places, key=lambda at: abs(at - len(text) / 2))
    has_words = " " in text or width_of(text) < len(text) * 1.5
    return None if has_words or len(text) < 2 else len(text) // 2


def break_lines(text: str) -> str:
    """Break a text into two lines about equally long, if it does not fit on one."""
    if width_of(text) <= MAX_LINE_WIDTH:
        return text
    at = _break_near_middle(text)
    return text if at is None else f"{text[:at].strip()}\n{text[at:].strip()}"


def plan_pieces(silences: Sequence[Span], duration: float, longest: float) -> list[Span]:
    """Cut a sound into pieces of at most ``longest`` seconds: in the longest pause of the second half of each."""
    pieces: list[Span] = []
    at = 0.0
    while duration - at > longest:
        near = [each for each in silences if at + longest / 2 <= (each[0] + each[1]) / 2 <= at + longest]
        cut = max(near, key=lambda each: each[1] - each[0], default=(at + longest, at + longest))
        middle = (cut[0] + cut[1]) / 2
        pieces.append((round(at, 3), round(middle, 3)))
        at = middle
    if duration > at:
        pieces.append((round(at, 3), round(duration, 3)))
    return pieces


def is_silent(span: Span, silences: Sequence[Span]) -> bool:
    """Whether nothing is heard in a part of the sound."""
    heard = (span[1] - span[0]) - sum(
        max(0.0, min(end, span[1]) - max(begin, span[0])) for begin, end in silences if end > span[0]
    )
    return heard < MIN_SOUND_SECONDS


def are_in_order(cues: Sequence[SpokenCue]) -> bool:
    """Whether cues are in order and do not overlap."""
    return all(before["end"] <= after["begin"] for before, after in pairwise(cues))
