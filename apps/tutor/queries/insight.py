"""What learners ask the tutor about courses, for those who teach them. See :mod:`apps.tutor.insight`.

The choice of courses, period and lesson decides which groups are read, and nothing else: neither what is in a group,
nor which words are masked in it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, F, Max

from apps.courses.models import Course, Lesson
from apps.learning.queries.addresses import lesson_url
from apps.tutor.insight import group, key_of, masked
from apps.tutor.models import Answer, Citation, Exchange, SettledQuestion
from apps.tutor.queries.insight_rows import (
    LONGEST_PERIOD,
    OfCourse,
    asked_about,
    names_in,
    newest_answers,
    share_of_helpful,
)

PERIODS = (7, 30, LONGEST_PERIOD)
"""Days."""
SHOWN_FIRST = 30
"""The period that is shown unless another one is chosen."""
MOST_SHOWN = 500
"""Questions whose words are compared, the newest, as whole groups."""
MOST_CITED = 10
LONGEST = 300  # characters of a question that are shown


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
    asked = asked_about(known, now)
    all_groups = [OfCourse(course, one) for course, rows in asked.items() for one in group(rows)]
    groups = [one for one in all_groups if one.group.complete_at > since]
    lessons = Lesson.objects.in_bulk({one.group.lesson for one in groups if one.group.lesson})
    slugs = {pk: one.slug for pk, one in lessons.items()}
    chosen = [one for one in groups if not lesson or slugs.get(one.group.lesson or 0) == lesson]
    if not chosen:
        return Insight(lessons=_ordered(lessons))
    chosen.sort(key=lambda one: one.group.complete_at, reverse=True)
    place = {exchange: one for one in _whole(chosen) for exchange in one.group.exchanges}
    exchanges = list(Exchange.objects.filter(pk__in=place).order_by("pk"))
    answers = newest_answers(place)
    names = names_in(asked, all_groups)
    texts = {one.pk: masked(one.question, names[place[one.pk].course]) for one in exchanges}
    about = {one.group.lesson for one in chosen}
    lines = _Lines(known, lessons, place, _settled(known))
    todos = _todos(lines.of({pk: text for pk, text in texts.items() if _is_unanswered(answers.get(pk))}))
    return Insight(
        total=sum(len(one.group.exchanges) for one in chosen),
        answered=_answered(answers.values()),
        helpful=share_of_helpful(asked, lambda one: one.complete_at > since and (not lesson or one.lesson in about)),
        lines=lines.of(texts),
        todos=[one for one in todos if not one.outcome],
        settled=[one for one in todos if one.outcome],
        cited=_cited(known, answers),
        lessons=_ordered(lessons),
    )


def _whole(groups: Sequence[OfCourse]) -> list[OfCourse]:
    """The first groups, at least one, that together have at most :data:`MOST_SHOWN` questions: none is cut."""
    found, left = groups[:1], MOST_SHOWN - len(groups[0].group.exchanges)
    for one in groups[1:]:
        left -= len(one.group.exchanges)
        if left < 0:
            break
        found = [*found, one]
    return list(found)


def _settled(courses: Iterable[int]) -> dict[tuple[int, str], _Settled]:
    rows = SettledQuestion.objects.filter(course__in=courses).values_list("course", "key", "outcome", "topic")
    return {(course, key): _Settled(outcome, topic) for course, key, outcome, topic in rows}


def _is_unanswered(answer: Answer | None) -> bool:
    return answer is not None and (answer.kind == Answer.Kind.DECLINED or answer.rating == -1)


def _answered(answers: Iterable[Answer]) -> int | None:
    ended = [one for one in answers if one.state == Answer.State.FINISHED]
    answered = sum(one.kind != Answer.Kind.DECLINED for one in ended)
    return round(100 * answered / len(ended)) if ended else None


@dataclass(frozen=True)
class _Lines:
    """Makes lines of questions."""

    courses: dict[int, Course]
    lessons: dict[int, Lesson]
    place: dict[int, OfCourse]
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
            answer__in=[one.pk for one in answers.values()],
            course__in=courses,
            lesson__course=F("course"),
            lesson__removed_at=None,
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
