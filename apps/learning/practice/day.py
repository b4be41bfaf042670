"""How much a learner practices in a day. The day is that of the learner's own time zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

NEW_PER_DAY = 10  # cards that are asked for the first time
REVIEWS_PER_DAY = 50  # cards that return
SECONDS_PER_CARD = 25
AHEAD = timedelta(minutes=20)  # a card that was just missed may return this much earlier, to end the session
MOST_OWN_CARDS = 2_000  # flash cards of one learner


def day_of(now: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return when the learner's present day began and when it ends, in UTC. It may have 23 or 25 hours."""
    today = now.astimezone(zone).date()
    start, end = (datetime.combine(one, time(), zone) for one in (today, today + timedelta(days=1)))
    return start.astimezone(UTC), end.astimezone(UTC)


@dataclass(frozen=True, kw_only=True)
class Load:
    """The cards that are due, before the limits of the day: new ones, returning ones, and those missed today."""

    new: int
    returning: int
    missed: int
    new_done: int = 0
    returning_done: int = 0

    @property
    def new_left(self) -> int:
        return max(0, min(self.new, NEW_PER_DAY - self.new_done))

    @property
    def returning_left(self) -> int:
        return max(0, min(self.returning, REVIEWS_PER_DAY - self.returning_done))

    @property
    def left(self) -> int:
        """How many cards are left to practice today."""
        return self.new_left + self.returning_left + self.missed

    @property
    def postponed(self) -> tuple[int, int]:
        """How many new and returning cards the limits of today leave for later."""
        return max(0, self.new - self.new_left), max(0, self.returning - self.returning_left)

    @property
    def minutes(self) -> int:
        """About how long they take, in minutes, rounded up."""
        return -(-self.left * SECONDS_PER_CARD // 60)
