"""Don't ask a provider that fails: after repeated failures all processes leave it alone, then one of them tries again.

The state is in the cache: shared through Redis, otherwise of the one web process. Without the cache nothing is blocked.
"""

import logging
import time

from django.core.cache import cache
from redis.exceptions import RedisError

FAILURES = 4
"""So many failures within :data:`PERIOD` seconds open the breaker."""
PERIOD = 60
REST = 15
"""Seconds for which an open breaker blocks; as long as pages wait before they ask again (``TutorUnavailable``)."""
LONGEST_REST = 300
PROBE = 60
"""Seconds after which a request that was let through to try is given up, and the next one tries."""
_MEMORY = 3600  # seconds after which a provider that nobody has asked since is taken as sound

_FAILED, _BROKEN, _UNTIL, _PROBE = (f"tutor.breaker.{name}" for name in ("failed", "broken", "until", "probe"))
_LOST = (OSError, RedisError)

log = logging.getLogger(__name__)


def admit() -> float:
    """Return 0 if the provider may be asked now, otherwise the seconds after which to ask again.

    While the breaker is half-open only one request is let through; it must end in ``answering``, ``failed`` or
    ``released``.
    """
    try:
        left = seconds_left()
        if left or not cache.get(_BROKEN):
            return left
        return 0 if cache.add(_PROBE, 1, PROBE) else float(REST)
    except _LOST:
        return 0


def seconds_left() -> float:
    """Return for how many seconds the provider is left alone; 0 if it may be asked."""
    try:
        return max(0.0, float(cache.get(_UNTIL) or 0) - time.time())
    except _LOST:
        return 0


def answering() -> None:
    """Note that the provider has begun to answer."""
    try:
        if cache.get(_BROKEN):
            log.warning("The tutor's provider answers again.")
            cache.delete_many([_BROKEN, _PROBE, _UNTIL, _FAILED])
    except _LOST:
        return


def succeeded() -> None:
    """Note that the provider has answered to the end."""
    try:
        cache.delete(_FAILED)
    except _LOST:
        return


def released() -> None:
    """Note that a request was given up before the provider answered: it proves nothing."""
    try:
        cache.delete(_PROBE)
    except _LOST:
        return


def failed(rest: float | None = None) -> None:
    """Note a failure. ``rest``: the seconds for which the provider asked to be left alone."""
    try:
        cache.add(_FAILED, 0, PERIOD)
        try:
            count = cache.incr(_FAILED)
        except ValueError:  # it expired just now
            count = 1
        if rest or count >= FAILURES or cache.get(_BROKEN):
            seconds = min(rest or REST, LONGEST_REST)
            cache.set(_BROKEN, 1, _MEMORY)
            cache.set(_UNTIL, time.time() + seconds, seconds)
            cache.delete(_PROBE)
            log.warning("The tutor's provider failed %s times; it rests for %s seconds.", count, round(seconds))
    except _LOST:
        return
