"""How many different people were active on each day, and in the 30 days that end with it: no database here."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

WINDOW = 30  # days

Key = TypeVar("Key", bound=Hashable)


class ActiveDay(NamedTuple):
    """That somebody was active in a course on a day, as ``date.toordinal`` numbers it. Users and courses by key."""

    user: int
    day: int
    course: int


@dataclass
class Actives(Generic[Key]):
    """The people of one key (a course, or somebody's courses together), by day."""

    on_day: Counter[int] = field(default_factory=Counter)
    change: Counter[int] = field(default_factory=Counter)
    """By how many more the window of a day has than that of the day before."""

    def add(self, day: int, before: int | None) -> None:
        """Count one more person on a day; ``before`` is the last day on which they were counted, if any."""
        self.on_day[day] += 1
        self.change[day + WINDOW] -= 1
        if before is None or day >= before + WINDOW:
            self.change[day] += 1
        else:  # still within the window of the day before: it lasts longer
            self.change[before + WINDOW] += 1

    def within(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """Yield the days that have somebody: the day, who was active on it, who was in the window that ends with it."""
        present, days = 0, sorted(self.change)
        for day, following in zip(days, [*days[1:], last + 1], strict=True):
            present += self.change[day]
            if present:
                for each in range(max(day, first), min(following, last + 1)):
                    yield each, self.on_day[each], present


def count_actives(rows: Iterable[ActiveDay], keys_of: Mapping[int, Sequence[Key]]) -> dict[Key, Actives[Key]]:
    """Count the people of each key.

    :param rows: in the order of users, and of each user in the order of days. For right windows they begin 29 days
        before the first day that is asked for.
    :param keys_of: to which keys a course belongs. Who is active in two courses of a key counts once.
    """
    found: dict[Key, Actives[Key]] = {}
    user: int | None = None
    last: dict[Key, int] = {}
    for row in rows:
        if row.user != user:
            user, last = row.user, {}
        for key in keys_of.get(row.course, ()):
            before = last.get(key)
            if before == row.day:
                continue
            last[key] = row.day
            if key not in found:
                found[key] = Actives()
            found[key].add(row.day, before)
    return found
