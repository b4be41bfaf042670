"""Who earned from courses at each moment: the instructor of that time, and co-instructors with a share.

Rows are kept when a share ends or a course changes hands, so the past can be asked for as well.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Q

from apps.courses.models import Course, OwnershipOffer, RevenueShare
from apps.courses.services.people import WHOLE, gets_money

_Until = datetime | None


@dataclass(frozen=True)
class Earners:
    """Who earns from a course, in times that begin and end: ``None`` stands for one that has not ended."""

    owners: list[tuple[int, _Until]]
    """Its instructors, the first one first, each until the course changed hands. The last has not ended."""
    shares: list[tuple[int, int, datetime, _Until]] = field(default_factory=list)
    """The id of a user, their percent of the instructor's part, and from when until when it was theirs."""

    def is_same_throughout(self, start: datetime, end: datetime) -> bool:
        """Return whether nothing changes within this time."""
        moments = {moment for _user, moment in self.owners}
        moments.update(moment for *_share, since, until in self.shares for moment in (since, until))
        return not any(moment is not None and start < moment < end for moment in moments)

    def weigh(self, start: datetime, end: datetime) -> dict[int, int]:
        """Return by user for how many percent of this time's microseconds what is earned is theirs.

        All together are 100 % of the time.
        """
        weights: dict[int, int] = defaultdict(int)
        moments = {start, end, *(until for _user, until in self.owners if until)}
        moments.update(moment for *_share, since, until in self.shares for moment in (since, until) if moment)
        times = sorted(moment for moment in moments if start <= moment <= end)
        for begin, finish in pairwise(times):
            length = (finish - begin) // timedelta(microseconds=1)
            for user, percent in self.percents_at(begin).items():
                weights[user] += percent * length
        return dict(weights)

    def percents_at(self, moment: datetime) -> dict[int, int]:
        """Return by user what percent of what is earned at a moment is theirs; the instructor of that time comes first.

        A change holds from its own moment on.
        """
        owner = next(user for user, until in self.owners if until is None or until > moment)
        found: dict[int, int] = {}
        for user, percent, since, until in self.shares:
            if user != owner and since <= moment and (until is None or until > moment):
                found[user] = found.get(user, 0) + percent
        return {owner: WHOLE - sum(found.values()), **found}


def earners_of(courses: Collection[int], *, since: datetime) -> dict[int, Earners]:
    """Return who earned from courses, by their ids, from a moment until now. Three queries.

    Who may not teach, isn't verified or is blocked now has no share: it is the instructor's.
    """
    ids = list(courses)
    owners: dict[int, list[tuple[int, _Until]]] = defaultdict(list)
    handed = OwnershipOffer.objects.filter(course__in=ids, answered_at__gt=since).exclude(former_instructor=None)
    for course, former, moment in handed.order_by("answered_at", "pk").values_list(
        "course", "former_instructor", "answered_at"
    ):
        owners[course].append((former, moment))
    for pk, instructor in Course.objects.filter(pk__in=ids).order_by().values_list("pk", "instructor"):
        owners[pk].append((instructor, None))
    found = {pk: Earners(each) for pk, each in owners.items()}
    rows = RevenueShare.objects.select_related("user").filter(Q(until=None) | Q(until__gt=since), course__in=ids)
    for row in rows.order_by("pk"):
        if gets_money(row.user):
            found[row.course_id].shares.append((row.user_id, row.percent, row.since, row.until))
    return found
