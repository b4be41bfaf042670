"""Don't ask a provider that fails: after repeated failures all processes leave it alone, then one of them tries again.

The state is in the cache that all processes share. Without that cache nothing is blocked.
"""

import logging
import time

from django.conf import settings
from django.core.cache import caches
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

_LOST = (OSError, RedisError)

cache = caches[settings.CACHE_OF_ALL_PROCESSES]
log = logging.getLogger(__name__)


class Breaker:
    """One for each address. ``name`` says in the log what failed; ``key`` begins its keys in the cache."""

    def __init__(self, name: str, key: str) -> None:
        self._name = name
        self._failed, self._broken, self._until, self._probe, self._busy = (
            f"{key}.{state}" for state in ("failed", "broken", "until", "probe", "busy")
        )

    def admit(self) -> float:
        """Return 0 if the provider may be asked now, otherwise the seconds after which to ask again.

        While the breaker is half-open only one request is let through; it must end in ``answering``, ``failed`` or
        ``released``.
        """
        try:
            left = self.seconds_left()
            if left or not cache.get(self._broken):
                return left
            return 0 if cache.add(self._probe, 1, PROBE) else float(REST)
        except _LOST:
            return 0

    def seconds_left(self) -> float:
        """Return for how many seconds the provider is left alone; 0 if it may be asked."""
        try:
            return max(0.0, float(cache.get(self._until) or 0) - time.time())
        except _LOST:
            return 0

    def is_busy(self) -> bool:
        """Return whether the provider is left alone because it said that it has too many requests."""
        try:
            return bool(cache.get(self._busy))
        except _LOST:
            return False

    def answering(self) -> None:
        """Note that the provider has begun to answer."""
        try:
            if cache.get(self._broken):
                log.warning("The tutor's %s answers again.", self._name)
                cache.delete_many([self._broken, self._probe, self._until, self._failed, self._busy])
        except _LOST:
            return

    def succeeded(self) -> None:
        """Note that the provider has answered to the end."""
        try:
            cache.delete(self._failed)
        except _LOST:
            return

    def released(self) -> None:
        """Note that a request was given up before the provider answered: it proves nothing."""
        try:
            cache.delete(self._probe)
        except _LOST:
            return

    def failed(self, rest: float | None = None, *, is_busy: bool = False) -> None:
        """Note a failure.

        ``rest``: the seconds for which the provider asked to be left alone. ``is_busy``: it has too many requests.
        """
        try:
            cache.add(self._failed, 0, PERIOD)
            try:
                count = cache.incr(self._failed)
            except ValueError:  # it expired just now
                count = 1
            if rest or count >= FAILURES or cache.get(self._broken):
                seconds = min(rest or REST, LONGEST_REST)
                cache.set(self._broken, 1, _MEMORY)
                cache.set(self._until, time.time() + seconds, seconds)
                if is_busy:
                    cache.set(self._busy, 1, seconds)
                else:
                    cache.delete(self._busy)
                cache.delete(self._probe)
                log.warning(
                    "The tutor's %s failed %s times; it rests for %s seconds.", self._name, count, round(seconds)
                )
        except _LOST:
            return


_model = Breaker("provider", "tutor.breaker")
admit, seconds_left, answering = _model.admit, _model.seconds_left, _model.answering
succeeded, released, failed, is_busy = _model.succeeded, _model.released, _model.failed, _model.is_busy
