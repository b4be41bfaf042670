"""The pages of learners and analytics of a course with 10,000 learners beside one with 100, on PostgreSQL.

The queries are a promise. How long the pages take is only printed (pytest -s); docs/performance.md has the figures.
"""

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from statistics import median
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.analytics.counting import Counting, rebuild
from apps.learning.models import Attempt, Enrollment, EnrollmentRollup, LessonProgress, Rating, WatchedDay
from tests.cpu import CpuClock
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.long]

FEW, MANY = 100, 10_000  # learners
VIDEOS = 12
LESSONS_BEGUN = 6  # by each learner, on average
QUESTIONS = 5
ROUNDS = 15  # requests of each page and course
MOST_QUERIES = 15
STUDENTS = "/dashboard/instructor/students/"
ANALYTICS = "/dashboard/instructor/analytics/"
HOME = "/dashboard/instructor/"
FIRST_NAMES = ("Mara", "Émile", "Teo", "Lotte")
DAY = timedelta(days=1)


class Filled:
    """A course of a teacher of its own, with so many learners.

    Of a hundred, each tab has a page already: pages are compared that show as many rows.
    """

    def __init__(self, learners: int, now: datetime) -> None:
        self.now, self.chance = now, random.Random(learners)
        self.teacher: User = UserFactory(role="instructor")
        self.course: Course = CourseFactory(instructor=self.teacher, status="published", published_at=now - 500 * DAY)
        section = SectionFactory(course=self.course)
        self.videos: list[Lesson] = [
            LessonFactory(section=section, kind="video", duration=600, update_counts=False) for _number in range(VIDEOS)
        ]
        self.quiz = QuizFactory(lesson__section=section, lesson__kind="quiz")
        self.questions = [QuestionFactory(quiz=self.quiz) for _number in range(QUESTIONS)]
        self.enrollments = self.enroll(learners)
        self.learn()
        self.submit()
        self.rate()
        Course.objects.filter(pk=self.course.pk).update(learner_count=learners)

    def enroll(self, learners: int) -> list[Enrollment]:
        users = User.objects.bulk_create(
            User(
                username=f"many-{self.course.pk}-{number}",
                email=f"many-{self.course.pk}-{number}@example.com",
                first_name=FIRST_NAMES[number % len(FIRST_NAMES)],
                last_name=f"Marsh{number}st",
            )
            for number in range(learners)
        )
        made = []
        for number, user in enumerate(users):
            enrolled = self.now - self.chance.uniform(1, 400 if number % 3 else 29) * DAY
            active = enrolled + self.chance.random() ** 0.3 * (self.now - enrolled)
            is_finished = number % 5 == 0
            made.append(
                Enrollment(
                    user=user,
                    course=self.course,
                    enrolled_at=enrolled,
                    last_activity_at=active,
                    percent=100 if is_finished else self.chance.randrange(100),
                    completed_at=active if is_finished else None,
                    last_lesson=self.chance.choice(self.videos),
                )
            )
        return Enrollment.objects.bulk_create(made, batch_size=2_000)

    def learn(self) -> None:
        def progress() -> Iterator[LessonProgress]:
            for one in self.enrollments:
                for place, lesson in enumerate(self.videos[: self.chance.randrange(1, 2 * LESSONS_BEGUN)]):
                    began = min(one.enrolled_at + place * DAY, one.last_activity_at)
                    seconds = self.chance.randrange(10, 600)
                    yield LessonProgress(
                        enrollment=one,
                        lesson=lesson,
                        watched=[[0, seconds]],
                        watched_seconds=seconds,
                        started_at=began,
                        updated_at=began,
                        completed_at=began + timedelta(minutes=20) if seconds > 400 else None,
                    )

        def days() -> Iterator[WatchedDay]:
            for one in self.enrollments:
                last = one.last_activity_at.date()
                for back in range(LESSONS_BEGUN):
                    yield WatchedDay(user=one.user, course=self.course, day=last - 2 * back * DAY, seconds=600)

        LessonProgress.objects.bulk_create(progress(), batch_size=2_000)
        WatchedDay.objects.bulk_create(days(), batch_size=2_000)

    def submit(self) -> None:
        def attempts() -> Iterator[Attempt]:
            for one in self.enrollments[::2]:
                right = [self.chance.random() < 0.6 for _question in self.questions]
                submitted = one.last_activity_at
                yield Attempt(
                    enrollment=one,
                    quiz=self.quiz,
                    number=1,
                    started_at=submitted - timedelta(minutes=9),
                    submitted_at=submitted,
                    percent=100 * sum(right) // QUESTIONS,
                    is_passed=sum(right) > QUESTIONS / 2,
                    answers={
                        str(each.uid): {"id": "b" if is_right else "a"}
                        for each, is_right in zip(self.questions, right, strict=True)
                    },
                    results=[
                        {"uid": str(each.uid), "kind": "single", "prompt": each.prompt, "points": 1, "lines": [],
                         "earned": str(int(is_right)), "verdict": "right" if is_right else "wrong"}
                        for each, is_right in zip(self.questions, right, strict=True)
                    ],
                )  # fmt: skip

        Attempt.objects.bulk_create(attempts(), batch_size=1_000)

    def rate(self) -> None:
        Rating.objects.bulk_create(
            Rating(
                enrollment=one,
                course=self.course,
                stars=3 + number % 3,
                text="Clear and short." if number % 3 == 0 else "",
                created_at=one.last_activity_at,
                updated_at=one.last_activity_at,
            )
            for number, one in enumerate(self.enrollments[::10])
        )

    def pages(self) -> dict[str, str]:
        """The addresses of all pages that are measured, by what the table calls them."""
        risk = EnrollmentRollup.objects.filter(enrollment__course=self.course).exclude(risk="").values("risk")[:1]
        last = len(self.enrollments) // 25
        chosen = f"course={self.course.slug}"
        one = self.enrollments[len(self.enrollments) // 2].user.uid
        return {
            "students": STUDENTS,
            "students, by name": f"{STUDENTS}?q=mara",
            "students, by one name": f"{STUDENTS}?q=marsh77st",
            "students, active": f"{STUDENTS}?tab=active",
            "students, new": f"{STUDENTS}?tab=new",
            "students, at risk": f"{STUDENTS}?tab=risk",
            "students, finished": f"{STUDENTS}?tab=finished",
            "students, one risk": f"{STUDENTS}?risk={risk.get()['risk']}",
            "students, one course": f"{STUDENTS}?{chosen}",
            "students, sorted by name": f"{STUDENTS}?sort=name",
            "students, sorted by progress": f"{STUDENTS}?sort=progress",
            "students, sorted by quizzes": f"{STUDENTS}?sort=-quizzes",
            "students, sorted by time": f"{STUDENTS}?sort=-time",
            "students, last page": f"{STUDENTS}?page={last}",
            "one student": f"{STUDENTS}{one}",
            "analytics": ANALYTICS,
            "analytics, 30 days": f"{ANALYTICS}?range=30",
            "analytics, one course compared": f"{ANALYTICS}?{chosen}&compare=1",
            "lessons": f"{ANALYTICS}lessons/",
            "retention": f"{ANALYTICS}lessons/{self.course.slug}/{self.videos[0].slug}",
            "questions of a quiz": f"{ANALYTICS}quizzes/{self.course.slug}/{self.quiz.lesson.slug}",
            "home": HOME,
        }


@pytest.fixture
def both() -> tuple[Filled, Filled]:
    now = timezone.now()
    found = Filled(FEW, now), Filled(MANY, now)
    rebuild(Counting(now))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return found


def test_pages_with_ten_thousand_learners_cost_what_they_cost_with_a_hundred(
    both: tuple[Filled, Filled], browser_of: Callable[[User], Client]
) -> None:
    browsers = [browser_of(one.teacher) for one in both]
    few, many = (one.pages() for one in both)
    above = {}
    print(f"\n{'page':34} {'queries':>9} {FEW:>8} {MANY:>8} ratio")  # noqa: T201 (what it is run for)
    for name in many:
        addresses = (few[name], many[name])
        queries = [_count_queries(*pair) for pair in zip(browsers, addresses, strict=True)]
        times = _measure(browsers, addresses)
        _say(name, queries, times)
        if max(queries) > MOST_QUERIES and name != "home":
            above[name] = queries
    _say("first bytes of the file", [0, 0], _measure(browsers, (f"{STUDENTS}export",) * 2))
    assert not above


def _count_queries(browser: Client, address: str) -> int:
    assert browser.get(address).status_code == 200, address  # and what is cached is cached
    with CaptureQueriesContext(connection) as queries:
        browser.get(address)
    return len(queries)


def _measure(browsers: list[Client], addresses: tuple[str, str]) -> list[float]:
    """Return the medians of the milliseconds of CPU, of the request and of the database.

    A busy machine changes these least, and requests alternate, so whatever else happens hits both.
    """
    clock = CpuClock()
    times: list[list[float]] = [[], []]
    for _round in range(ROUNDS):
        for place, (browser, address) in enumerate(zip(browsers, addresses, strict=True)):
            began = clock.read()
            answer: Any = browser.get(address)
            if answer.streaming:
                next(iter(answer.streaming_content))
            times[place].append(1000 * (clock.read() - began))
    return [median(one) for one in times]


def _say(name: str, queries: list[int], times: list[float]) -> None:
    few, many = times
    print(f"{name:34} {queries[0]:>4} {queries[1]:>4} {few:>8.1f} {many:>8.1f} {many / few:.2f}")  # noqa: T201
