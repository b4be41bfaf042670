"""Cut cues from speech and pauses, before anyone has typed a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .sound_levels import Span

MAX_CUE_SECONDS = 6.0
MIN_CUE_SECONDS = 1.0
LEAD_SECONDS = 0.1  # a cue appears this long before its speech, and stays as long after it, as far as the pauses allow
MIN_SOUND_SECONDS = 0.25  # a shorter sound between two pauses is a cough or a click
MAX_BREATH_SECONDS = 30.0  # nobody speaks longer without a pause
#: Two pieces of speech become one cue if the pause between them is shorter.
MAX_JOINED_PAUSE_SECONDS = 0.6


def find_speech(silences: Sequence[Span], duration: float) -> list[Span]:
    """What is between the pauses, in seconds."""
    found, at = [], 0.0
    for begin, end in silences:
        if begin > at:
            found.append((at, min(begin, duration)))
        at = max(at, end)
    if at < duration:
        found.append((at, duration))
    return found


def cut_cues(silences: Sequence[Span], duration: float) -> list[Span]:
    """Suggest when cues begin and end: as long as they can be read, cut where the speaker pauses.

    Speech that is longer is cut into equal parts. A cough between two pauses gets no cue, and neither does what lasts
    longer than anybody speaks in one breath: music, noise.
    """
    cues: list[Span] = []
    for begin, end in find_speech(silences, duration):
        if not MIN_SOUND_SECONDS <= end - begin <= MAX_BREATH_SECONDS:
            continue
        last = cues[-1] if cues else None
        is_near = last is not None and begin - last[1] <= MAX_JOINED_PAUSE_SECONDS
        if last is not None and is_near and end - last[0] <= MAX_CUE_SECONDS:
            cues[-1] = (last[0], end)
        else:
            cues.append((begin, end))
    return list(_give_room([part for cue in cues for part in _split(cue)], duration))


def _split(cue: Span) -> Iterator[Span]:
    begin, end = cue
    count = max(1, -int(-(end - begin) // MAX_CUE_SECONDS))
    length = (end - begin) / count
    for at in range(count):
        yield begin + at * length, begin + (at + 1) * length


def _give_room(cues: list[Span], duration: float) -> Iterator[Span]:
    """Begin a little before the speech and end a little after it, at least `MIN_CUE_SECONDS` later if there is room."""
    for at, (begin, end) in enumerate(cues):
        before = cues[at - 1][1] if at else 0.0
        after = cues[at + 1][0] if at + 1 < len(cues) else duration
        start = max(begin - LEAD_SECONDS, (before + begin) / 2)
        stop = min(end + LEAD_SECONDS, (after + end) / 2)
        if stop - start < MIN_CUE_SECONDS:
            stop = max(stop, min(start + MIN_CUE_SECONDS, (after + end) / 2))
        yield round(start, 3), round(stop, 3)
