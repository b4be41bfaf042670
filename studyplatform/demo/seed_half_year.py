"""Half a year of learners in the free courses of the demo's instructor, written in bulk, with the roll-ups of it.

Everything is written in one transaction, or was written before: the accounts of the crowd show it. Nothing here goes
through services, which would take minutes; `crowd` tells what happened, and the rows are those that services would have
left. These people can't sign in and hear of nothing.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Count, Q, Sum

from apps.accounts.models import Role, User
from apps.billing.models import EarningsMilestone
from apps.courses.models import Course, Lesson, Question, Quiz
from apps.learning import services as learning
from apps.learning.analytics.counting import Counting, rebuild
from apps.learning.models import (
    Attempt,
    Certificate,
    CourseVisit,
    Enrollment,
    LessonProgress,
    Note,
    Rating,
    RollupState,
    WatchedDay,
)
from studyplatform.demo.answers import right_answer, wrong_answer
from studyplatform.demo.crowd import (
    HALF_YEAR_DAYS,
    Fate,
    Part,
    Story,
    Try,
    Visit,
    make_dice,
    make_names,
    pick_enrollment,
    tell,
)

INSTRUCTOR = "instructor@example.com"
DOMAIN = "crowd.example.com"
LEARNERS = 300


@dataclass(frozen=True)
class _Plan:
    """Which share of the crowd takes a course, and the lessons that stop more people than others: the share of those
    who begin one and get no further. ``fates``: how many there would be if the whole crowd took it. ``marked``: which
    share of those who complete a video mark a moment in it; ``skipped`` and ``sought``: see `Part`."""

    share: float
    leaving: dict[str, float]
    fates: dict[Fate, int]
    marked: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, tuple[float, float]] = field(default_factory=dict)
    sought: dict[str, tuple[float, float]] = field(default_factory=dict)


# The free courses, which nobody has to have paid for.
COURSES = {
    "linear-algebra-geometrically": _Plan(
        0.72,
        {
            "finding-them-by-hand": 0.13,
            "check-arrows-and-grids": 0.05,
            "what-a-determinant-measures": 0.12,
            "eigenvectors-seen-before-named": 0.07,
        },
        {Fate.STUCK: 32, Fate.FAILING: 9, Fate.SLOW_START: 11, Fate.QUIET: 6},
        marked={
            "eigenvectors-seen-before-named": 0.14,
            "a-matrix-moves-the-plane": 0.06,
            "the-best-line-is-a-shadow": 0.1,
        },
        skipped={"what-a-determinant-measures": (0.42, 0.515), "a-matrix-moves-the-plane": (0.24, 0.335)},
        sought={"eigenvectors-seen-before-named": (0.6, 0.74)},
    ),
    "trigonometry-from-the-circle": _Plan(
        0.46,
        {"turning-a-point": 0.03},
        {Fate.STUCK: 6, Fate.FAILING: 6, Fate.SLOW_START: 9, Fate.QUIET: 12},
    ),
}
MILESTONES = (25, 50, 75, 100)
RATES = 0.42  # of those who are past the middle
STARS = ((5, 62), (4, 25), (3, 8), (2, 3), (1, 2))
REVIEWS = {
    5: (
        "Lesson after lesson I thought: so that is all it is.",
        "I drew everything on squared paper, as told, and it stuck.",
        "Short, calm, and never a step too far. I finished it in three weeks of evenings.",
        "The first time that I understood why, not only how.",
        "I teach this myself and will steal half of the pictures.",
    ),
    4: (
        "Very good. I would have liked more exercises between the quizzes.",
        "Clear throughout. The second half goes faster than the first.",
    ),
    3: ("The ideas are fine, but I got lost when the calculating began.", "Good pictures, too few worked examples."),
    2: ("I had to read other books for the algebra.",),
}
MOMENTS = ("See this again before the quiz", "The whole idea", "Draw this", "Why is that?", "Show this to Kim")
WRITTEN = 0.25  # of the ratings have a text
PARTLY_RIGHT = {Question.Kind.ORDERING, Question.Kind.GAPS}
"""A wrong answer would earn a part of the points, so that an attempt that failed might be passed: it is left out."""


@dataclass
class _Rows:
    """What is written for one course."""

    progress: list[LessonProgress] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    days: list[WatchedDay] = field(default_factory=list)
    moments: list[Note] = field(default_factory=list)
    certificates: list[Certificate] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)


@dataclass(frozen=True)
class _Taught:
    """A course with its lessons, and of its quizzes the questions, as attempts store them and as rows."""

    course: Course
    lessons: list[Lesson]
    parts: list[Part]
    asked: dict[int, list[dict[str, Any]]]
    questions: dict[int, list[Question]]


def seed_half_year(now: datetime, *, learners: int | None = None) -> None:
    """The crowd and what it did, if it isn't there yet. ``learners``: `LEARNERS` by default."""
    size = LEARNERS if learners is None else learners
    teacher = User.objects.filter(email=INSTRUCTOR).first()
    courses = list(Course.objects.published().filter(slug__in=COURSES, instructor=teacher).order_by("slug"))
    if not courses or not size or User.objects.filter(email__endswith=f"@{DOMAIN}").exists():
        return
    with transaction.atomic():
        people = _write_people(size, now)
        for course in courses:
            _write_course(_read(course), people, now)
        _note_hundredth(courses)


def seed_rollups(now: datetime) -> None:
    """Count the roll-ups of the whole demo, if nothing was counted yet."""
    if not RollupState.objects.exists():
        rebuild(Counting(now))


def _write_people(size: int, now: datetime) -> list[User]:
    nobody = make_password(None)
    dice, rows = make_dice("people"), []
    for number, (first, last) in enumerate(make_names(size), start=1):
        joined = pick_enrollment(dice, now)
        rows.append(
            User(
                email=f"{first}.{last}.{number}@{DOMAIN}".lower(),
                username=f"{first}{last[0]}{number}".lower(),
                password=nobody,
                first_name=first,
                last_name=last,
                role=Role.STUDENT,
                date_joined=joined,
                terms_accepted_at=joined,
                email_verified_at=joined,
            )
        )
    return User.objects.bulk_create(rows)


def _read(course: Course) -> _Taught:
    """The course as its stories need it. A few queries per quiz."""
    lessons = list(
        course.lessons.select_related("quiz").defer("body").order_by("section__position", "section", "position", "pk")
    )
    plan = COURSES[course.slug]
    asked: dict[int, list[dict[str, Any]]] = {}
    questions: dict[int, list[Question]] = {}
    parts = []
    for lesson in lessons:
        hardness: tuple[float, ...] = ()
        if lesson.kind == Lesson.Kind.QUIZ:
            asked[lesson.pk] = learning.draw_questions(lesson.quiz, seed=lesson.slug)
            rows = {str(one.uid): one for one in Question.objects.filter(quiz=lesson.quiz)}
            questions[lesson.pk] = [rows[row["uid"]] for row in asked[lesson.pk]]
            dice = make_dice(f"hardness of {lesson.slug}")
            hardness = tuple(dice.gauss(-1.2, 0.8) for _question in questions[lesson.pk])
        parts.append(
            Part(
                kind=lesson.kind,
                seconds=lesson.duration or 300,
                leave=plan.leaving.get(lesson.slug, 0.018),
                skipped=plan.skipped.get(lesson.slug),
                sought=plan.sought.get(lesson.slug),
                hardness=hardness,
                points=tuple(one.points for one in questions.get(lesson.pk, ())),
                pass_percent=lesson.quiz.pass_percent if hardness else 70,
            )
        )
    return _Taught(course, lessons, parts, asked, questions)


def _fates(plan: _Plan, size: int, dice: random.Random) -> Iterator[Fate]:
    """The fates of the learners of a course, in any order: each that is at risk at least once."""
    found = [fate for fate, many in plan.fates.items() for _one in range(max(1, many * size // LEARNERS))]
    found = (found + [Fate.USUAL] * size)[:size]
    dice.shuffle(found)
    yield from found


def _write_course(taught: _Taught, people: Sequence[User], now: datetime) -> None:
    course = taught.course
    dice = make_dice(course.slug)
    plan = COURSES[course.slug]
    takers = sorted(
        dice.sample(list(people), max(1, round(plan.share * len(people)))), key=lambda user: user.date_joined
    )
    stories = [
        tell(taught.parts, fate, _begin(user, course, dice, now), dice, now=now)
        for user, fate in zip(takers, _fates(plan, len(takers), dice), strict=True)
    ]
    enrollments = Enrollment.objects.bulk_create(
        _enrollment_of(user, taught, story) for user, story in zip(takers, stories, strict=True)
    )
    rows = _Rows()
    for enrollment, story in zip(enrollments, stories, strict=True):
        _add_story(rows, taught, enrollment, story, dice)
    LessonProgress.objects.bulk_create(rows.progress, batch_size=500)
    Attempt.objects.bulk_create(rows.attempts, batch_size=100)
    WatchedDay.objects.bulk_create(rows.days, batch_size=500)
    Note.objects.bulk_create(rows.moments)
    Certificate.objects.bulk_create(rows.certificates)
    Rating.objects.bulk_create(rows.ratings)
    User.objects.bulk_update(_joined_before(takers, stories), ["date_joined", "terms_accepted_at", "email_verified_at"])
    _write_visits(course, enrollments, now)
    _refresh(course)


def _begin(user: User, course: Course, dice: random.Random, now: datetime) -> datetime:
    """When somebody enrolls: soon after they joined, and not before the course was there."""
    opened = course.published_at or user.date_joined
    return min(max(user.date_joined, opened) + timedelta(minutes=dice.randrange(1, 90)), now - timedelta(minutes=30))


def _joined_before(takers: Sequence[User], stories: Sequence[Story]) -> Iterator[User]:
    """Those whose story begins before they joined, with an earlier day of joining."""
    for user, story in zip(takers, stories, strict=True):
        if user.date_joined >= story.enrolled_at:
            user.date_joined = story.enrolled_at - timedelta(minutes=5)
            user.terms_accepted_at = user.email_verified_at = user.date_joined
            yield user


def _enrollment_of(user: User, taught: _Taught, story: Story) -> Enrollment:
    done = sum(visit.completed_at is not None for visit in story.visits)
    percent = done * 100 // len(taught.lessons)
    last = taught.lessons[story.visits[-1].index] if story.visits else None
    finished = story.is_finished(len(taught.lessons))
    return Enrollment(
        user=user,
        course=taught.course,
        enrolled_at=story.enrolled_at,
        completed_lessons=done,
        percent=percent,
        milestone=max((mark for mark in MILESTONES if mark <= percent), default=0),
        last_lesson=last,
        last_activity_at=story.last_at,
        completed_at=max(visit.last_at for visit in story.visits) if finished else None,
    )


def _add_story(rows: _Rows, taught: _Taught, enrollment: Enrollment, story: Story, dice: random.Random) -> None:
    days: defaultdict[date, Counter[str]] = defaultdict(Counter)
    for visit in story.visits:
        lesson = taught.lessons[visit.index]
        rows.progress.append(_progress_of(enrollment, lesson, visit))
        kind = "seconds" if lesson.kind == Lesson.Kind.VIDEO else "other_seconds"
        days[visit.last_at.astimezone(UTC).date()][kind] += visit.seconds
        if visit.completed_at is not None and dice.random() < COURSES[taught.course.slug].marked.get(lesson.slug, 0):
            rows.moments.append(_moment_of(enrollment.user, lesson, visit, dice))
        for number, one in enumerate(visit.tries, start=1):
            rows.attempts.append(_attempt_of(taught, enrollment, lesson, number, one))
    if story.returned_at is not None:
        days[story.returned_at.astimezone(UTC).date()]["other_seconds"] += dice.randrange(90, 700)
    rows.days += [
        WatchedDay(user=enrollment.user, course=taught.course, day=day, seconds=spent["seconds"],
                   other_seconds=spent["other_seconds"])
        for day, spent in days.items()
        if spent.total()
    ]  # fmt: skip
    if enrollment.completed_at is not None:
        rows.certificates.append(_certificate_of(taught, enrollment, rows, enrollment.completed_at))
    if enrollment.percent > 50 and dice.random() < RATES:
        rows.ratings.append(_rating_of(taught.course, enrollment, story, dice))


def _progress_of(enrollment: Enrollment, lesson: Lesson, visit: Visit) -> LessonProgress:
    seconds = sum(end - begin for begin, end in visit.watched)
    return LessonProgress(
        enrollment=enrollment,
        lesson=lesson,
        position=float(visit.watched[-1][1]) if visit.watched else 0.0,
        watched=visit.watched,
        watched_seconds=seconds,
        started_at=visit.started_at,
        updated_at=visit.last_at,
        completed_at=visit.completed_at,
    )


def _moment_of(user: User, lesson: Lesson, visit: Visit, dice: random.Random) -> Note:
    """A second that the learner marked, as their browser would have sent it."""
    second = min(lesson.duration - 1, round(lesson.duration * dice.triangular(0.3, 0.9, 0.6)))
    return learning.make_note(
        learner=user, lesson=lesson, uid=UUID(int=dice.getrandbits(128), version=4), kind=Note.Kind.MOMENT,
        second=second, text=dice.choice(MOMENTS), now=visit.last_at,
    )  # fmt: skip


def _attempt_of(taught: _Taught, enrollment: Enrollment, lesson: Lesson, number: int, one: Try) -> Attempt:
    quiz: Quiz = lesson.quiz
    raw = {
        str(question.uid): right_answer(question) if mark == 1 else _wrong(question, mark or 0.0)
        for question, mark in zip(taught.questions[lesson.pk], one.marks, strict=True)
        if mark == 1 or (mark is not None and question.kind not in PARTLY_RIGHT)
    }
    return learning.make_submitted(
        enrollment=enrollment, quiz=quiz, asked=taught.asked[lesson.pk], number=number, raw=raw,
        started_at=one.started_at, submitted_at=one.submitted_at,
    )  # fmt: skip


def _wrong(question: Question, mark: float) -> dict[str, Any]:
    """A wrong answer: of several, the first is the favorite of most."""
    if question.kind != Question.Kind.SINGLE:
        return wrong_answer(question)
    others = [option["id"] for option in question.options if option["id"] != question.answer["id"]]
    return {"id": others[int(mark**2 * len(others))]}


def _certificate_of(taught: _Taught, enrollment: Enrollment, rows: _Rows, issued_at: datetime) -> Certificate:
    course, user = taught.course, enrollment.user
    passed = {one.quiz_id: one.percent for one in rows.attempts if one.enrollment is enrollment and one.is_passed}
    videos = [lesson.pk for lesson in taught.lessons if lesson.kind == Lesson.Kind.VIDEO]
    mine = [one for one in rows.progress[-len(taught.lessons) :] if one.lesson_id in videos]
    quizzes = [lesson for lesson in taught.lessons if lesson.pk in taught.asked]
    return Certificate(
        enrollment=enrollment,
        learner_name=user.get_full_name(),
        course_title=course.title,
        instructor_name=course.instructor.display_name,
        lesson_count=len(taught.lessons),
        duration=course.duration,
        video_seconds=sum(lesson.duration for lesson in taught.lessons if lesson.kind == Lesson.Kind.VIDEO),
        watched_seconds=sum(one.watched_seconds for one in mine),
        quizzes=[{"title": lesson.title, "percent": passed[lesson.quiz.pk]} for lesson in quizzes],
        issued_at=issued_at,
    )


def _rating_of(course: Course, enrollment: Enrollment, story: Story, dice: random.Random) -> Rating:
    stars = dice.choices([stars for stars, _many in STARS], [many for _stars, many in STARS])[0]
    text = dice.choice(REVIEWS[stars]) if stars in REVIEWS and dice.random() < WRITTEN else ""
    at = story.visits[-1].last_at + timedelta(minutes=2)
    return Rating(enrollment=enrollment, course=course, stars=stars, text=text, created_at=at, updated_at=at)


def _write_visits(course: Course, enrollments: Sequence[Enrollment], now: datetime) -> None:
    """How many browsers read the course's page on each day: some four for each who enrolled, and passers-by."""
    dice = make_dice(f"visits of {course.slug}")
    enrolled = Counter(one.enrolled_at.astimezone(UTC).date() for one in enrollments)
    today = now.astimezone(UTC).date()
    rows = []
    for back in range(HALF_YEAR_DAYS):
        day = today - timedelta(days=back)
        visitors = round(enrolled[day] * dice.uniform(2.5, 5) + dice.uniform(0.5, 5))
        if visitors:
            rows.append(CourseVisit(course=course, day=day, visitors=visitors))
    CourseVisit.objects.bulk_create(rows, ignore_conflicts=True)


def _refresh(course: Course) -> None:
    """The counters of a course that services keep."""
    shown = Q(ratings__deleted_at=None, ratings__hidden_at=None)
    rated = Course.objects.filter(pk=course.pk).aggregate(
        count=Count("ratings", filter=shown), sum=Sum("ratings__stars", filter=shown, default=0)
    )
    Course.objects.filter(pk=course.pk).update(
        learner_count=course.enrollments.active().count(), rating_count=rated["count"], rating_sum=rated["sum"]
    )


def _note_hundredth(courses: Sequence[Course]) -> None:
    """The milestone of a hundred students, on the day on which the hundredth enrolled; it was told then."""
    rows = Enrollment.objects.active().filter(course__in=courses).order_by("enrolled_at", "pk")
    hundredth = next(iter(rows.values_list("enrolled_at", flat=True)[99:100]), None)
    if hundredth is not None:
        EarningsMilestone.objects.get_or_create(
            user=courses[0].instructor,
            name=EarningsMilestone.Name.STUDENTS_100,
            defaults={"reached_at": hundredth},
        )
