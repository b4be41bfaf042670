"""Lists of learners: how many there are, which ones a filter shows, and what is written about each."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Count, F, Q, QuerySet
from django.db.models.expressions import OrderBy

from apps.accounts.models import User
from apps.accounts.queries.names import name_contains, order_by_name, words_of_name
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.filters import ACTIVE_WITHIN, NEW_FOR, LearnerFilter, Seen, Tab
from apps.learning.analytics.learners import minutes_per_day
from apps.learning.models import Enrollment, EnrollmentRollup

Risk = EnrollmentRollup.Risk
MAX_SEARCH_WORDS = 5
ROWS_PER_READ = 1_000
WEEK = timedelta(days=7)
_UNSHOWN = ("course__description", "course__outcomes", "last_lesson__body", "rollup__risk_lesson__body")


@dataclass(frozen=True)
class LearnerCounts:
    """How many enrollments of the courses each tab has; ``people`` and ``active_people`` are different people."""

    people: int
    active_people: int
    by_tab: dict[str, int]
    by_risk: dict[str, int]


@dataclass(frozen=True)
class LearnerRow:
    """One enrollment as a list shows it."""

    enrollment: Enrollment
    rollup: EnrollmentRollup | None
    """None until the next run of the job, for who has just enrolled."""
    minutes: tuple[int, ...]
    """Spent on each of the last 30 days (UTC), oldest first."""


def learners_in(courses: Collection[int]) -> QuerySet[Enrollment]:
    """Return the present enrollments of people whose account exists, in courses by primary key.

    The few deleted accounts are left out: a join with all the others would take longer than the rest of a count.
    """
    deleted = User.objects.filter(deleted_at__isnull=False).order_by().values("pk")
    return Enrollment.objects.active().filter(course__in=courses).exclude(user__in=deleted)


def count_learners(scope: Scope, now: datetime) -> LearnerCounts:
    """Count what the tabs of the list show. One query."""
    # In one course everybody has one enrollment: sorting them for different people is left out.
    several = len(scope.pks) > 1
    counted = learners_in(scope.pks).aggregate(
        people=Count("user", distinct=several),
        active_people=Count("user", distinct=several, filter=_is_active(now)),
        tab_all=Count("pk"),
        **{f"tab_{tab}": Count("pk", filter=_of_tab(tab, now)) for tab in Tab if tab != Tab.ALL},
        **{f"risk_{risk}": Count("pk", filter=Q(rollup__risk=risk)) for risk in Risk.values},
    )
    return LearnerCounts(
        people=counted["people"],
        active_people=counted["active_people"],
        by_tab={tab: counted[f"tab_{tab}"] for tab in Tab},
        by_risk={risk: counted[f"risk_{risk}"] for risk in Risk.values},
    )


def matching_learners(scope: Scope, wanted: LearnerFilter, now: datetime) -> QuerySet[Enrollment]:
    """Return the enrollments that a filter shows, in its order, with what a row needs.

    Of which courses, the scope says, not the filter.
    """
    rows = learners_in(scope.pks).filter(_of_tab(wanted.tab, now))
    if wanted.least > 0 or wanted.most < 100:
        rows = rows.filter(percent__range=(wanted.least, wanted.most))
    if wanted.seen:
        rows = rows.filter(_last_seen(wanted.seen, now))
    if wanted.risk:
        rows = rows.filter(rollup__risk=wanted.risk)
    for word in words_of_name(wanted.q, most=MAX_SEARCH_WORDS):
        rows = rows.filter(name_contains(word, "user__"))
    return _with_related(rows).order_by(*_order(wanted.sort))


def count_matching(counts: LearnerCounts, wanted: LearnerFilter) -> int | None:
    """Return how many enrollments a filter shows, if the tabs say it."""
    return None if wanted.is_narrowed else counts.by_tab[wanted.tab]


def read_learners(pks: Sequence[int]) -> list[Enrollment]:
    """Read enrollments by primary key, in this order, with what a row needs. One query.

    The database sorts only the keys of a list: with all that a row needs, thousands of rows take several times as long.
    """
    found = _with_related(Enrollment.objects.filter(pk__in=pks)).in_bulk()
    return [found[pk] for pk in pks if pk in found]


def count_people(rows: QuerySet[Enrollment]) -> int:
    """Return how many different people the enrollments are of. One query."""
    people: int = rows.aggregate(people=Count("user", distinct=True))["people"]
    return people


def rows_of(enrollments: Collection[Enrollment], now: datetime) -> list[LearnerRow]:
    """Return the rows of a page of the list. One query."""
    minutes = minutes_per_day(enrollments, now.astimezone(UTC).date())
    return [LearnerRow(one, rollup_of(one), tuple(minutes[one.pk])) for one in enrollments]


def rollup_of(enrollment: Enrollment) -> EnrollmentRollup | None:
    """Return what the job counted of an enrollment that was read with its roll-up."""
    return getattr(enrollment, "rollup", None)


def iterate_learners(rows: QuerySet[Enrollment]) -> Iterator[Enrollment]:
    """Read all rows, a thousand at a time."""
    yield from rows.iterator(chunk_size=ROWS_PER_READ)


def _with_related(rows: QuerySet[Enrollment]) -> QuerySet[Enrollment]:
    return rows.select_related("user", "course", "rollup__risk_lesson", "last_lesson").defer(*_UNSHOWN)


def _is_active(now: datetime) -> Q:
    return Q(last_activity_at__gte=now - ACTIVE_WITHIN)


def _of_tab(tab: str, now: datetime) -> Q:
    match tab:
        case Tab.ACTIVE:
            return _is_active(now)
        case Tab.NEW:
            return Q(enrolled_at__gte=now - NEW_FOR)
        case Tab.AT_RISK:
            return Q(rollup__risk__in=Risk.values)
        case Tab.FINISHED:
            return Q(completed_at__isnull=False)
    return Q()


def _last_seen(seen: str, now: datetime) -> Q:
    since = now - (WEEK if seen == Seen.WEEK else ACTIVE_WITHIN)
    return Q(last_activity_at__lt=since) if seen == Seen.LONGER else Q(last_activity_at__gte=since)


def _order(sort: str) -> list[OrderBy | str]:
    """Return the order, with the primary key last, so that pages never share a row."""
    falls = sort.startswith("-")
    if sort in {"seen", "-seen"}:
        return ["last_activity_at", "pk"] if falls else ["-last_activity_at", "-pk"]
    if sort in {"name", "-name"}:
        return [*order_by_name("user__", falls=falls), "pk"]
    field = F({"progress": "percent", "quizzes": "rollup__quiz_percent", "time": "rollup__seconds"}[sort.lstrip("-")])
    return [field.desc(nulls_last=True) if falls else field.asc(nulls_last=True), "pk"]
