"""A learner's progress in one course: milestones, lessons, quizzes, pace."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q, Sum

from apps.accounts.models import User
from apps.accounts.queries import day_zone_of, zone_of
from apps.courses.models import Course, Lesson, Quiz
from apps.learning.models import Attempt, Certificate, Enrollment, LearnedDay, LessonProgress
from apps.learning.outline import Entry, Outline, Placed, Progress, Standing, place_all, resume_entry
from apps.learning.queries.outline import outline_of

WEEKS = 10
STATIONS = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Station:
    """A milestone: when it was reached, or how many lessons are missing and when it is expected at the present pace."""

    percent: int
    reached_at: datetime | None
    missing: int
    expected_on: date | None = None


@dataclass(frozen=True)
class QuizRecord:
    """The submitted attempts at one quiz; ``first`` and ``best`` in percent."""

    entry: Entry
    pass_percent: int
    attempts: int
    first: int
    best: int
    best_at: datetime

    @property
    def is_passed(self) -> bool:
        return self.best >= self.pass_percent


@dataclass(frozen=True)
class Week:
    """How many lessons were completed in the week that starts on this Monday."""

    begins_on: date
    lessons: int


@dataclass(frozen=True)
class CourseRecord:
    """Everything that the progress page shows."""

    course: Course
    enrollment: Enrollment
    outline: Outline
    placed: tuple[Placed, ...]
    stations: tuple[Station, ...]
    quizzes: tuple[QuizRecord, ...]
    quiz_count: int
    weeks: tuple[Week, ...]
    watched_seconds: int
    resume: Entry | None
    finish_on: date | None
    certificate: Certificate | None

    @property
    def done(self) -> int:
        return sum(one.state == "completed" and not one.entry.is_optional for one in self.placed)

    @property
    def total(self) -> int:
        return self.outline.required_count

    @property
    def left(self) -> int:
        return self.total - self.done

    @property
    def has_videos(self) -> bool:
        return any(entry.kind == Lesson.Kind.VIDEO for entry in self.outline.entries)

    @property
    def quiz_average(self) -> int | None:
        """The mean percent of the best attempts."""
        return round(sum(quiz.best for quiz in self.quizzes) / len(self.quizzes)) if self.quizzes else None

    @property
    def quizzes_left(self) -> int:
        return self.quiz_count - sum(quiz.is_passed for quiz in self.quizzes)

    @property
    def gain(self) -> int:
        """By how many percentage points retakes improved on the first attempt, on average over the retaken quizzes."""
        again = [quiz.best - quiz.first for quiz in self.quizzes if quiz.attempts > 1]
        return round(sum(again) / len(again)) if again else 0


def record_of(user: User, course: Course, enrollment: Enrollment, *, now: datetime) -> CourseRecord:
    """Return the record of one enrollment. Five queries, three if the outline is cached."""
    outline = outline_of(course).for_version(enrollment.required_version)
    rows = LessonProgress.objects.filter(enrollment=enrollment).values_list(
        "lesson_id", "position", "watched_seconds", "completed_at"
    )
    progress: dict[int, Progress] = {}
    finished: list[datetime] = []
    watched = 0
    here = {entry.pk: entry.is_optional for entry in outline.entries}
    for pk, position, seconds, completed_at in rows:
        watched += seconds
        if pk in here:
            progress[pk] = Progress(position, seconds, completed_at is not None)
            if completed_at is not None and not here[pk]:
                finished.append(completed_at)
    finished.sort()
    standing = Standing(enrollment, progress)
    quizzes = dict(
        Quiz.objects.filter(lesson__course=course, lesson__removed_at=None).values_list("lesson_id", "pass_percent")
    )
    zone = zone_of(user)
    return CourseRecord(
        course=course,
        enrollment=enrollment,
        outline=outline,
        placed=tuple(place_all(course, outline, standing)),
        stations=_stations(enrollment, finished, outline.required_count, zone, now),
        quizzes=_quiz_records(enrollment, outline, quizzes),
        quiz_count=len(quizzes),
        weeks=_weeks(finished, zone, now),
        watched_seconds=watched,
        resume=resume_entry(course, outline, standing),
        finish_on=_finish_on(finished, outline.required_count - len(finished), zone, now),
        certificate=enrollment.certificate if hasattr(enrollment, "certificate") else None,
    )


def _stations(
    enrollment: Enrollment, finished: list[datetime], total: int, zone: ZoneInfo, now: datetime
) -> tuple[Station, ...]:
    stations = [Station(0, enrollment.enrolled_at, 0)]
    for percent in STATIONS[1:]:
        needed = -(-total * percent // 100)  # rounded up
        reached = finished[needed - 1] if 0 < needed <= len(finished) else None
        missing = max(0, needed - len(finished))
        stations.append(Station(percent, reached, missing, _finish_on(finished, missing, zone, now)))
    return tuple(stations)


def _quiz_records(enrollment: Enrollment, outline: Outline, pass_percents: dict[int, int]) -> tuple[QuizRecord, ...]:
    rows = (
        Attempt.objects.filter(enrollment=enrollment, submitted_at__isnull=False, waiting=0)
        .order_by("number")
        .values_list("quiz__lesson_id", "percent", "submitted_at")
    )
    attempts: dict[int, list[tuple[int, datetime]]] = {}
    for lesson_pk, percent, submitted_at in rows:
        if submitted_at is not None:
            attempts.setdefault(lesson_pk, []).append((percent, submitted_at))
    records = []
    for entry in outline.entries:
        if entry.pk in attempts and entry.pk in pass_percents:
            best, best_at = max(attempts[entry.pk], key=lambda one: one[0])
            first = attempts[entry.pk][0][0]
            records.append(QuizRecord(entry, pass_percents[entry.pk], len(attempts[entry.pk]), first, best, best_at))
    return tuple(records)


def _monday(moment: datetime, zone: ZoneInfo) -> date:
    day = moment.astimezone(zone).date()
    return day - timedelta(days=day.weekday())


def _weeks(finished: list[datetime], zone: ZoneInfo, now: datetime) -> tuple[Week, ...]:
    this = _monday(now, zone)
    counts = dict.fromkeys((this - timedelta(weeks=n) for n in range(WEEKS - 1, -1, -1)), 0)
    for moment in finished:
        week = _monday(moment, zone)
        if week in counts:
            counts[week] += 1
    return tuple(Week(week, count) for week, count in counts.items())


def _finish_on(finished: list[datetime], left: int, zone: ZoneInfo, now: datetime) -> date | None:
    """Return when the learner completes ``left`` lessons more at the pace of the last four weeks; None without one."""
    recent = sum(moment > now - timedelta(weeks=4) for moment in finished)
    if not recent or left <= 0:
        return None
    return (now + timedelta(weeks=left * 4 / recent)).astimezone(zone).date()


@dataclass(frozen=True)
class Totals:
    """What a learner has learned in all courses: the same figures as on the dashboard."""

    learned_seconds: int
    lessons_this_week: int


def totals_of(user: User, *, now: datetime) -> Totals:
    """Return the seconds learned in all, and the lessons completed since Monday. One query."""
    week = Q(day__gte=_monday(now, day_zone_of(user, now)))
    found = LearnedDay.objects.filter(user=user).aggregate(all=Sum("seconds"), week=Sum("lessons", filter=week))
    return Totals(found["all"] or 0, found["week"] or 0)
