"""How long learners watched, per day and course: each second once, and never more than there was time."""

from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.learning import services
from apps.learning.activity.watched_time import IN_ADVANCE, MAX_STORED, pass_time, seconds_counted
from apps.learning.models import WatchedDay
from tests.factories.courses import LessonFactory
from tests.factories.learning import EnrollmentFactory

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def play(leo, course, enrollment, now):
    """Return a function that sends what was watched of a lesson, and when, in seconds after the first call."""
    lessons = [LessonFactory(section__course=course, kind="video", duration=600) for _ in range(3)]

    def send(start, end, *, after, lesson=0):
        services.save_watching(
            user=leo, lesson_uid=lessons[lesson].uid, position=end, watched=[[start, end]], now=now + after * SECOND
        )

    return send


def seconds():
    return sum(WatchedDay.objects.values_list("seconds", flat=True))


def test_a_lesson_counts_each_second_once_by_the_begun_minute(play, leo, course, now):
    play(0, 1, after=0)
    for moment in range(10, 601, 10):
        play(moment - 10, moment, after=moment)
        play(0, moment, after=moment)  # the same seconds are sent again

    [row] = WatchedDay.objects.all()
    assert (row.user, row.course, row.day, row.seconds) == (leo, course, now.date(), 600)

    play(0, 600, after=5000)
    assert seconds() == 600


def test_a_client_that_sends_big_numbers_counts_no_more_than_the_time(play):
    play(0, 1, after=0)
    for moment in range(1, 61):
        play(0, 600, after=moment)

    assert seconds() <= 60 + IN_ADVANCE


def test_parallel_tabs_count_no_more_than_the_time(play):
    for lesson in range(3):
        play(0, 1, after=0, lesson=lesson)
    for moment in range(10, 301, 10):
        for lesson in range(3):
            play(moment - 10, moment, after=moment, lesson=lesson)

    assert 300 <= seconds() <= 300 + IN_ADVANCE


def test_a_day_and_a_course_have_a_row_each(play, leo, course, now):
    other = LessonFactory(kind="video", duration=600)
    EnrollmentFactory(user=leo, course=other.section.course, enrolled_at=now)
    play(0, 1, after=0)
    play(1, 120, after=120)
    play(120, 180, after=86_400)
    for after in (86_410, 86_440):
        services.save_watching(user=leo, lesson_uid=other.uid, position=30, watched=[[0, 30]], now=now + after * SECOND)

    first, second = now.date(), date.fromordinal(now.date().toordinal() + 1)
    found = set(WatchedDay.objects.values_list("course", "day", "seconds"))
    assert found == {(course.pk, first, 120), (course.pk, second, 60), (other.section.course_id, second, 30)}


def test_a_save_that_fails_counts_nothing(play, monkeypatch):
    play(0, 1, after=0)
    before = seconds()
    monkeypatch.setattr("apps.learning.services.progress._SAVE", lambda **_: 0)

    with pytest.raises(services.progress.Conflict):
        play(1, 300, after=300)

    assert seconds() == before


def test_what_was_watched_without_a_connection_counts_when_it_arrives(play):
    play(0, 1, after=0)
    play(1, 500, after=500)

    assert seconds() == 500


def test_counting_costs_one_write_a_minute(play):
    play(0, 1, after=0)
    with CaptureQueriesContext(connection) as queries:
        for moment in range(10, 301, 10):
            play(moment - 10, moment, after=moment)

    assert 4 <= len([query for query in queries if "watchedday" in query["sql"]]) <= 5


def test_real_time_is_stored_for_two_hours_at_most():
    assert pass_time(0, 10) == 10
    assert pass_time(5, -10) == 5  # a clock that was set back
    assert pass_time(0, 10 * MAX_STORED) == MAX_STORED
    assert seconds_counted(-IN_ADVANCE, 60) == 0
    assert seconds_counted(0, 60) == 60
    assert seconds_counted(-30, 60) == 30
    assert seconds_counted(-IN_ADVANCE - 10, 60) == 0
