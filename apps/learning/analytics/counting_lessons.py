"""Count what learners did in the lessons that a course has now, and how they answered the questions of its quizzes.

Learners whose enrollment ended, or whose account was deleted, count: what they learned happened. Their notes are
deleted with the account, so their bookmarks don't.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count

from apps.courses.models import Lesson
from apps.learning.analytics.items import Item, Response, count_items, read_responses
from apps.learning.analytics.retention import RetentionSum, pack_counts
from apps.learning.analytics.storing import Changes, batched, store
from apps.learning.models import (
    Attempt,
    LessonProgress,
    LessonRollup,
    Note,
    QuestionRollup,
    RestartedLesson,
)

MAX_SECONDS_LEFT_EARLY = 15  # of watched time
MIN_SECONDS_TO_LEAVE_EARLY = 30  # of shorter videos nobody can tell
TIME_TO_COME_BACK = timedelta(days=1)  # since the lesson was begun: until then the learner may come back
ROWS_PER_READ = 2_000  # few: what was watched is long
ATTEMPTS_PER_READ = 200  # with their results
MAX_CURVE_SECONDS = 12 * 60 * 60  # a longer video has no retention


@dataclass
class LessonTally:
    """What is counted of one lesson. ``place``: in the order of the course."""

    place: int
    is_video: bool
    seconds: int
    restarted_at: datetime | None
    began: int = 0
    completed: int = 0
    left_early: int = 0
    left_early_of: int = 0
    durations: list[int] = field(default_factory=list)
    curve: RetentionSum | None = None

    def __post_init__(self) -> None:
        if self.is_video and 0 < self.seconds <= MAX_CURVE_SECONDS:
            self.curve = RetentionSum(self.seconds)

    def add(
        self,
        watched: Sequence[Sequence[int]],
        watched_seconds: int,
        started_at: datetime,
        completed_at: datetime | None,
        now: datetime,
    ) -> None:
        """Add what one learner did."""
        self.began += 1
        if completed_at is not None:
            self.completed += 1
            self.durations.append(max(0, int((completed_at - started_at).total_seconds())))
        if not self.is_video:
            return
        restarted_at = self.restarted_at
        if self.curve is not None and (restarted_at is None or completed_at is None or completed_at >= restarted_at):
            self.curve.add(watched)
        if self.seconds < MIN_SECONDS_TO_LEAVE_EARLY or now - started_at < TIME_TO_COME_BACK:
            return
        if restarted_at is not None and started_at < restarted_at and not watched_seconds:
            return  # they saw the former video and haven't come back: nobody knows how they like this one
        self.left_early_of += 1
        self.left_early += completed_at is None and watched_seconds <= MAX_SECONDS_LEFT_EARLY

    @property
    def median(self) -> int | None:
        """The seconds from opening to completing; of an even number, the shorter of the middle ones."""
        return sorted(self.durations)[(len(self.durations) - 1) // 2] if self.durations else None

    def values(self, reached: int, bookmarks: tuple[int, int]) -> tuple[object, ...]:
        """The values of ``LessonRollup.FIGURES``."""
        counts = self.curve.counts() if self.curve is not None else None
        return (
            *(self.began, self.completed, reached, self.left_early, self.left_early_of, *bookmarks, self.median),
            *(None if counts is None else pack_counts(counts), self.curve.learners if self.curve is not None else 0),
        )


def recount_lessons(course: int, *, now: datetime, keep_alive: Callable[[], None], is_dry: bool = False) -> Changes:
    """Count the lessons of a course again. Four queries."""
    tallies = _tallies_of(course)
    furthest: dict[int, int] = {}
    rows = LessonProgress.objects.filter(enrollment__course=course).order_by()
    columns = ("enrollment_id", "lesson_id", "watched", "watched_seconds", "started_at", "completed_at")
    for number, (enrollment, lesson, watched, seconds, started_at, completed_at) in enumerate(
        rows.values_list(*columns).iterator(chunk_size=ROWS_PER_READ)
    ):
        if number % ROWS_PER_READ == 0:
            keep_alive()
        tally = tallies.get(lesson)
        if tally is not None:  # it wasn't removed
            tally.add(watched, seconds, started_at, completed_at, now)
            furthest[enrollment] = max(furthest.get(enrollment, 0), tally.place)
    ended = [0] * (len(tallies) + 1)
    for place in furthest.values():
        ended[place] += 1
    bookmarks = {
        lesson: (moments, people)
        for lesson, moments, people in Note.objects.kept()
        .filter(course=course, kind=Note.Kind.MOMENT, lesson__in=tallies)
        .order_by()
        .values_list("lesson")
        .annotate(Count("pk"), people=Count("user", distinct=True))
    }
    counted = {}
    for lesson, tally in tallies.items():
        reached = sum(ended[tally.place :])
        if reached or lesson in bookmarks:
            counted[(lesson,)] = tally.values(reached, bookmarks.get(lesson, (0, 0)))
    stored = LessonRollup.objects.filter(lesson__course=course)
    return store(stored, counted, key=("lesson_id",), figures=LessonRollup.FIGURES, is_dry=is_dry)


def _tallies_of(course: int) -> dict[int, LessonTally]:
    lessons = Lesson.objects.filter(course=course).order_by("section__position", "section", "position", "pk")
    restarts = dict(RestartedLesson.objects.filter(lesson__course=course).values_list("lesson", "restarted_at"))
    return {
        pk: LessonTally(place, kind == Lesson.Kind.VIDEO, duration, restarts.get(pk))
        for place, (pk, kind, duration) in enumerate(lessons.values_list("pk", "kind", "duration"), start=1)
    }


def recount_questions(course: int, *, keep_alive: Callable[[], None], is_dry: bool = False) -> Changes:
    """Count the questions of all quizzes of a course again: of each learner the first submitted attempt."""
    counted: dict[tuple[int, UUID], tuple[object, ...]] = {}
    for quiz, items in _items_of(course, keep_alive):
        for uid, item in items.items():
            counted[quiz, UUID(uid)] = (
                *(item.responses, item.unanswered, item.difficulty, item.discrimination, item.options),
            )
    stored = QuestionRollup.objects.filter(quiz__lesson__course=course)
    return store(stored, counted, key=("quiz_id", "question_uid"), figures=QuestionRollup.FIGURES, is_dry=is_dry)


def _items_of(course: int, keep_alive: Callable[[], None]) -> Iterator[tuple[int, dict[str, Item]]]:
    firsts: dict[int, list[int]] = defaultdict(list)
    submitted = Attempt.objects.filter(enrollment__course=course, quiz__lesson__removed_at=None)
    rows = submitted.exclude(submitted_at=None).order_by("quiz", "enrollment", "number")
    before = (0, 0)
    for pk, quiz, enrollment in rows.values_list("pk", "quiz", "enrollment").iterator(chunk_size=ROWS_PER_READ):
        if (quiz, enrollment) != before:
            before = (quiz, enrollment)
            firsts[quiz].append(pk)
    for quiz, pks in firsts.items():
        yield quiz, count_items(_read(pks, keep_alive))


def _read(pks: Sequence[int], keep_alive: Callable[[], None]) -> Iterator[list[Response]]:
    """Yield the responses of these attempts, in their order. Read some at a time: results are long."""
    for few in batched(pks, ATTEMPTS_PER_READ):
        keep_alive()
        found = {
            pk: (results, answers)
            for pk, results, answers in Attempt.objects.filter(pk__in=few).values_list("pk", "results", "answers")
        }
        for pk in few:
            if pk in found:
                yield read_responses(*found[pk])
