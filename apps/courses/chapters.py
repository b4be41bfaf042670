"""The chapters of a video, as its instructor writes them: one a line, a time and a title."""

import re
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from studyplatform.kit.text.durations import clock

MOST_CHAPTERS = 100
LONGEST_TITLE = 80
LONGEST_TEXT = MOST_CHAPTERS * (LONGEST_TITLE + 20)

_LINE = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)\s+(\S.*)", re.ASCII)


class Chapter(NamedTuple):
    """``start`` in seconds of the video."""

    start: int
    title: str


def parse_chapters(text: str, *, duration: float) -> list[Chapter]:
    """Read lines such as ``1:30 The first step``; empty lines are skipped.

    The first chapter starts at 0:00, each later one after the one before it and before the end of the video.

    :param duration: of the video in seconds
    :raises ValidationError: for the first line that is wrong, with its number.
    """
    found: list[Chapter] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = " ".join(raw.split())
        if line:
            found.append(_chapter(line, number, after=found[-1] if found else None, duration=duration))
        if len(found) > MOST_CHAPTERS:
            raise ValidationError(_("A video can have up to %(most)s chapters.") % {"most": MOST_CHAPTERS})
    return found


def _chapter(line: str, number: int, *, after: Chapter | None, duration: float) -> Chapter:
    matched = _LINE.fullmatch(line)
    if matched is None:
        raise _wrong(number, _("Write a time, a space and a title, such as 1:30 The first step."))
    hours, minutes, seconds, title = matched.groups()
    if hours is not None and int(minutes) > 59:
        raise _wrong(number, _("Minutes go up to 59."))
    start = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    if len(title) > LONGEST_TITLE:
        raise _wrong(number, _("A title can have up to %(most)s characters.") % {"most": LONGEST_TITLE})
    if after is None and start != 0:
        raise _wrong(number, _("The first chapter starts at 0:00."))
    if after is not None and start <= after.start:
        raise _wrong(number, _("A chapter starts after the one before it (%(time)s).") % {"time": clock(after.start)})
    if start >= duration:
        raise _wrong(number, _("The video ends at %(time)s.") % {"time": clock(duration)})
    return Chapter(start, title)


def _wrong(number: int, what: str) -> ValidationError:
    return ValidationError(_("Line %(number)s: %(problem)s") % {"number": number, "problem": what})


def chapters_as_text(stored: list[list[object]]) -> str:
    """Return stored chapters as the lines from which ``parse_chapters`` reads them."""
    return "\n".join(f"{clock(int(str(start)))} {title}" for start, title in stored)
