"""Which parts of a video were handed out to a user: what was fetched cannot be taken back.

The browser fetches a video in segments of a few seconds, each of which would cost a write. So a process remembers the
segments of a user and a video, and reports them in growing groups: after 1, 2, 4, 8 segments, then after every tenth,
and when the user opens another video. What it has not reported stands in the cache that all processes share, where
the process that is asked finds it, whichever served it, for :data:`UNREPORTED_SECONDS`.
"""

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Lock
from uuid import UUID

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, transaction
from redis.exceptions import RedisError

from apps.files.storage import open_stored
from studyplatform.kit.caching.lru import LruCache

log = logging.getLogger(__name__)

Spans = list[tuple[int, int]]
Report = Callable[[int, UUID, Spans], None]
"""Called with a user's id, a video's uid, and the [from, to) pairs of whole seconds that were handed out."""

MAX_UNREPORTED_SEGMENTS = 10
MAX_PROCESSES = 16  # that serve parts of a video to the same user at the same time, and have not reported them
UNREPORTED_SECONDS = 30 * 86400
_KEYS_AT_ONCE = 2000
_LOST = (OSError, RedisError)
# Without Redis one process serves all, and the cache is a folder, which is too slow for what is written this often.
_shared = caches[settings.CACHE_OF_ALL_PROCESSES] if settings.CACHE_OF_ALL_PROCESSES == "default" else None
_MAX_REMEMBERED = 10_000  # pairs of a user and a video
_reports: list[Report] = []


@dataclass
class _Served:
    reported: set[int] = field(default_factory=set)
    waiting: set[tuple[str, int]] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)
    slot: int | None = None  # of this process among those that have parts of the video to report


_served: LruCache[_Served] = LruCache(_MAX_REMEMBERED)
_last_videos: LruCache[UUID] = LruCache(_MAX_REMEMBERED)  # by user
_starts: LruCache[list[float]] = LruCache(1000)
_creating = Lock()


def register_report(report: Report) -> Report:
    """Register what an app does with the parts of videos that were handed out."""
    _reports.append(report)
    return report


def record_segment(user: int, video: UUID, folder: str, number: int) -> None:
    """Note that a segment of a rendition was handed out to a user; now and then, report what was noted."""
    if _served.get((user, video)) is None:  # not at each change between two that are played at the same time
        former = _last_videos.get(user)
        _last_videos.put(user, video)
        if former is not None and former != video:
            _report_own(user, former)
    served = _of(user, video)
    with served.lock:
        if number in served.reported:
            return
        served.waiting.add((folder, number))
        is_full = len(served.waiting) >= min(MAX_UNREPORTED_SEGMENTS, max(1, len(served.reported)))
        if not is_full:
            _share(user, video, served)
            return
        waiting = _take(served)
    _tell(user, video, waiting)
    with served.lock:  # only now: if the process is killed before, others still see what it had to report
        _share(user, video, served)


def record_sound(user: int, video: UUID, directory: str, begin: float, end: float) -> None:
    """Note that a part of a video's sound was handed out as one file. ``begin``, ``end``: shares of the file."""
    length = _starts_of(f"{directory}/audio")[-1]
    _report(user, video, [(int(begin * length), round(end * length))])


def report_served(pairs: Collection[tuple[int, UUID]]) -> None:
    """Report what all processes have noted of users and videos, before somebody asks how much it is."""
    for user, video in pairs:
        _report_own(user, video)
    if _shared is None:
        return
    keys = [(_key(user, video, slot), user, video) for user, video in pairs for slot in range(MAX_PROCESSES)]
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = keys[start : start + _KEYS_AT_ONCE]
        try:
            found = _shared.get_many([key for key, _user, _video in part])
        except _LOST:
            log.warning("What other processes served of videos could not be read.", exc_info=True)
            return
        for key, user, video in part:
            if waiting := found.get(key):
                _tell(user, video, set(waiting))


def _report_own(user: int, video: UUID) -> None:
    served = _served.get((user, video))
    if served is not None:
        with served.lock:
            waiting = _take(served)
        if waiting:
            _tell(user, video, waiting)
            with served.lock:
                _share(user, video, served)


def _key(user: int, video: UUID, slot: int) -> str:
    return f"served.{user}.{video.hex}.{slot}"


def _share(user: int, video: UUID, served: _Served) -> None:
    """Let other processes see what this one has to report: one write to the cache. Without it the video still plays."""
    if _shared is None:
        return
    waiting = sorted(served.waiting)
    try:
        if served.slot is not None and waiting:
            _shared.set(_key(user, video, served.slot), waiting, UNREPORTED_SECONDS)
        elif served.slot is not None:
            _shared.delete(_key(user, video, served.slot))
            served.slot = None
        elif waiting:
            slots = (
                slot
                for slot in range(MAX_PROCESSES)
                if _shared.add(_key(user, video, slot), waiting, UNREPORTED_SECONDS)
            )
            served.slot = next(slots, None)
    except _LOST:
        log.warning("What was served of a video could not be shared.", exc_info=True)


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
