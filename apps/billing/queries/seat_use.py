"""How the seats of a team are used: courses, hours and when their holders were last seen; never more.

What counts is what a holder learned on days on which they had a seat of the team, in courses that a seat of the team
opened to them. What they learn on their own account is nobody's business. A seat of Premium also opens again what an
earlier subscription or another team had opened: these courses are shown once the holder learns there with the seat.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import TruncWeek

from apps.billing import extensions
from apps.billing.models import Grant, Seat, SeatPack, SeatUse, Team
from apps.courses.models import Course

RECENT_DAYS = 30
UNUSED_DAYS = 14
"""After how many days without a lesson a seat counts as not used."""
WEEKS_IN_CHART = 6


@dataclass
class CourseUse:
    """What a holder did in one course with their seat. ``seconds``: of the last 30 days."""

    course: Course
    seconds: int = 0
    seen_at: datetime | None = None


@dataclass
class Use:
    """What a holder did with a seat, by course."""

    courses: list[CourseUse] = field(default_factory=list)

    @property
    def seconds(self) -> int:
        return sum(each.seconds for each in self.courses)

    @property
    def seen_at(self) -> datetime | None:
        return max((each.seen_at for each in self.courses if each.seen_at), default=None)


@dataclass(frozen=True)
class Week:
    """``seconds`` that a team learned in the week that begins on this Monday (UTC)."""

    monday: date
    seconds: int

    @property
    def hours(self) -> float:
        """Rounded: to tenths below ten hours."""
        hours = self.seconds / 3600
        return round(hours, 1) if hours < 10 else round(hours)


def use_of(team: Team, seats: Collection[Seat], *, now: datetime) -> dict[int, Use]:
    """Return what the holders of these seats did with them, by the key of the seat. Four queries."""
    found = {seat.pk: Use() for seat in seats}
    holders = {seat.holder_id for seat in seats if seat.holder_id is not None}
    if not holders:
        return found
    granted = _grants(team, seats, holders)
    opened = {seat.pk: _courses_of(seat, grants) for seat, grants in granted}
    private = {
        seat.holder_id: {one.course_id for one in grants if getattr(one, "is_private", False)}
        for seat, grants in granted
    }
    courses = {course.pk for each in opened.values() for course, _since in each.values()}
    periods = _periods(team, holders)
    days, visits = _days(holders, courses, now), _visits(holders, courses)
    for seat in seats:
        mine = periods[seat.holder_id]
        for course, since in opened.get(seat.pk, {}).values():
            own = [(max(start, since) if since else start, end) for start, end in mine]
            learned = days[seat.holder_id, course.pk]
            seen = visits.get((seat.holder_id, course.pk))
            is_own = seen is not None and any(start <= seen for start, _end in own)
            seconds = sum(count for day, count in learned if any(_has_day(period, day) for period in own))
            if course.pk in private[seat.holder_id] and not seconds and not is_own:
                continue
            found[seat.pk].courses.append(CourseUse(course, seconds, seen if is_own else None))
    return found


_Period = tuple[datetime, datetime | None]
_Pair = tuple[int | None, int]
_Opened = dict[int, tuple[Course, datetime | None]]
"""Courses by their keys, and since when a seat opens them; None: since it was assigned."""


def _grants_by_seats(team: Team) -> QuerySet[Grant]:
    """The grants by which seats of the team open courses at present.

    A course that someone opened by a subscription of their own is the seat's from the day on which that ended.
    """
    own = Q(seat=None, source=Grant.Source.PREMIUM, subscription__ended_at__isnull=False)
    return Grant.objects.active().filter(Q(seat__pack__team=team) | own)


def _grants(team: Team, seats: Collection[Seat], holders: Collection[int]) -> list[tuple[Seat, list[Grant]]]:
    """``is_private`` of a grant: the holder had opened its course before, without this team."""
    of: dict[int | None, list[Grant]] = defaultdict(list)
    before = Grant.objects.filter(user=OuterRef("user"), course=OuterRef("course"), pk__lte=OuterRef("pk"))
    by_others = before.filter(source=Grant.Source.PREMIUM).exclude(seat__pack__team=team)
    rows = _grants_by_seats(team).filter(user__in=holders).select_related("course", "subscription")
    rows = rows.annotate(is_private=Exists(by_others))
    for grant in rows.order_by("course__title", "pk"):
        of[grant.user_id].append(grant)
    return [(seat, of[seat.holder_id]) for seat in seats if seat.holder_id is not None]


def _courses_of(seat: Seat, grants: list[Grant]) -> _Opened:
    """The courses that a seat opens to its holder."""
    course = seat.pack.course_id
    if course is not None:
        return {one.course_id: (one.course, None) for one in grants if one.course_id == course}
    by_premium = [one for one in grants if one.source == Grant.Source.PREMIUM]
    since = {one.course_id: one.subscription.ended_at if one.subscription else None for one in by_premium}
    return {one.course_id: (one.course, since[one.course_id]) for one in by_premium}


def _periods(team: Team, holders: Collection[int]) -> dict[int | None, list[_Period]]:
    """From when until when each holder had a seat of the team."""
    found: dict[int | None, list[_Period]] = defaultdict(list)
    uses = SeatUse.objects.filter(seat__pack__team=team, user__in=holders)
    for user, start, end in uses.values_list("user_id", "started_at", "ended_at"):
        found[user].append((start, end))
    return found


def _days(holders: Collection[int], courses: Collection[int], now: datetime) -> dict[_Pair, list[tuple[date, int]]]:
    today = now.astimezone(UTC).date()
    (source,) = extensions.learning_figures.ordered()
    rows = source.days(today - timedelta(days=RECENT_DAYS - 1), today + timedelta(days=1))
    found: dict[_Pair, list[tuple[date, int]]] = defaultdict(list)
    mine = rows.filter(user__in=holders, course__in=courses)
    for user, course, day, learned in mine.values_list("user_id", "course_id", "day", "learned"):
        found[user, course].append((day, learned))
    return found


def _has_day(period: _Period, day: date) -> bool:
    start, end = period
    return start.astimezone(UTC).date() <= day and (end is None or day <= end.astimezone(UTC).date())


def _visits(holders: Collection[int], courses: Collection[int]) -> dict[_Pair, datetime]:
    (source,) = extensions.learning_figures.ordered()
    rows = source.visits().filter(user__in=holders, course__in=courses)
    last = rows.values("user", "course").annotate(last=Max("visited_at"))
    return {(user, course): at for user, course, at in last.values_list("user", "course", "last")}


def unused(seats: QuerySet[Seat], team: Team, *, now: datetime) -> QuerySet[Seat]:
    """Return those of the seats that were assigned more than 14 days ago, and whose holders opened no lesson in the
    courses of the team since then."""
    since = now - timedelta(days=UNUSED_DAYS)
    (source,) = extensions.learning_figures.ordered()
    opened = _grants_by_seats(team).filter(user=OuterRef("user"), course=OuterRef("course"))
    visited = source.visits().filter(user=OuterRef("holder"), visited_at__gte=since).filter(Exists(opened))
    return seats.filter(holder__isnull=False, assigned_at__lt=since).exclude(Exists(visited))


def weeks_of(team: Team, *, now: datetime) -> list[Week]:
    """Return the hours of the last weeks, the present one last, of all who had a seat then. One query."""
    today = now.astimezone(UTC).date()
    first = today - timedelta(days=today.weekday(), weeks=WEEKS_IN_CHART - 1)
    day = OuterRef("day")
    until_day = Q(ended_at=None) | Q(ended_at__date__gte=day)
    held = SeatUse.objects.filter(until_day, seat__pack__team=team, user=OuterRef("user"), started_at__date__lte=day)
    by_premium = held.filter(seat__pack__kind=SeatPack.Kind.PREMIUM)
    grants = Grant.objects.filter(
        until_day, user=OuterRef("user"), course=OuterRef("course"), created_at__date__lte=day
    )
    by_seat = grants.filter(seat__pack__team=team)
    own = grants.filter(seat=None, source=Grant.Source.PREMIUM, subscription__ended_at__date__lte=day)
    (source,) = extensions.learning_figures.ordered()
    rows = source.days(first, today + timedelta(days=1)).order_by()
    counting = rows.filter((Exists(held) & Exists(by_seat)) | (Exists(by_premium) & Exists(own)))
    by_week = counting.annotate(week=TruncWeek("day")).values("week").annotate(total=Sum("learned"))
    totals = {row["week"]: row["total"] for row in by_week}
    mondays = [first + timedelta(weeks=number) for number in range(WEEKS_IN_CHART)]
    return [Week(monday, totals.get(monday, 0)) for monday in mondays]
