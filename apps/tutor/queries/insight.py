"""What learners ask the tutor about courses, for those who teach them. See :mod:`apps.tutor.insight`.

The choice of courses, period and lesson decides which groups are read, and nothing else: neither what is in a group,
nor which words are masked in it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from apps.accounts.models import Role, User
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from apps.learning.queries.addresses import lesson_url
from apps.tutor.insight import Asked, Group, group, key_of, masked, words_of
from apps.tutor.models import Answer, Citation, Exchange, Mode, SettledQuestion

PERIODS = (7, 30, 90)
"""Days."""
SHOWN_FIRST = 30
"""The period that is shown unless another one is chosen."""
MOST_READ = 20_000
"""Questions of a course that are grouped, the newest."""
MOST_SHOWN = 500
"""Questions whose words are compared, the newest, as whole groups."""
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
    course: Course | None = None
    topic: str = ""
    """Address of the topic that was opened about it."""


class _Of(NamedTuple):
    """A group with the course whose group it is."""

    course: int
    group: Group


class _Settled(NamedTuple):
    outcome: str
    topic: str


@dataclass(frozen=True)
class Cited:
    """A place that answers cite."""

    course: Course
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

    At most eleven queries.
    """
    return insight_of_all([course], days=days, now=now, lesson=lesson)


def insight_of_all(courses: Sequence[Course], *, days: int, now: datetime, lesson: str = "") -> Insight:
    """Return what learners asked about several courses: the groups of each. At most eleven queries."""
    known, since = {one.pk: one for one in courses}, now - timedelta(days=days)
    asked = _asked(known, now)
    all_groups = [_Of(course, one) for course, rows in asked.items() for one in group(rows)]
    groups = [one for one in all_groups if one.group.complete_at > since]
    lessons = Lesson.objects.in_bulk({one.group.lesson for one in groups if one.group.lesson})
    slugs = {pk: one.slug for pk, one in lessons.items()}
    chosen = [one for one in groups if not lesson or slugs.get(one.group.lesson or 0) == lesson]
    if not chosen:
        return Insight(lessons=_ordered(lessons))
    chosen.sort(key=lambda one: one.group.complete_at, reverse=True)
    place = {exchange: one for one in _whole(chosen) for exchange in one.group.exchanges}
    exchanges = list(Exchange.objects.filter(pk__in=place).order_by("pk"))
    answers = _newest_answers(place)
    names = _names(asked, all_groups)
    texts = {one.pk: masked(one.question, names[place[one.pk].course]) for one in exchanges}
    about = {one.group.lesson for one in chosen}
    lines = _Lines(known, lessons, place, _settled(known))
    todos = _todos(lines.of({pk: text for pk, text in texts.items() if _is_unanswered(answers.get(pk))}))
    return Insight(
        total=sum(len(one.group.exchanges) for one in chosen),
        answered=_answered(answers.values()),
        helpful=_helpful(asked, lambda one: one.complete_at > since and (not lesson or one.lesson in about)),
        lines=lines.of(texts),
        todos=[one for one in todos if not one.outcome],
        settled=[one for one in todos if one.outcome],
        cited=_cited(known, answers),
        lessons=_ordered(lessons),
    )


def _asked(courses: Iterable[int], now: datetime) -> dict[int, list[Asked]]:
    """The questions of enrolled learners about each course, in their order. One query.

    Without deleted chats and refused questions. They begin with the half-year of the longest period, so that groups
    don't change from day to day; of each course the newest :data:`MOST_READ`.
    """
    first = now - timedelta(days=max(PERIODS))
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


def _whole(groups: Sequence[_Of]) -> list[_Of]:
    """The first groups, at least one, that together have at most :data:`MOST_SHOWN` questions: none is cut."""
    found, left = groups[:1], MOST_SHOWN - len(groups[0].group.exchanges)
    for one in groups[1:]:
        left -= len(one.group.exchanges)
        if left < 0:
            break
        found = [*found, one]
    return list(found)


def _names(asked: dict[int, list[Asked]], groups: Iterable[_Of]) -> dict[int, frozenset[str]]:
    """Words of the names of all whose questions may be read, by course. One query."""
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


def _settled(courses: Iterable[int]) -> dict[tuple[int, str], _Settled]:
    rows = SettledQuestion.objects.filter(course__in=courses).values_list("course", "key", "outcome", "topic")
    return {(course, key): _Settled(outcome, topic) for course, key, outcome, topic in rows}


def _newest_answers(pks: Iterable[int]) -> dict[int, Answer]:
    newest = Answer.objects.filter(exchange=OuterRef("exchange")).order_by("-number").values("number")[:1]
    rows = Answer.objects.filter(exchange__in=pks, number=Subquery(newest))
    return {row.exchange_id: row for row in rows}


def _is_unanswered(answer: Answer | None) -> bool:
    return answer is not None and (answer.kind == Answer.Kind.DECLINED or answer.rating == -1)


def _answered(answers: Iterable[Answer]) -> int | None:
    ended = [one for one in answers if one.state == Answer.State.FINISHED]
    answered = sum(one.kind != Answer.Kind.DECLINED for one in ended)
    return round(100 * answered / len(ended)) if ended else None


def _helpful(asked: dict[int, list[Asked]], is_chosen: Callable[[Group], bool]) -> int | None:
    """The share of helpful ratings, in groups of ratings of at least five learners. One query.

    Those who asked are more than those who rated: by groups of questions, two choices could differ by one rating.
    """
    about = Q(exchange__lesson__course__in=asked) | Q(exchange__lesson=None, exchange__chat__course__in=asked)
    rows = Answer.objects.filter(about, rating__isnull=False, state=Answer.State.FINISHED).order_by("number")
    ratings = dict(rows.values_list("exchange", "rating"))
    groups = [one for rows in asked.values() for one in group(row for row in rows if row.exchange in ratings)]
    counted = [ratings[exchange] for one in groups if is_chosen(one) for exchange in one.exchanges]
    return round(100 * counted.count(1) / len(counted)) if counted else None


@dataclass(frozen=True)
class _Lines:
    """Makes lines of questions."""

    courses: dict[int, Course]
    lessons: dict[int, Lesson]
    place: dict[int, _Of]
    settled: dict[tuple[int, str], _Settled]

    def of(self, texts: dict[int, str]) -> list[Line]:
        """The same question of a lesson is one line. By course, then by lesson, then the most frequent first."""
        counts, shown = Counter[tuple[int, int, str]](), dict[tuple[int, str], str]()
        for pk, text in texts.items():
            key, where = key_of(text), self.place[pk]
            counts[where.course, where.group.lesson or 0, key] += 1
            shown.setdefault((where.course, key), text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
        lines = list[Line]()
        for (course, lesson, key), count in counts.items():
            done = self.settled.get((course, key), _Settled("", ""))
            about = self.courses[course]
            lines.append(
                Line(key, shown[course, key], self.lessons.get(lesson), count, done.outcome, about, done.topic)
            )
        courses = {pk: number for number, pk in enumerate(self.courses)}
        position = {one.pk: number for number, one in enumerate(_ordered(self.lessons))}

        def order(line: Line) -> tuple[int, int, int, str]:
            place = position[line.lesson.pk] if line.lesson else len(position)
            return courses[line.course.pk] if line.course else 0, place, -line.count, line.text

        return sorted(lines, key=order)


def _todos(lines: Sequence[Line]) -> list[Line]:
    """A question of several lessons is one to-do. The most frequent first."""
    found: dict[tuple[Course | None, str], Line] = {}
    for line in lines:
        before = found.get((line.course, line.key))
        found[line.course, line.key] = replace(line, lesson=None, count=line.count + before.count) if before else line
    return sorted(found.values(), key=lambda one: -one.count)


def _ordered(lessons: dict[int, Lesson]) -> list[Lesson]:
    return sorted(lessons.values(), key=lambda one: (one.section_id, one.position))


def _cited(courses: dict[int, Course], answers: dict[int, Answer]) -> list[Cited]:
    """The places that these answers cite most. Two queries."""
    rows = (
        Citation.objects.filter(
            answer__in=[one.pk for one in answers.values()], course__in=courses, lesson__course=F("course")
        )
        .values("lesson", "heading", second_=F("second"))
        .annotate(count=Count("answer", distinct=True), newest=Max("pk"))
        .order_by("-count", "newest")[:MOST_CITED]
    )
    found = list(rows)
    lessons = Lesson.objects.in_bulk({row["lesson"] for row in found})
    cited = []
    for row in found:
        lesson, second = lessons[row["lesson"]], None if row["second_"] is None else int(row["second_"])
        course = courses[lesson.course_id]
        url = lesson_url(course.slug, lesson.slug, at=second)
        cited.append(Cited(course, lesson, row["heading"], second, url, row["count"]))
    return cited
