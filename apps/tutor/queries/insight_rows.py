"""What :mod:`apps.tutor.queries.insight` reads of questions, for all courses at once.

Nothing here depends on what an instructor chose to see, apart from the courses.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from apps.accounts.models import Role, User
from apps.courses.models import CoInstructor, Course
from apps.learning.models import Enrollment
from apps.tutor.insight import Asked, Group, group, words_of
from apps.tutor.models import Answer, Exchange, Mode

LONGEST_PERIOD = 90
"""Days."""
MOST_READ = 20_000
"""Questions of a course that are grouped, the newest."""
_ASKED = [Mode.ASK, Mode.EXPLAIN, Mode.HINT]


class OfCourse(NamedTuple):
    """A group with the course whose group it is."""

    course: int
    group: Group


def asked_about(courses: Iterable[int], now: datetime) -> dict[int, list[Asked]]:
    """Return the questions of enrolled learners about each course, in their order. One query.

    Without deleted chats and refused questions. They begin with the half-year of the longest period, so that groups
    don't change from day to day; of each course the newest :data:`MOST_READ`.
    """
    first = now - timedelta(days=LONGEST_PERIOD)
    begin = datetime(first.year, 1 if first.month < 7 else 7, 1, tzinfo=UTC)
    about, by = OuterRef("about"), OuterRef("user")
    answered = Answer.objects.filter(exchange=OuterRef("pk"))
    newest = Window(RowNumber(), partition_by="about", order_by=["-created_at", "-pk"])
    rows = (
        Exchange.objects.annotate(about=Coalesce("lesson__course", "chat__course"))
        .filter(Q(lesson__course__in=courses) | Q(lesson=None, chat__course__in=courses))
        .filter(chat__deleted_at=None, mode__in=_ASKED, created_at__gte=begin, created_at__lte=now)
        .filter(Exists(answered.filter(state=Answer.State.FINISHED)))
        .exclude(Exists(answered.filter(kind=Answer.Kind.FILTERED)))
        .filter(Exists(Enrollment.objects.active().filter(course=about, user=by)))
        .exclude(Exists(Course.objects.filter(pk=about, instructor=by)))
        .exclude(Exists(CoInstructor.objects.active().filter(course=about, user=by)))
        .exclude(user__role=Role.ADMIN)
        .annotate(rank=newest)
        .filter(rank__lte=MOST_READ)
        .order_by("created_at", "pk")
        .values_list("about", "pk", "user_id", "lesson_id", "created_at")
    )
    found = defaultdict[int, list[Asked]](list)
    for course, exchange, learner, lesson, at in rows:
        found[course].append(Asked(exchange, learner, lesson, at))
    return found


def names_in(asked: dict[int, list[Asked]], groups: Iterable[OfCourse]) -> dict[int, frozenset[str]]:
    """Return the words of the names of all whose questions may be read, by course. One query."""
    readable = defaultdict[int, set[int]](set)
    for course, one in groups:
        readable[course].update(one.exchanges)
    learners = {
        course: {row.learner for row in asked[course] if row.exchange in exchanges}
        for course, exchanges in readable.items()
    }
    rows = User.objects.filter(pk__in=set[int]().union(*learners.values()))
    words = {pk: words_of(names) for pk, *names in rows.values_list("pk", "first_name", "last_name", "username")}
    none = frozenset[str]()
    return {course: none.union(*(words.get(pk, none) for pk in found)) for course, found in learners.items()}


def newest_answers(pks: Iterable[int]) -> dict[int, Answer]:
    """Return the newest answer of each of these exchanges. One query."""
    newest = Answer.objects.filter(exchange=OuterRef("exchange")).order_by("-number").values("number")[:1]
    rows = Answer.objects.filter(exchange__in=pks, number=Subquery(newest))
    return {row.exchange_id: row for row in rows}


def share_of_helpful(asked: dict[int, list[Asked]], is_chosen: Callable[[Group], bool]) -> int | None:
    """Return the share of helpful ratings, in groups of ratings of at least five learners. One query.

    Those who asked are more than those who rated: by groups of questions, two choices could differ by one rating.
    """
    about = Q(exchange__lesson__course__in=asked) | Q(exchange__lesson=None, exchange__chat__course__in=asked)
    rows = Answer.objects.filter(about, rating__isnull=False, state=Answer.State.FINISHED).order_by("number")
    ratings = dict(rows.values_list("exchange", "rating"))
    groups = [one for rows in asked.values() for one in group(row for row in rows if row.exchange in ratings)]
    counted = [ratings[exchange] for one in groups if is_chosen(one) for exchange in one.exchanges]
    return round(100 * counted.count(1) / len(counted)) if counted else None
