"""A version of a course with 400 lessons and 2,000 questions takes few queries. ``-s`` prints the CPU seconds."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, Lesson, Question, Quiz
from apps.courses.services.outline_rows import refresh_outline
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.long]
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
LESSONS, QUIZZES, QUESTIONS_OF_A_QUIZ = 400, 100, 20
TEXT = "\n\n".join(f"Paragraph {place} says where the water of a river comes from and goes." for place in range(20))
OWN = "/dashboard/instructor/courses/rivers"


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    for number in range(20):
        section = SectionFactory(course=course, title=f"Section {number}")
        Lesson.objects.bulk_create(
            LessonFactory.build(
                course=course,
                section=section,
                position=place + 1,
                title=f"Lesson {number}.{place}",
                slug=f"lesson-{number}-{place}",
                kind="quiz" if place % 4 == 0 else "text",
                body="" if place % 4 == 0 else TEXT,
            )
            for place in range(LESSONS // 20)
        )
    quizzes = Quiz.objects.bulk_create(Quiz(lesson=lesson) for lesson in course.lessons.filter(kind="quiz"))
    Question.objects.bulk_create(
        Question(
            quiz=quiz,
            position=place + 1,
            kind=Question.Kind.SINGLE,
            prompt=f"Which way does water {place} run?",
            options=[{"id": "a", "text": "Down"}, {"id": "b", "text": "Up"}],
            answer={"id": "a"},
        )
        for quiz in quizzes
        for place in range(QUESTIONS_OF_A_QUIZ)
    )
    refresh_outline(course, now=NOW)
    assert (course.lessons.count(), len(quizzes)) == (LESSONS, QUIZZES)
    return course


def measure(name: str, act: Callable[[], Any], most: int) -> Any:
    begun = time.process_time()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        result = act()
    print(f"\n{name}: {len(queries)} queries, {time.process_time() - begun:.1f} s of CPU")  # noqa: T201 (asked for by -s)
    assert len(queries) <= most, name
    return result


def test_a_large_version_takes_few_queries(
    live: Course, ada: User, sam: User, browser_of: Callable[[User], Client]
) -> None:
    copy = measure("begin", lambda: services.begin_version(course=live, by=ada, now=NOW), 150)
    changed = list(copy.lessons.filter(kind="text").order_by("pk")[:120])
    for lesson in changed:
        lesson.body = lesson.body.replace("river", "stream", 3)
    Lesson.objects.bulk_update(changed, ["body"])
    rows = list(Question.objects.filter(quiz__lesson__course=copy).order_by("pk")[:600])
    for row in rows:
        row.prompt, row.answer = f"{row.prompt} Say it.", {"id": "b"}
    Question.objects.bulk_update(rows, ["prompt", "answer"])
    services.move_section(section=copy.sections.order_by("position")[0], by=ada, position=20, now=NOW)
    services.delete_section(section=copy.sections.order_by("position")[3], by=ada, now=NOW)
    browser = browser_of(ada)
    browser.get(f"{OWN}/versions")
    assert measure("difference page", lambda: browser.get(f"{OWN}/version"), 150).status_code == 200
    measure("submit", lambda: services.submit_course(course=live, by=ada, now=NOW), 150)
    reviewer = browser_of(sam)
    page = "/dashboard/admin/courses/rivers/review"
    assert measure("reviewer's page", lambda: reviewer.get(page), 250).status_code == 200
    measure("merge", lambda: services.decide_submission(course=live, by=sam, outcome="approved", now=NOW), 300)
    assert live.lessons.count() == LESSONS - LESSONS // 20
    browser.get(f"{OWN}/versions")
    assert (
        measure("history with a difference", lambda: browser.get(f"{OWN}/versions?from=1&to=2"), 40).status_code == 200
    )
    unchanged = services.begin_version(course=live, by=ada, now=NOW)
    assert services.discard_version(course=unchanged, by=ada, now=NOW) is None
