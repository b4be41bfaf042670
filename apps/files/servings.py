"""Which parts of a video were handed out to a user: what was fetched cannot be taken back.

The browser fetches a video in segments of a few seconds, each of which would cost a write. So a process remembers the
segments of a user and a video, and reports them in growing groups: after 1, 2, 4, 8 segments and then after every
tenth. What a process has not reported when it ends are at most ten segments.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Lock
from uuid import UUID

from django.db import DatabaseError, transaction

from apps.files.storage import open_stored
from studyplatform.kit.caching.lru import LruCache

log = logging.getLogger(__name__)

Spans = list[tuple[int, int]]
Report = Callable[[int, UUID, Spans], None]
"""Called with a user's id, a video's uid, and the [from, to) pairs of whole seconds that were handed out."""

MAX_UNREPORTED_SEGMENTS = 10
_MAX_REMEMBERED = 10_000  # pairs of a user and a video
_reports: list[Report] = []


@dataclass
class _Served:
    reported: set[int] = field(default_factory=set)
    waiting: set[tuple[str, int]] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)


_served: LruCache[_Served] = LruCache(_MAX_REMEMBERED)
_starts: LruCache[list[float]] = LruCache(1000)
_creating = Lock()


def register_report(report: Report) -> Report:
    """Register what an app does with the parts of videos that were handed out."""
    _reports.append(report)
    return report


def record_segment(user: int, video: UUID, folder: str, number: int) -> None:
    """Note that a segment of a rendition was handed out to a user; now and then, report what was noted."""
    served = _of(user, video)
    with served.lock:
        if number in served.reported:
            return
        served.waiting.add((folder, number))
        if len(served.waiting) < min(MAX_UNREPORTED_SEGMENTS, max(1, len(served.reported))):
            return
        waiting = _take(served)
    _tell(user, video, waiting)


def record_sound(user: int, video: UUID, directory: str, begin: float, end: float) -> None:
    """Note that a part of a video's sound was handed out as one file. ``begin``, ``end``: shares of the file."""
    length = _starts_of(f"{directory}/audio")[-1]
    _report(user, video, [(int(begin * length), round(end * length))])


def report_served(user: int, video: UUID) -> None:
    """Report what this process has noted of a user and a video, before somebody asks how much it is."""
    served = _served.get((user, video))
    if served is not None:
        with served.lock:
            waiting = _take(served)
        if waiting:
            _tell(user, video, waiting)


def _of(user: int, video: UUID) -> _Served:
    with _creating:
        return _served.get((user, video)) or _served.put((user, video), _Served())


def _take(served: _Served) -> set[tuple[str, int]]:
    waiting, served.waiting = served.waiting, set()
    served.reported |= {number for _folder, number in waiting}
    return waiting


def _tell(user: int, video: UUID, waiting: set[tuple[str, int]]) -> None:
    spans: Spans = []
    for folder, number in sorted(waiting):
        starts = _starts_of(folder)
        if number + 1 < len(starts):
            spans.append((int(starts[number]), round(starts[number + 1])))
    _report(user, video, spans)


def _report(user: int, video: UUID, spans: Spans) -> None:
    """A failure to write down must not stop the video."""
    for report in _reports:
        try:
            with transaction.atomic():
                report(user, video, spans)
        except DatabaseError:
            log.exception("What user %s was handed out of video %s was not recorded", user, video)


def _starts_of(folder: str) -> list[float]:
    """Where each segment of a rendition begins, and where the last one ends, in seconds."""
    known = _starts.get(folder)
    if known is None:
        # Segments exist before their playlist while a video is encoded.
        with suppress(FileNotFoundError), open_stored(f"{folder}/index.m3u8") as playlist:
            lines = playlist.read().decode().splitlines()
            lengths = [float(line[8:].split(",")[0]) for line in lines if line.startswith("#EXTINF:")]
            found = list(accumulate(lengths, initial=0.0))
            return _starts.put(folder, found) if "#EXT-X-ENDLIST" in lines else found
    return known or [0.0]
