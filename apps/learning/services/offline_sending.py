"""Who sends what was done without a connection, and what became of it."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Min, Sum

from apps.accounts.models import User
from apps.learning.activity.offline_clock import Window
from apps.learning.activity.watching import MAX_SPEED
from apps.learning.errors import OfflineDeviceRemoved
from apps.learning.models import OfflineDevice
from studyplatform.kit.errors import AppError

TAKEN, REFUSED, LATER = "taken", "refused", "later"


@dataclass(frozen=True, kw_only=True)
class Sending:
    """A learner's device that sends what was done on it, and when. ``zone`` is the learner's time zone."""

    user: User
    device: OfflineDevice
    zone: str
    now: datetime

    @property
    def window(self) -> Window:
        return Window(since=self.device.created_at, now=self.now)

    def day_moment(self, at: datetime) -> datetime | None:
        """Return at which moment something counts for the learner's days; None: now, as the clock was wrong."""
        return min(at, self.now) if self.window.trusts(at) else None

    def lock_device(self) -> OfflineDevice:
        """Return the device as it is now, locked: what it did is counted one after the other. Needs a transaction.

        :raises OfflineDeviceRemoved: it was removed meanwhile.
        """
        locked = OfflineDevice.objects.select_for_update().filter(pk=self.device.pk).first()
        if locked is None:
            raise OfflineDeviceRemoved
        return locked

    def read_seconds_left(self) -> int:
        """Return how many more seconds of lessons the learner can have watched since their first device is known.

        All devices together: nobody watches on ten at a time. Needs the lock of the learner's time. One query.
        """
        devices = OfflineDevice.objects.filter(user=self.user)
        since, watched = devices.aggregate(since=Min("created_at"), watched=Sum("watched_seconds")).values()
        age = (self.now - (since or self.now)).total_seconds()
        return max(0, int(age * MAX_SPEED) - (watched or 0))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a change. ``wait``: seconds after which it is sent again, if it was not taken yet."""

    state: str = TAKEN
    refusal: dict[str, str] | None = None
    wait: int = 0
    percent: int | None = None
    is_passed: bool | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored and answered."""
        return asdict(self)

    @classmethod
    def refused(cls, error: AppError, **marked: Any) -> "Outcome":
        """Return that a change was refused, for good."""
        return cls(state=REFUSED, refusal=describe(error), **marked)

    @classmethod
    def later(cls, error: AppError, wait: int) -> "Outcome":
        """Return that nothing was changed, and that the change is to be sent again after the wait in seconds."""
        return cls(state=LATER, refusal=describe(error), wait=wait)


def describe(error: AppError) -> dict[str, str]:
    """Return the shape ``RefusalOut``."""
    return {"code": error.code, "title": str(error.title), "message": error.detail}
