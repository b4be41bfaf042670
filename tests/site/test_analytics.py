"""The pages of analytics: what they say, to whom, and in how many queries."""

import csv
import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.analytics.counting import Counting, rebuild
from apps.learning.analytics.periods import MAX_PERIOD_DAYS
from apps.learning.analytics.tables import TABLES
from apps.learning.models import (
    AnalyticsReport,
    CourseVisit,
    Enrollment,
    LessonProgress,
    LessonRollup,
    QuestionRollup,
    WatchedDay,
)
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory, RatingFactory

pytestmark = pytest.mark.django_db

ANALYTICS = "/dashboard/instructor/analytics/"
METRICS = [
    "Total students", "Active students in the last 30 days", "Completion rate", "Average rating", "Total revenue",
    "Monthly earnings", "Pending payout", "Next payout date",
]  # fmt: skip
MOST_QUERIES = 15

SignIn = Callable[[User], Client]


def learn(course: Course, count: int, *, days: int = 3) -> list[Enrollment]:
    """Let new learners begin the first lesson of the course so many days ago, and spend two minutes."""
    then = timezone.now() - timedelta(days=days)
    lesson = course.lessons.order_by("section__position", "position")[0]
    enrollments = [EnrollmentFactory(course=course, enrolled_at=then, last_activity_at=then) for _one in range(count)]
    LessonProgress.objects.bulk_create(
        LessonProgress(enrollment=one, lesson=lesson, started_at=then, updated_at=then) for one in enrollments
    )
    WatchedDay.objects.bulk_create(
        WatchedDay(user=one.user, course=course, day=then.date(), seconds=120) for one in enrollments
    )
    return enrollments


def count() -> None:
    rebuild(Counting(timezone.now()))


def page_of(browser: Client, address: str, query: dict[str, str] | None = None) -> str:
    answer = browser.get(address, query or {})
    assert answer.status_code == 200
    return str(answer.content.decode())


def rows_of(browser: Client, name: str, query: dict[str, str] | None = None) -> list[list[str]]:
    answer: Any = browser.get(f"{ANALYTICS}files/{name}.csv", query or {})
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.reader(StringIO(text)))


def test_the_number_of_a_lesson_stays_itself_in_a_spreadsheet(browser_of: SignIn, ada: User, course: Course) -> None:
    """Excel makes 1.1 of "1.10"."""
    Lesson.objects.filter(pk=course.lessons.all()[0].pk).update(number="1.10")
    head, first, *_more = rows_of(browser_of(ada), "lessons")
    assert head[1:3] == ["Section", "Number"]
    assert ["1", "10"] in [row[1:3] for row in (first, *_more)]


# The overview


def test_the_page_has_the_eight_metrics_and_charts_with_tables(browser_of: SignIn, ada: User, course: Course) -> None:
    learn(course, 12)
    RatingFactory(enrollment=course.enrollments.all()[0], course=course, text="Clear <b>and</b> short.")
    count()

    page = page_of(browser_of(ada), ANALYTICS)

    tiles = re.findall(r'<div class="kpi"><dt>([^<]+)</dt>', page)
    assert tiles == METRICS
    assert page.count('<table class="table" data-chart-table>') == 3  # people, time, lessons; nothing was sold
    assert "Nothing was sold in these months." in page
    assert "12 people are studying with you; no one was a year ago" in page
    assert "Clear &lt;b&gt;and&lt;/b&gt; short." in page
    assert 'aria-current="page">' in page[page.index('class="rail__nav"') :]
    assert "What is recorded of learners, and for how long" in page


def test_a_course_and_days_are_chosen(browser_of: SignIn, ada: User, course: Course) -> None:
    other = CourseFactory(instructor=ada, status="published", slug="hills", title="Hills")
    LessonFactory(section=SectionFactory(course=other), course=other)
    learn(course, 7)
    learn(other, 5, days=40)
    count()
    browser = browser_of(ada)

    def enrolled(query: dict[str, str]) -> tuple[str, ...]:
        page = page_of(browser, ANALYTICS, query)
        row = r'<th scope="row">New enrollments</th><td class="n">(\d+)</td><td class="n">(\d+)</td>'
        [numbers] = re.findall(row, page)
        return tuple(numbers)

    assert enrolled({}) == ("12", "0")
    assert enrolled({"course": "hills"}) == ("5", "0")
    assert enrolled({"range": "30"}) == ("7", "5")
    day = (timezone.now() - timedelta(days=40)).date().isoformat()
    assert enrolled({"from": day, "to": day}) == ("5", "0")
    page = page_of(browser, ANALYTICS, {"from": "2026-13-01", "to": "yesterday", "compare": "1"})
    assert "Enter both days as dates" in page
    assert "Active students, period before" in page


def test_somebody_without_courses_is_told_so(browser_of: SignIn, eve: User) -> None:
    for address in (ANALYTICS, f"{ANALYTICS}lessons/"):
        assert "No courses yet" in page_of(browser_of(eve), address)


def test_ten_years_are_the_longest_period(browser_of: SignIn, ada: User, course: Course) -> None:
    last = timezone.now().date()
    years = {"from": (last - timedelta(days=MAX_PERIOD_DAYS - 1)).isoformat(), "to": last.isoformat()}
    browser = browser_of(ada)

    assert "Enter both days as dates" not in page_of(browser, ANALYTICS, years | {"compare": "1"})
    assert len(rows_of(browser, "days", years)) == 1 + 2 * MAX_PERIOD_DAYS


def test_a_course_of_one_lesson_has_been_begun(browser_of: SignIn, ada: User, course: Course) -> None:
    others = course.lessons.order_by("section__position", "position")[1:]
    Lesson.objects.filter(pk__in=[other.pk for other in others]).delete()
    learn(course, 12)
    count()

    page = page_of(browser_of(ada), ANALYTICS)

    assert "No one has begun yet" not in page
    assert "Everyone who began has come to the last lesson" in page


def test_deleted_accounts_are_no_present_learners(browser_of: SignIn, ada: User, course: Course) -> None:
    gone = learn(course, 6)[0].user
    User.objects.filter(pk=gone.pk).update(deleted_at=timezone.now())
    count()
    browser = browser_of(ada)

    assert rows_of(browser, "metrics")[1][1] == "5"
    assert rows_of(browser, "courses")[1][2] == "5"


def test_nobody_reads_figures_of_others(
    browser_of: SignIn, ada: User, eve: User, leo: User, sam: User, course: Course
) -> None:
    learn(course, 6)
    film = LessonFactory(section=SectionFactory(course=course), course=course, kind="video", video=VideoFactory())
    quiz = QuizFactory(lesson__section=SectionFactory(course=course))
    joined = CoInstructorFactory(course=course)
    count()
    mine = [
        f"{ANALYTICS}?course={course.slug}",
        f"{ANALYTICS}lessons/?course={course.slug}",
        f"{ANALYTICS}lessons/{course.slug}/{film.slug}",
        f"{ANALYTICS}lessons/{course.slug}/{film.slug}.csv",
        f"{ANALYTICS}quizzes/{course.slug}/{quiz.lesson.slug}",
        f"{ANALYTICS}quizzes/{course.slug}/{quiz.lesson.slug}.csv",
        *(f"{ANALYTICS}files/{name}.csv?course={course.slug}" for name in TABLES),
        f"{ANALYTICS}reports/?course={course.slug}",
    ]

    def refused(user: User) -> list[str]:
        browser = browser_of(user)
        return [address for address in mine if browser.get(address).status_code != 200]

    assert refused(ada) == refused(sam) == refused(joined.user) == []
    assert refused(eve) == refused(leo) == mine
    joined.delete()
    assert refused(joined.user) == mine
    assert course.title not in page_of(browser_of(eve), ANALYTICS)
    assert [row for row in rows_of(browser_of(eve), "lessons") if course.title in row] == []


def test_a_lesson_of_another_course_is_not_found(browser_of: SignIn, ada: User, course: Course) -> None:
    foreign = LessonFactory(kind="video")
    own = course.lessons.all()[0]
    browser = browser_of(ada)

    assert browser.get(f"{ANALYTICS}lessons/{course.slug}/{foreign.slug}").status_code == 404
    assert browser.get(f"{ANALYTICS}lessons/{course.slug}/{own.slug}").status_code == 404  # a text
    assert browser.get(f"{ANALYTICS}files/nothing.csv").status_code == 404


@pytest.mark.parametrize("address", [ANALYTICS, f"{ANALYTICS}lessons/"])
def test_pages_take_few_queries_however_many_learn(browser_of: SignIn, ada: User, course: Course, address: str) -> None:
    learn(course, 30)
    for number in range(8):
        more = CourseFactory(instructor=ada, status="published", title=f"Course {number}")
        LessonFactory(section=SectionFactory(course=more), course=more, kind="video", duration=60)
        learn(more, 6)
    count()
    browser = browser_of(ada)
    browser.get(address)

    for query in ({}, {"course": course.slug, "range": "90", "compare": "1"}):
        with CaptureQueriesContext(connection) as queries:
            page_of(browser, address, query)
        assert len(queries) <= MOST_QUERIES, "\n".join(one["sql"][:150] for one in queries.captured_queries)


# Lessons, videos, quizzes


def test_few_visitors_are_hidden_and_more_of_them_blurred(browser_of: SignIn, ada: User, course: Course) -> None:
    learn(course, 6)
    today = timezone.now().date()
    visit = CourseVisit.objects.create(course=course, day=today, visitors=4)
    count()
    browser = browser_of(ada)

    assert "Read the course page" not in page_of(browser, f"{ANALYTICS}lessons/")
    assert rows_of(browser, "way")[1] == ["Read the course page", ""]
    CourseVisit.objects.filter(pk=visit.pk).update(visitors=23)
    assert rows_of(browser, "way")[1] == ["Read the course page", "20"]
    assert "Read the course page" in page_of(browser, f"{ANALYTICS}lessons/")


@pytest.fixture
def film(course: Course, ada: User) -> Lesson:
    section = SectionFactory(course=course)
    lesson: Lesson = LessonFactory(
        section=section,
        course=course,
        kind="video",
        video=VideoFactory(owner=ada, duration=90),
        duration=90,
        slug="film",
    )
    return lesson


def watch(lesson: Lesson, learners: int) -> None:
    counts = [learners] * 40 + [max(1, learners // 2)] * 50
    packed = b"".join(number.to_bytes(4, "little") for number in counts)
    values = {"retention": packed, "retention_learners": learners, "began": learners}
    LessonRollup.objects.update_or_create(lesson=lesson, defaults=values)


def test_the_retention_of_a_video_needs_five_learners(browser_of: SignIn, ada: User, film: Lesson) -> None:
    browser, address = browser_of(ada), f"{ANALYTICS}lessons/{film.course.slug}/film"
    watch(film, 4)

    assert "Too few learners yet" in page_of(browser, address)
    assert 'data-island="retention"' not in page_of(browser, address)
    lines = b"".join(browser.get(f"{address}.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert lines.count("\n") == 1

    watch(film, 10)
    page = page_of(browser, address)
    assert "How 10 learners watched this video" in page
    assert 'data-island="retention"' in page
    assert "data-chart-table" in page  # without scripts
    assert "50% of the learners watch to the end" in page
    assert "First 30 seconds: 100% of the learners were still there." in page
    lines = b"".join(browser.get(f"{address}.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert lines.splitlines()[1:3] == ["0,100.0,,,10", "1,100.0,,,10"]
    assert len(lines.splitlines()) == 91


def test_questions_of_a_quiz(browser_of: SignIn, ada: User, course: Course) -> None:
    quiz = QuizFactory(lesson__section=SectionFactory(course=course))
    asked, new = QuestionFactory(quiz=quiz, prompt="=HYPERLINK(1)"), QuestionFactory(quiz=quiz, prompt="New one")
    options = {option["id"]: 3 for option in asked.options}
    common = {"quiz": quiz, "unanswered": 1, "difficulty": 0.4, "discrimination": -0.7}
    QuestionRollup.objects.create(question_uid=asked.uid, responses=12, options=options, **common)
    QuestionRollup.objects.create(question_uid=new.uid, responses=4, **common)
    browser, address = browser_of(ada), f"{ANALYTICS}quizzes/{course.slug}/{quiz.lesson.slug}"

    page = page_of(browser, address)

    assert "Question 1 is answered better by those who otherwise know less" in page
    assert "4 responses so far: shown from 5 on." in page
    assert page.count("badge--ok") == 1
    lines = b"".join(browser.get(f"{address}.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert "\n'=HYPERLINK(1),12,1,40.0,-0.7" in lines
    assert "New one,4,,,," in lines


def test_lessons_that_stand_out_are_named(browser_of: SignIn, ada: User, film: Lesson) -> None:
    LessonRollup.objects.create(
        lesson=film, began=20, left_early=6, left_early_of=20, bookmarks=9, bookmark_learners=7, completed=8, reached=20
    )
    page = page_of(browser_of(ada), f"{ANALYTICS}lessons/")

    assert "30% of those who began it" in page
    assert f'href="{ANALYTICS}lessons/{film.course.slug}/film"' in page
    assert "Lessons in Rivers and Their Work" in page


# Files and reports


def test_everything_shown_is_a_file_that_spreadsheets_open_without_harm(
    browser_of: SignIn, ada: User, course: Course
) -> None:
    Course.objects.filter(pk=course.pk).update(title="=1+1")
    Lesson.objects.filter(course=course).update(title="@SUM(A1)")
    learn(course, 6)
    RatingFactory(enrollment=course.enrollments.all()[0], course=course, text="+cmd|' /C calc'!A0")
    count()
    browser = browser_of(ada)

    tables = {name: rows_of(browser, name, {"range": "30"}) for name in TABLES}

    cells = [cell for rows in tables.values() for row in rows for cell in row]
    assert [cell for cell in cells if cell[:1] in {"=", "+", "@"}] == []
    assert "'=1+1" in cells
    assert "'+cmd|' /C calc'!A0" in cells
    assert [row[0] for row in tables["metrics"][1:]] == METRICS
    assert len(tables["days"]) == 1 + 2 * 30
    assert all(len({len(row) for row in rows}) == 1 for rows in tables.values())


def test_a_report_is_scheduled_and_ended(browser_of: SignIn, ada: User, course: Course) -> None:
    browser = browser_of(ada)
    answer = browser.post(f"{ANALYTICS}reports/", {"course": course.slug, "frequency": "daily"})
    assert answer.status_code == 400
    assert "Choose how often" in answer.content.decode()

    page = browser.post(f"{ANALYTICS}reports/", {"course": course.slug, "frequency": "weekly"}, follow=True)
    assert "Every Monday" in page.content.decode()
    report = AnalyticsReport.objects.get(user=ada, course=course)
    browser.post(f"{ANALYTICS}reports/{report.uid}/end")

    assert not AnalyticsReport.objects.exists()


def test_learners_read_what_is_recorded_in_their_settings(browser_of: SignIn, leo: User, ada: User) -> None:
    CourseFactory(instructor=ada)
    found = [
        re.search(r'<dl class="recorded">.*?</dl>', page_of(browser_of(user), address), re.DOTALL)
        for user, address in ((leo, "/settings/privacy"), (ada, ANALYTICS))
    ]

    assert found[0] is not None
    assert found[1] is not None
    assert found[0][0] == found[1][0]
    assert "for 5 learners or more" in found[0][0]


def test_an_admin_reads_any_course_alone(browser_of: SignIn, sam: User, course: Course) -> None:
    learn(course, 6)
    count()
    browser = browser_of(sam)

    assert course.title not in page_of(browser, ANALYTICS)
    page = page_of(browser, ANALYTICS, {"course": course.slug})
    assert f'<option value="{course.slug}" selected>' in page
    assert UserFactory().display_name not in page
