"""Periods of days (UTC), and the period before one: no database here."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

MAX_PERIOD_DAYS = 3_660


@dataclass(frozen=True)
class Period:
    """The days from ``first`` to ``last``, both included."""

    first: date
    last: date

    def __post_init__(self) -> None:
        """:raises ValueError: it ends before it begins, or is longer than ten years."""
        if not 0 < self.days <= MAX_PERIOD_DAYS:
            raise ValueError(f"{self.first} to {self.last} is no period.")

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def before(self) -> "Period":
        """The period of as many days that ends the day before."""
        return Period(self.first - timedelta(days=self.days), self.first - timedelta(days=1))

    @property
    def begins_at(self) -> datetime:
        return datetime.combine(self.first, datetime.min.time(), tzinfo=UTC)

    @property
    def ends_at(self) -> datetime:
        """The moment after its last day."""
        return datetime.combine(self.last + timedelta(days=1), datetime.min.time(), tzinfo=UTC)


def last_days(days: int, *, now: datetime) -> Period:
    """Return the last so many days, today included."""
    today = now.astimezone(UTC).date()
    return Period(today - timedelta(days=days - 1), today)
