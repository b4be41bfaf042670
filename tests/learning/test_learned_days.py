"""Learned days, streaks, achievements: across time zones and clock changes, late, repeated, in any order."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts import queries as people_queries
from apps.accounts import services as people
from apps.accounts.models import Notification
from apps.learning import services
from apps.learning.activity import learned_days
from apps.learning.activity.history import Completed, achievements_of, days_of
from apps.learning.models import Achievement, LearnedDay, WatchedDay
from apps.learning.practice.day import day_of
from apps.learning.queries import figures
from apps.learning.queries.learned_days import today_of
from apps.learning.services.learned_days import award, day_zone_of, record
from studyplatform.kit.text.zones import zone_named
from tests.factories.courses import LessonFactory
from tests.learning.conftest import open_lesson

pytestmark = pytest.mark.django_db
ZONES = ["UTC", "Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Pago_Pago"]
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def kinds(user):
    return set(Achievement.objects.filter(user=user).values_list("kind", flat=True))


def days(user):
    """What was learned by day. A day on which a late report arrived has a row without anything learned."""
    rows = LearnedDay.objects.filter(user=user)
    return {row.day: (row.seconds, row.lessons) for row in rows if row.seconds or row.lessons}


# --- without a database


@settings(deadline=None)
@given(
    st.sets(st.dates(date(2026, 1, 1), date(2026, 2, 20)), max_size=40), st.dates(date(2026, 1, 1), date(2026, 2, 20))
)
def test_streaks_equal_those_counted_day_by_day(found, today):
    def back(day):
        count = 0
        while day in found:
            count, day = count + 1, day - DAY
        return count

    def around(day):
        while day + DAY in found:
            day += DAY
        return back(day)

    nearest = [day for day in (today, today + DAY, today - DAY) if day in found]
    assert learned_days.streak_on(found, today) == (around(nearest[0]) if nearest else 0)
    assert learned_days.best_streak(found) == max((back(day) for day in found), default=0)


@settings(deadline=None)
@given(st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)), st.sampled_from(ZONES), st.integers(-200, 10))
def test_the_day_is_that_of_the_learners_clock(naive, zone, hours):
    now = naive.replace(tzinfo=UTC)
    at = now + hours * HOUR
    found = learned_days.local_moment(at, zone, now=now)

    believed = now if at > now else max(at, now - 2 * DAY)
    offset = (
        ZoneInfo(zone).utcoffset(believed.replace(tzinfo=None))
        if zone == "UTC"
        else believed.astimezone(ZoneInfo(zone)).utcoffset()
    )
    assert found.date() == (believed.replace(tzinfo=None) + offset).date()


def test_an_unknown_zone_is_utc():
    for name in ("Mars/Olympus", "", "../etc/passwd", "\x00", "x" * 64):
        assert zone_named(name).key == "UTC"


# --- recorded


EVENTS = st.lists(
    st.tuples(
        st.integers(0, 47 * 60),  # minutes before now
        st.sampled_from([0, 30, 60, 299, 300]),
        st.integers(0, 2),
        st.sampled_from(ZONES),
    ),
    max_size=12,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=EVENTS,
    order=st.randoms(use_true_random=False),
    now=st.sampled_from(
        [
            datetime(2026, 3, 29, 20, tzinfo=UTC),  # Helsinki: clocks go forward
            datetime(2026, 10, 25, 20, tzinfo=UTC),  # and back
            datetime(2026, 11, 1, 12, tzinfo=UTC),  # New York
            datetime(2026, 7, 1, 0, tzinfo=UTC),
        ]
    ),
)
def test_days_and_achievements_are_the_same_in_any_order(leo, events, order, now):
    LearnedDay.objects.all().delete()
    Achievement.objects.all().delete()
    days_before = [now - 3 * DAY, now - 2 * DAY, now - DAY, now, now + DAY]
    LearnedDay.objects.bulk_create(LearnedDay(user=leo, day=moment.date()) for moment in days_before)  # seen live
    shuffled = list(events)
    order.shuffle(shuffled)
    for minutes, seconds, lessons, zone in shuffled:
        record(
            user_id=leo.pk, zone=zone, now=now, at=now - timedelta(minutes=minutes), seconds=seconds, lessons=lessons
        )

    slow, late, early = {}, {}, {}
    for minutes, seconds, lessons, zone in events:
        if not seconds and not lessons:
            continue
        moment = (now - timedelta(minutes=minutes)).astimezone(ZoneInfo(zone))
        before = slow.get(moment.date(), (0, 0))
        slow[moment.date()] = (before[0] + seconds, before[1] + lessons)
        for hours, sums in ((range(22, 24), late), (range(7), early)):
            if moment.hour in hours and minutes <= 60:
                sums[moment.date()] = sums.get(moment.date(), 0) + seconds + 300 * lessons
    assert days(leo) == slow

    counted = {day for day, (seconds, lessons) in slow.items() if lessons or seconds >= 300}
    expected = set()
    if any({day, day + DAY, day + 2 * DAY} <= counted for day in counted):
        expected.add("three_days")
    if any(lessons >= 5 for _seconds, lessons in slow.values()):
        expected.add("five_lessons")
    if any(total >= 300 for total in late.values()):
        expected.add("late")
    if any(total >= 300 for total in early.values()):
        expected.add("early")
    assert kinds(leo) == expected


def test_a_week_is_completed_by_the_day_that_was_missing(leo, now):
    for back in (6, 5, 4, 2, 1, 0):
        record(user_id=leo.pk, zone="UTC", now=now - back * DAY, seconds=300)
    assert kinds(leo) == {"three_days"}

    record(user_id=leo.pk, zone="UTC", now=now - 2 * DAY, at=now - 3 * DAY, seconds=300)
    assert kinds(leo) == {"three_days", "seven_days"}


def test_an_achievement_is_earned_once_told_once_and_never_lost(leo, now):
    for _ in range(3):
        award(user_id=leo.pk, kind="late", day=now.date(), now=now)
    [row] = Achievement.objects.all()
    assert (row.earned_at, row.day) == (now, now.date())
    assert Notification.objects.filter(user=leo, kind="learning.achievement").count() == 1

    leo.time_zone = "Asia/Tokyo"
    leo.save()
    record(user_id=leo.pk, zone=leo.time_zone, now=now, lessons=1)
    assert kinds(leo) == {"late"}


def test_a_new_time_zone_moves_no_day(leo, now):
    for back in (2, 1, 0):
        record(
            user_id=leo.pk, zone="Pacific/Pago_Pago" if back else "Pacific/Kiritimati", now=now - back * DAY, lessons=1
        )
    assert len(days(leo)) == 3


# --- by what learners do


def watch(user, lesson, start, end, now, at=None):
    services.save_watching(user=user, lesson_uid=lesson.uid, position=end, watched=[[start, end]], now=now, at=at)


def test_watching_counts_on_the_learners_own_day(leo, course, enrollment, now):
    leo.time_zone = "Pacific/Auckland"
    leo.save()
    lesson = LessonFactory(section__course=course, kind="video", duration=600)
    watch(leo, lesson, 0, 1, now)
    for moment in range(10, 601, 10):
        watch(leo, lesson, moment - 10, moment, now + timedelta(seconds=moment))
        watch(leo, lesson, 0, moment, now + timedelta(seconds=moment))  # sent again

    # Noon in UTC is one in the morning of the next day in Auckland; Premium counts by UTC.
    assert days(leo) == {now.date() + DAY: (600, 1)}
    assert WatchedDay.objects.get().day == now.date()
    assert kinds(leo) == {"early"}


def test_what_was_watched_offline_counts_on_its_own_day(leo, course, enrollment, now):
    lesson = LessonFactory(section__course=course, kind="video", duration=3600)
    open_lesson(leo, lesson, now - 3 * DAY)
    watch(leo, lesson, 0, 600, now, at=now - DAY)
    watch(leo, lesson, 0, 600, now, at=now - DAY)
    assert days(leo) == {now.date() - DAY: (600, 0)}

    other = LessonFactory(section__course=course, kind="video", duration=3600)
    open_lesson(leo, other, now)
    watch(leo, other, 0, 60, now + HOUR, at=now - DAY)  # before it was opened
    assert days(leo)[now.date()] == (60, 0)


def report(user, now, *times, zone="UTC"):
    """Late reports of five minutes each."""
    for at in times:
        record(user_id=user.pk, zone=zone, now=now, at=at, seconds=300)


def test_late_reports_make_one_day_that_the_site_knows_nothing_about(leo, now):
    record(user_id=leo.pk, zone="UTC", now=now - 3 * DAY, seconds=300)
    report(leo, now, now, now - DAY, now - 2 * DAY, now - DAY)

    assert days(leo) == {(now - 3 * DAY).date(): (300, 0), (now - DAY).date(): (600, 0), now.date(): (600, 0)}
    assert kinds(leo) == set()  # the day between counted today


def test_a_learner_who_was_offline_for_a_day_keeps_the_streak(leo, now):
    record(user_id=leo.pk, zone="UTC", now=now - 2 * DAY, seconds=300)
    report(leo, now, now - DAY - HOUR, now - DAY)
    record(user_id=leo.pk, zone="UTC", now=now, lessons=1)

    assert kinds(leo) == {"three_days"}
    assert LearnedDay.objects.get(is_only_reported=True).day == (now - DAY).date()


def test_one_day_a_week_is_believed_from_late_reports_alone(leo, now):
    for later in (0, 6, 8, 15):
        record(user_id=leo.pk, zone="UTC", now=now + later * DAY, at=now + (later - 1) * DAY, lessons=1)

    believed = LearnedDay.objects.filter(is_only_reported=True).values_list("day", flat=True)
    assert {(day - now.date()).days for day in believed} == {-1, 7, 14}


def test_late_reports_count_on_days_on_which_the_site_saw_the_learner(leo, now):
    for back in (2, 1, 0):
        record(user_id=leo.pk, zone="UTC", now=now - back * DAY, seconds=10)
    report(leo, now, now - 2 * DAY, now - DAY, now)

    assert set(days(leo).values()) == {(310, 0)}
    assert not LearnedDay.objects.filter(is_only_reported=True).exists()


def test_a_report_across_midnight_is_live_and_a_late_one_earns_nothing_by_its_hour(leo, now):
    midnight = now.replace(hour=0, minute=5)
    report(leo, midnight, midnight - timedelta(minutes=10))
    assert (list(days(leo)), kinds(leo)) == ([midnight.date() - DAY], {"late"})

    Achievement.objects.all().delete()
    report(leo, midnight + 9 * HOUR, midnight - HOUR, midnight + HOUR)
    assert kinds(leo) == set()


def test_a_text_counts_the_time_it_was_open_once(leo, course, enrollment, lessons, now):
    for lesson in lessons[:2]:
        lesson.body = "word " * 600
        lesson.save()
        open_lesson(leo, lesson, now)
    services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now + timedelta(seconds=200))
    services.complete_lesson(user=leo, lesson_uid=lessons[1].uid, now=now + timedelta(seconds=300))
    services.complete_lesson(user=leo, lesson_uid=lessons[1].uid, now=now + timedelta(seconds=900))

    assert days(leo) == {now.date(): (300, 2)}
    # Of its course as well, for what teams see of their seats; Premium is shared by videos alone.
    assert [row.learned for row in figures.learned_days(now.date(), now.date() + timedelta(days=1))] == [300]
    assert not figures.watched_days(now.date(), now.date() + timedelta(days=1)).exists()
    visits = figures.lesson_visits().values_list("user", "course", "visited_at")
    assert max(visits) == (leo.pk, course.pk, now + timedelta(seconds=300))


def test_a_watched_minute_and_its_day_are_written_together_or_not_at_all(leo, course, enrollment, now, monkeypatch):
    lesson = LessonFactory(section__course=course, kind="video", duration=600)
    open_lesson(leo, lesson, now)

    def die(*args, **kwargs):
        raise RuntimeError("the process ends here")

    monkeypatch.setattr("apps.learning.services.learned_days._add", die)
    with pytest.raises(RuntimeError):
        watch(leo, lesson, 0, 60, now + timedelta(seconds=60))
    assert not WatchedDay.objects.exists()
    assert enrollment.progress.get(lesson=lesson).watched_seconds == 0


# --- learners who studied before


def test_history_gives_the_same_days_and_the_moments_of_achievements(leo, now):
    completed = [
        Completed(now - back * DAY + number * HOUR, 60) for back in range(7) for number in range((back and 1) or 5)
    ]
    found = days_of("UTC", {now.date() - 9 * DAY: 400}, completed)

    assert {day: row.lessons for day, row in found.items()} == {
        now.date() - 9 * DAY: 0,
        **{now.date() - back * DAY: 1 for back in range(1, 7)},
        now.date(): 5,
    }
    earned = dict(achievements_of("UTC", found, completed))
    assert earned["three_days"] == now - 4 * DAY
    assert earned["seven_days"] == now + 4 * HOUR
    assert earned["five_lessons"] == now + 4 * HOUR
    assert "late" not in earned


def test_rebuilding_twice_changes_nothing(leo, enrollment, lessons, now):
    for number, lesson in enumerate(lessons):
        open_lesson(leo, lesson, now)
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now + (number + 1) * HOUR)
    before = kinds(leo)
    services.rebuild_learned_days(user=leo, now=now)
    once = days(leo)
    services.rebuild_learned_days(user=leo, now=now)

    assert (days(leo), kinds(leo)) == (once, before)
    assert once == {now.date(): (360, 6)}


def test_a_new_time_zone_counts_from_the_next_day(leo):
    """Otherwise three dates pass in a minute: 26 October in Samoa, 27 in London, 28 in Kiritimati."""
    now = datetime(2026, 10, 27, 10, 30, tzinfo=UTC)
    for zone in ("Pacific/Pago_Pago", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Kiritimati"):
        people.save_profile(user=leo, changes={"time_zone": zone}, now=now)
        record(user_id=leo.pk, zone=day_zone_of(leo, now), now=now, lessons=1)

    assert days(leo) == {date(2026, 10, 27): (0, 4)}
    assert leo.time_zone == "Pacific/Kiritimati"
    assert today_of(leo, now=now) == date(2026, 10, 27)
    midnight = datetime(2026, 10, 28, tzinfo=UTC)
    assert today_of(leo, now=midnight - timedelta(seconds=1)) == date(2026, 10, 27)
    assert today_of(leo, now=midnight) == date(2026, 10, 28)


@pytest.mark.parametrize("zone", ["Pacific/Pago_Pago", "Pacific/Kiritimati"])
def test_a_new_time_zone_gives_no_second_day_of_practice(leo, zone):
    now = datetime(2026, 10, 27, 10, 30, tzinfo=UTC)
    before = day_of(now, people_queries.day_zone_of(leo, now))

    people.save_profile(user=leo, changes={"time_zone": zone}, now=now)

    assert day_of(now, people_queries.day_zone_of(leo, now)) == before
