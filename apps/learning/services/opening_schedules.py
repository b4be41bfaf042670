"""When lessons open, observed: what a changed date, or a course that is public again, has opened for whom."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from django.db import transaction
from django.db.models import Q

from apps.courses.models import Course, Lesson
from apps.courses.queries.openings import opening_moment
from apps.learning.models import OpeningCheck, OpeningSchedule

MAX_LATENESS = timedelta(days=2)  # what opened before is not announced any longer, after workers were down
PUBLIC = (Course.Status.PUBLISHED, Course.Status.ARCHIVED)


@dataclass(frozen=True)
class Schedule:
    """On which date, or how many days after enrollment a lesson opens; neither, if it is open to everyone enrolled."""

    opens_at: datetime | None = None
    opens_after_days: int | None = None

    @classmethod
    def of(cls, opens_at: datetime | None, opens_after_days: int | None, *, is_preview: bool) -> Self:
        """Return the schedule of a lesson with these fields. A preview is open whatever its date is."""
        return cls() if is_preview else cls(opens_at, opens_after_days or None)

    def moment_for(self, enrolled_at: datetime) -> datetime | None:
        """Return when the lesson opens, or opened, for a learner; None if it is open to everyone enrolled."""
        return opening_moment(self.opens_at, self.opens_after_days, enrolled_at)


def find_moment(observed: OpeningSchedule, enrolled_at: datetime) -> datetime | None:
    """Return when a lesson opens, or opened, for a learner: by its schedule, or by the last change of it.

    None if it was open to everyone enrolled, before a change of its schedule too.
    """
    moment = Schedule(observed.opens_at, observed.opens_after_days).moment_for(enrolled_at)
    if observed.changed_at is None or observed.seen_until is None:
        return moment
    if moment is not None and moment > observed.changed_at:
        return moment
    former = Schedule(observed.former_opens_at, observed.former_opens_after_days).moment_for(enrolled_at)
    if former is None or former <= max(observed.seen_until, enrolled_at):
        return former
    return observed.changed_at


def observe_schedules(*, now: datetime) -> None:
    """Remember when lessons open, and which of it was changed since the last check. Idempotent. At most six queries."""
    with transaction.atomic():
        check = OpeningCheck.objects.select_for_update().get(pk=OpeningCheck.ONLY_PK)
        observed = {row.lesson_id: row for row in OpeningSchedule.objects.all()}
        is_known = Q(opens_at__isnull=False) | Q(opens_after_days__gt=0) | Q(opening_schedule__isnull=False)
        present: dict[int, Schedule] = {}
        hidden: set[int] = set()
        columns = ("pk", "opens_at", "opens_after_days", "is_preview", "course__status")
        for pk, opens_at, days, is_preview, status in Lesson.objects.filter(is_known).values_list(*columns):
            present[pk] = Schedule.of(opens_at, days, is_preview=is_preview)
            if status not in PUBLIC:
                hidden.add(pk)
        fresh = [
            _row_of(pk, schedule, hidden_since=now if pk in hidden else None)
            for pk, schedule in present.items()
            if pk not in observed and schedule != Schedule()
        ]
        OpeningSchedule.objects.bulk_create(fresh, batch_size=500, ignore_conflicts=True)
        changed = [
            row
            for pk, row in observed.items()
            if _observe(row, None if pk in hidden else present.get(pk), seen_until=check.checked_until, now=now)
        ]
        OpeningSchedule.objects.bulk_update(changed, _OBSERVED, batch_size=200)
        opened = OpeningSchedule.objects.filter(opens_at=None, opens_after_days=None, hidden_since=None)
        opened.filter(changed_at__lt=min(now - MAX_LATENESS, check.checked_until)).delete()


def observe_new_lesson(lesson: Lesson, *, now: datetime) -> OpeningSchedule:
    """Return when a lesson opens, with what was changed since the last check, which notices it itself.

    If it opens later for someone, it is remembered, so that a change of the date is noticed.
    """
    schedule = Schedule.of(lesson.opens_at, lesson.opens_after_days, is_preview=lesson.is_preview)
    row = OpeningSchedule.objects.filter(lesson=lesson).first()
    if row is None:
        row = _row_of(lesson.pk, schedule)
        if schedule != Schedule():
            OpeningSchedule.objects.bulk_create([row], ignore_conflicts=True)
    check = OpeningCheck.objects.filter(pk=OpeningCheck.ONLY_PK).first()
    _observe(row, schedule, seen_until=check.checked_until if check else now, now=now)
    return row


def _row_of(lesson: int, schedule: Schedule, hidden_since: datetime | None = None) -> OpeningSchedule:
    days = schedule.opens_after_days
    return OpeningSchedule(
        lesson_id=lesson, opens_at=schedule.opens_at, opens_after_days=days, hidden_since=hidden_since
    )


_OBSERVED = (
    "opens_at",
    "opens_after_days",
    "former_opens_at",
    "former_opens_after_days",
    "seen_until",
    "changed_at",
    "hidden_since",
)


def _observe(row: OpeningSchedule, present: Schedule | None, *, seen_until: datetime, now: datetime) -> bool:
    """Take the present schedule over; None if nobody can see the lesson. Returns whether anything changed."""
    if present is None:
        if row.hidden_since is not None:
            return False
        row.hidden_since = seen_until
        return True
    was = Schedule(row.opens_at, row.opens_after_days)
    if was == present and row.hidden_since is None:
        return False
    # What was noticed since the last check has not been announced yet: it is compared with what was before it.
    if row.changed_at is None or row.changed_at <= seen_until:
        row.former_opens_at, row.former_opens_after_days = was.opens_at, was.opens_after_days
        row.seen_until, row.changed_at = row.hidden_since or seen_until, now
    row.opens_at, row.opens_after_days, row.hidden_since = present.opens_at, present.opens_after_days, None
    return True
