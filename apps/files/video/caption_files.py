"""Read caption files: in any usual encoding and format, into cues and a report of what was changed to read them.

This is the part that needs the libraries; `caption_reading` runs it in a process of its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import resource
import sys
from typing import Any

from . import caption_formats, encodings
from .caption_reading import MAX_BYTES, CaptionReading
from .cues import FORMAT_NAMES, Findings, UnreadableCaptions

MEMORY_LIMIT = 2**30  # bytes

MAX_CAPTION_LINES, MAX_CAPTION_TAGS = 200_000, 100_000  # ten hours of speech have some 40,000 lines


def read_captions(raw: bytes, *, language: str = "", encoding: str = "") -> CaptionReading:
    """Read a caption file.

    :param language: the BCP 47 tag of what is said, which helps to recognize the encoding
    :param encoding: one of `cues.ENCODINGS`; without it, the encoding is recognized
    :raises UnreadableCaptions: its format is not supported, it has no cue, or too much of something.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadableCaptions("size")
    decoded = encodings.decode(raw, language=language, encoding=encoding)
    lines, tags = decoded.text.count("\n"), decoded.text.count("<") + decoded.text.count("{")
    if lines > MAX_CAPTION_LINES or tags > MAX_CAPTION_TAGS:
        raise UnreadableCaptions("size")
    form = caption_formats.recognize_format(decoded.text)
    findings = Findings()
    _report_damage(decoded.text, findings)
    cues = caption_formats.read_format(decoded.text, form, findings)
    if not cues:
        raise UnreadableCaptions("empty", FORMAT_NAMES[form])
    return CaptionReading(
        form=form,
        encoding=decoded.encoding,
        is_guess=decoded.is_guess,
        cues=tuple(cues),
        findings=tuple(sorted(findings.items, key=lambda each: each.line)),
        counts=dict(findings.counts),
    )


def _report_damage(text: str, findings: Findings) -> None:
    if "\ufffd" in text or "\0" in text:
        for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
            if "\ufffd" in line or "\0" in line:
                findings.add(number, "character", line.replace("\0", "\ufffd"))


def _main() -> None:
    with contextlib.suppress(ValueError, OSError):  # not every system lets a process limit itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    language, encoding = sys.argv[1:]
    answer: dict[str, Any]
    try:
        reading = read_captions(sys.stdin.buffer.read(MAX_BYTES + 1), language=language, encoding=encoding)
        answer = dataclasses.asdict(reading)
    except UnreadableCaptions as problem:
        answer = {"reason": problem.reason, "format_name": problem.format_name}
    except (MemoryError, RecursionError):
        answer = {"reason": "time", "format_name": ""}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    _main()
