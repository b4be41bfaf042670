"""The chapters of a video that comments of its captions name."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from apps.courses.chapters import MOST_CHAPTERS, Chapter
from apps.files.models import CaptionTrack
from apps.files.queries import caption_chapters

SILENT_START = 10  # seconds before the first caption that still belong to its chapter


def chapters_of_captions(tracks: Iterable[CaptionTrack], *, duration: float) -> list[Chapter]:
    """Return the chapters that comments of the captions name (``NOTE Chapter: title``), English captions first.

    :param duration: of the video in seconds; what begins after it is left out
    """
    for track in sorted(tracks, key=lambda one: (not one.language.startswith("en"), one.language)):
        by_second = {int(begin): title for begin, title in caption_chapters(track.webvtt) if begin < duration}
        found = [Chapter(start, title) for start, title in sorted(by_second.items())][:MOST_CHAPTERS]
        if not found:
            continue
        if found[0].start <= SILENT_START:
            return [Chapter(0, found[0].title), *found[1:]]
        return [Chapter(0, _("Beginning")), *found[: MOST_CHAPTERS - 1]]
    return []
