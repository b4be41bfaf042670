"""What learners ask the tutor about a course, for those who teach it. See :mod:`apps.tutor.insight`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from django.db.models import Count, F, Max, OuterRef, Q, Subquery

from apps.accounts.models import Role
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from apps.learning.queries.addresses import lesson_url
from apps.tutor.insight import LEAST_LEARNERS, Asked, Group, group, key_of, masked
from apps.tutor.models import Answer, Citation, Exchange, Mode, SettledQuestion

PERIODS = (7, 30, 90)
"""Days."""
MOST_READ = 20_000
"""Questions of a course that are grouped, the newest."""
MOST_SHOWN = 500
"""Questions whose words are compared, the newest."""
MOST_CITED = 10
LONGEST = 300  # characters of a question that are shown
_ASKED = [Mode.ASK, Mode.EXPLAIN, Mode.HINT]


@dataclass(frozen=True)
class Line:
    """A question as it is shown, and how often it was asked. ``lesson`` is None for questions of several lessons."""

    key: str
    text: str
    lesson: Lesson | None
    count: int
    outcome: str = ""
    """What the instructor did about it."""


@dataclass(frozen=True)
class Cited:
    """A place that answers cite."""

    lesson: Lesson
    heading: str
    second: int | None
    url: str
    count: int


@dataclass(frozen=True)
class Insight:
    """``total``: questions in complete groups; shares in percent, None if too few learners stand behind them."""

    total: int = 0
    answered: int | None = None
    helpful: int | None = None
    lines: list[Line] = field(default_factory=list)
    todos: list[Line] = field(default_factory=list)
    settled: list[Line] = field(default_factory=list)
    cited: list[Cited] = field(default_factory=list)
    lessons: list[Lesson] = field(default_factory=list)
    """Those that can be chosen."""


def insight_of(course: Course, *, days: int, now: datetime, lesson: str = "") -> Insight:
    """Return what learners asked in groups that were completed in the last days, in one lesson or all.

    At most nine queries.
    """
    groups = [one for one in group(_asked(course, now)) if one.complete_at > now - timedelta(days=days)]
    lessons = Lesson.objects.filter(course=course).in_bulk({one.lesson for one in groups if one.lesson})
    chosen = [one for one in groups if not lesson or (one.lesson in lessons and lessons[one.lesson].slug == lesson)]
    if not chosen:
        return Insight(lessons=_ordered(lessons))
    place = {exchange: one.lesson for one in _newest(chosen) for exchange in one.exchanges}
    pks = list(place)[:MOST_SHOWN]
    exchanges = list(Exchange.objects.filter(pk__in=pks).select_related("user").order_by("pk"))
    answers = _newest_answers(pks)
    settled = dict(SettledQuestion.objects.filter(course=course).values_list("key", "outcome"))
    names = {part for one in exchanges for part in (one.user.first_name, one.user.last_name, one.user.username)}
    texts = {one.pk: masked(one.question, [name for full in names for name in full.split()]) for one in exchanges}
    unanswered = {pk for pk, answer in answers.items() if _is_unanswered(answer)}
    todos = _todos(_lines({pk: text for pk, text in texts.items() if pk in unanswered}, place, lessons, settled))
    return Insight(
        total=len(place),
        **_shares(exchanges, answers),
        lines=_lines(texts, place, lessons, settled),
        todos=[one for one in todos if not one.outcome],
        settled=[one for one in todos if one.outcome],
        cited=_cited(course, answers),
        lessons=_ordered(lessons),
    )


def _asked(course: Course, now: datetime) -> list[Asked]:
    """The questions of enrolled learners about a course, without deleted chats and refused questions. One query.

    They begin with the half-year of the longest period, so that groups don't change from day to day.
    """
    first = now - timedelta(days=max(PERIODS))
    begin = datetime(first.year, 1 if first.month < 7 else 7, 1, tzinfo=UTC)
    learners = Enrollment.objects.active().filter(course=course).exclude(user=course.instructor_id)
    about = Q(lesson__course=course) | Q(lesson=None, chat__course=course)
    rows = (
        Exchange.objects.filter(about, chat__deleted_at=None, mode__in=_ASKED)
        .filter(created_at__gte=begin, created_at__lte=now)
        .filter(user__in=learners.values("user"), answers__state=Answer.State.FINISHED)
        .exclude(answers__kind=Answer.Kind.FILTERED)
        .exclude(user__role=Role.ADMIN)
        .order_by("-created_at", "-pk")
        .distinct()
        .values_list("pk", "user_id", "lesson_id", "created_at")
    )
    return [Asked(*row) for row in reversed(rows[:MOST_READ])]


def _newest(groups: Sequence[Group]) -> list[Group]:
    return sorted(groups, key=lambda one: one.complete_at, reverse=True)


def _newest_answers(pks: Sequence[int]) -> dict[int, Answer]:
    newest = Answer.objects.filter(exchange=OuterRef("exchange")).order_by("-number").values("number")[:1]
    rows = Answer.objects.filter(exchange__in=pks, number=Subquery(newest))
    return {row.exchange_id: row for row in rows}


def _is_unanswered(answer: Answer) -> bool:
    return answer.kind == Answer.Kind.DECLINED or answer.rating == -1


def _shares(exchanges: Sequence[Exchange], answers: dict[int, Answer]) -> dict[str, int | None]:
    ended = [one for one in answers.values() if one.state == Answer.State.FINISHED]
    answered = sum(one.kind != Answer.Kind.DECLINED for one in ended)
    rated = {one.exchange_id: one.rating for one in ended if one.rating is not None}
    learners = {one.user_id for one in exchanges if one.pk in rated}
    helpful = sum(rating == 1 for rating in rated.values())
    return {
        "answered": round(100 * answered / len(ended)) if ended else None,
        "helpful": round(100 * helpful / len(rated)) if len(learners) >= LEAST_LEARNERS else None,
    }


def _lines(
    texts: dict[int, str],
    place: dict[int, int | None],
    lessons: dict[int, Lesson],
    settled: dict[str, str],
) -> list[Line]:
    """The same question of a lesson is one line. By lesson, then the most frequent first."""
    counts, shown = Counter[tuple[int, str]](), dict[str, str]()
    for pk, text in texts.items():
        key = key_of(text)
        counts[place[pk] or 0, key] += 1
        shown.setdefault(key, text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
    lines = [
        Line(key, shown[key], lessons.get(lesson), count, settled.get(key, ""))
        for (lesson, key), count in counts.items()
    ]
    position = {one.pk: number for number, one in enumerate(_ordered(lessons))}
    return sorted(
        lines, key=lambda one: (position[one.lesson.pk] if one.lesson else len(position), -one.count, one.text)
    )


def _todos(lines: Sequence[Line]) -> list[Line]:
    """A question of several lessons is one to-do."""
    found: dict[str, Line] = {}
    for line in lines:
        before = found.get(line.key)
        found[line.key] = replace(line, lesson=None, count=line.count + before.count) if before else line
    return list(found.values())


def _ordered(lessons: dict[int, Lesson]) -> list[Lesson]:
    return sorted(lessons.values(), key=lambda one: (one.section_id, one.position))


def _cited(course: Course, answers: dict[int, Answer]) -> list[Cited]:
    """The places that these answers cite most. Two queries."""
    rows = (
        Citation.objects.filter(answer__in=[one.pk for one in answers.values()], course=course, lesson__course=course)
        .values("lesson", "heading", second_=F("second"))
        .annotate(count=Count("answer", distinct=True), newest=Max("pk"))
        .order_by("-count", "newest")[:MOST_CITED]
    )
    found = list(rows)
    lessons = Lesson.objects.in_bulk({row["lesson"] for row in found})
    cited = []
    for row in found:
        lesson, second = lessons[row["lesson"]], None if row["second_"] is None else int(row["second_"])
        url = lesson_url(course.slug, lesson.slug, at=second)
        cited.append(Cited(lesson, row["heading"], second, url, row["count"]))
    return cited
