"""A million lessons begun by ten thousand learners, on PostgreSQL: counted right, and within how many queries.

It prints how long a rebuild takes (pytest -s); docs/performance.md says what was measured.
"""

import time
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.analytics.counting import Counting, rebuild
from apps.learning.analytics.courses import scope_of
from apps.learning.analytics.curves import retention_of, usual_band
from apps.learning.analytics.funnel import funnel_of
from apps.learning.analytics.lessons import lessons_of
from apps.learning.analytics.metrics import metrics_of
from apps.learning.analytics.periods import last_days
from apps.learning.analytics.series import series_of
from apps.learning.models import CourseDay, EnrollmentRollup, LessonProgress, LessonRollup
from tests.cpu import CpuClock
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.long]

LEARNERS = 10_000
LESSONS = 50  # in each of two courses
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
DURATION = 600  # seconds of each video


@pytest.fixture
def courses() -> list[Course]:
    if connection.vendor != "postgresql":
        pytest.skip("it fills the tables by SQL of PostgreSQL")
    teacher = UserFactory(role="instructor")
    made = [CourseFactory(instructor=teacher, status="published") for _number in range(2)]
    for course in made:
        section = SectionFactory(course=course)
        for _number in range(LESSONS):
            LessonFactory(section=section, kind="video", duration=DURATION, update_counts=False)
    User.objects.bulk_create(
        User(username=f"many{number}", email=f"many{number}@example.com") for number in range(LEARNERS)
    )
    with connection.cursor() as cursor:
        for course in made:
            _fill(cursor, course.pk)
        cursor.execute("ANALYZE")
    return made


def _fill(cursor: object, course: int) -> None:
    """Enroll everyone, let them watch every lesson (the first minutes, by their number), and count their days."""
    run = cursor.execute  # type: ignore[attr-defined]
    run(
        "INSERT INTO learning_enrollment (uid, user_id, course_id, enrolled_at, last_activity_at, completed_lessons,"
        " percent, milestone) SELECT gen_random_uuid(), id, %s,"
        " timestamptz '2026-01-01' + (id %% 120) * interval '1 day',"
        " timestamptz '2026-05-01' + (id %% 30) * interval '1 day', 0, 0, 0 FROM accounts_user"
        " WHERE username LIKE 'many%%'",
        [course],
    )
    run(
        "INSERT INTO learning_lessonprogress (enrollment_id, lesson_id, position, watched, watched_seconds, granted,"
        " started_at, updated_at, completed_at, revision)"
        " SELECT e.id, l.id, 0, jsonb_build_array(jsonb_build_array(0, 60 + e.id %% 300),"
        " jsonb_build_array(400, 400 + e.id %% 200)), 60 + e.id %% 300 + e.id %% 200, 0,"
        " e.enrolled_at + l.position * interval '1 day', now(),"
        " CASE WHEN e.id %% 3 = 0 THEN e.enrolled_at + l.position * interval '1 day' + interval '1 hour' END, 0"
        " FROM learning_enrollment e JOIN courses_lesson l ON l.course_id = e.course_id WHERE e.course_id = %s",
        [course],
    )
    run(
        "INSERT INTO learning_watchedday (user_id, course_id, day, seconds, other_seconds)"
        " SELECT e.user_id, e.course_id, (e.enrolled_at + n * interval '1 day')::date, 300, 20"
        " FROM learning_enrollment e, generate_series(1, 20) n WHERE e.course_id = %s",
        [course],
    )


def test_a_million_rows_are_counted(courses: list[Course]) -> None:
    assert LessonProgress.objects.count() == 2 * LEARNERS * LESSONS
    clock = CpuClock()
    began, computed = time.perf_counter(), clock.read()
    with CaptureQueriesContext(connection) as queries:
        rebuild(Counting(NOW))
    took, cpu = time.perf_counter() - began, clock.read() - computed
    print(f"\nrebuilt in {took:.1f} s, {cpu:.1f} s of CPU, with {len(queries)} queries")  # noqa: T201 (what it is run for)

    lessons = Lesson.objects.filter(course=courses[0]).order_by("position")
    row = LessonRollup.objects.get(lesson=lessons[0])
    assert (row.began, row.reached, row.retention_learners) == (LEARNERS, LEARNERS, LEARNERS)
    found = retention_of(lessons[0])
    assert found is not None
    assert (found.percents[0], found.percents[399]) == (100.0, 0.0)
    assert EnrollmentRollup.objects.filter(seconds=20 * 320).count() == 2 * LEARNERS
    assert sum(CourseDay.objects.filter(course=courses[0]).values_list("enrollments", flat=True)) == LEARNERS
    assert rebuild(Counting(NOW, is_dry=True)).total_changes() == 0
    _print_reading(courses)


def _print_reading(courses: list[Course]) -> None:
    scope = scope_of(courses[0].instructor)
    lesson = Lesson.objects.filter(course=courses[0]).earliest("pk")
    for name, read in {
        "metrics": lambda: metrics_of(scope, now=NOW),
        "series of a year": lambda: series_of(scope, last_days(365, now=NOW)),
        "funnel of a year": lambda: funnel_of(scope, last_days(365, now=NOW)),
        "lessons": lambda: lessons_of(scope.pks[0]),
        "retention": lambda: retention_of(lesson),
        "usual band": lambda: usual_band(scope),
    }.items():
        began = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            read()
        print(f"{name}: {1000 * (time.perf_counter() - began):.0f} ms, {len(queries)} queries")  # noqa: T201
