"""Lessons that open on a date or some days after enrollment, and lessons that don't count."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from apps.courses.models import Course, Lesson
from apps.courses.queries.openings import add_days, describe_opening, find_opening
from apps.courses.services import delete_lesson, require_order
from apps.learning.models import Certificate, Enrollment
from apps.learning.outline import Entry, Progress, blocker_of, place_all
from apps.learning.policies import watch
from apps.learning.queries.openable import openable_lessons
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.services import grant_enrollment, recount_course, revoke_enrollment
from tests.cases import all_cases
from tests.factories.files import VideoFactory
from tests.factories.learning import LessonProgressFactory

pytestmark = pytest.mark.edits_in_place

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def zone(settings: Any) -> Any:
    settings.TIME_ZONE = "Europe/Berlin"
    timezone.get_default_timezone.cache_clear()
    yield
    timezone.get_default_timezone.cache_clear()


@all_cases(
    "moment days expected",
    [
        # The clocks go forward on 29 March and back on 25 October: it stays nine o'clock in Berlin.
        (datetime(2026, 3, 28, 8, 0, tzinfo=UTC), 1, datetime(2026, 3, 29, 7, 0, tzinfo=UTC)),
        (datetime(2026, 10, 24, 7, 0, tzinfo=UTC), 1, datetime(2026, 10, 25, 8, 0, tzinfo=UTC)),
        (datetime(2026, 10, 25, 8, 0, tzinfo=UTC), -1, datetime(2026, 10, 24, 7, 0, tzinfo=UTC)),
        # Half past two does not exist on the day of the change: half past three.
        (datetime(2026, 3, 28, 1, 30, tzinfo=UTC), 1, datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
        (datetime(2028, 2, 28, 23, 30, tzinfo=UTC), 1, datetime(2028, 2, 29, 23, 30, tzinfo=UTC)),
    ],
)
def test_days_keep_the_time_of_day(zone: Any, moment: datetime, days: int, expected: datetime) -> None:
    assert add_days(moment, days) == expected


def test_an_opening_is_in_the_future_and_said_with_its_zone(zone: Any) -> None:
    assert find_opening(NOW + DAY, None, None, NOW) == NOW + DAY
    assert find_opening(NOW, None, None, NOW) is None
    assert find_opening(None, 7, NOW - 3 * DAY, NOW) == NOW + 4 * DAY
    assert find_opening(None, 7, NOW - 7 * DAY, NOW) is None
    assert find_opening(None, 7, None, NOW) is None
    moment = datetime(2027, 1, 11, 7, 0, tzinfo=UTC)
    assert describe_opening(moment, "Europe/Berlin") == "11 January 2027, 08:00 (CET)"
    assert describe_opening(moment, "America/New_York") == "11 January 2027, 02:00 (EST)"
    assert describe_opening(moment, "Asia/Kathmandu") == "11 January 2027, 12:45 (UTC+05:45)"
    assert describe_opening(moment, "Asia/Dubai") == "11 January 2027, 11:00 (UTC+04)"


def _set(course: Course, number: str, **values: Any) -> Lesson:
    Lesson.objects.filter(course=course, number=number).update(**values)
    Course.objects.filter(pk=course.pk).update(version=course.version + 1)
    course.refresh_from_db()
    return course.lessons.get(number=number)


@pytest.mark.django_db
def test_a_lesson_is_closed_everywhere_until_it_opens(
    course: Any, enrollment: Any, leo: Any, ada: Any, browser_of: Any
) -> None:
    opens_at = timezone.now() + 3 * DAY
    lesson = _set(course, "1.2", opens_at=opens_at, kind="video", video=VideoFactory(owner=ada))
    learner, staff = browser_of(leo), browser_of(ada)
    page = f"/learn/{course.slug}/{lesson.slug}"
    said = describe_opening(opens_at, leo.time_zone)

    refused = learner.get(page)
    assert refused.status_code == 403
    assert said in refused.content.decode()
    for method, address in (
        ("get", f"/api/v1/lessons/{lesson.uid}/player/"),
        ("post", f"/api/v1/lessons/{lesson.uid}/complete/"),
    ):
        answer = getattr(learner, method)(address)
        assert (answer.status_code, answer.json()["code"]) == (403, "LESSON_NOT_OPEN_YET"), address
    assert lesson.pk not in openable_lessons(leo)
    assert not watch(leo, lesson.video)
    assert said in learner.get(f"/course/lessons?course={course.slug}").content.decode()
    outline = learner.get(f"/api/v1/courses/{course.slug}/outline/").json()
    shown = outline["sections"][0]["lessons"][1]
    assert (shown["state"], shown["opens_at"][:10]) == ("locked", f"{opens_at:%Y-%m-%d}")
    assert staff.get(page).status_code == 200

    with time_machine.travel(opens_at + timedelta(minutes=1)):
        assert browser_of(leo).get(page).status_code == 200
        assert lesson.pk in openable_lessons(leo)
        assert watch(leo, lesson.video)


@pytest.mark.django_db
@pytest.mark.long
def test_days_count_from_the_first_enrollment(course: Any, leo: Any) -> None:
    lesson = _set(course, "1.2", opens_after_days=7)
    with time_machine.travel(NOW, tick=False):
        grant_enrollment(user=leo, course=course, now=NOW)
        assert lesson.pk not in openable_lessons(leo)
    with time_machine.travel(NOW + 8 * DAY, tick=False):
        assert lesson.pk in openable_lessons(leo)
        revoke_enrollment(leo, course, timezone.now())
        grant_enrollment(user=leo, course=course, now=timezone.now())
        assert lesson.pk in openable_lessons(leo)


@pytest.mark.django_db
def test_previews_and_completed_lessons_stay_open(course: Any, enrollment: Any, leo: Any) -> None:
    preview = _set(course, "1.1", opens_at=timezone.now() + DAY, is_preview=True)
    done = _set(course, "1.2", opens_at=timezone.now() + DAY)
    LessonProgressFactory(enrollment=enrollment, lesson=done, completed_at=NOW)
    assert {preview.pk, done.pk} <= openable_lessons(leo)


@pytest.mark.django_db
def test_what_a_learner_has_begun_stays_open_at_every_door(
    course: Any, enrollment: Any, leo: Any, ada: Any, browser_of: Any
) -> None:
    """A date, a prerequisite or an order that is set later is for those who have not begun."""
    lesson = _set(course, "1.3", kind="video", duration=60, video=VideoFactory(owner=ada))
    browser = browser_of(leo)
    page, saving = f"/learn/{course.slug}/{lesson.slug}", f"/api/v1/lessons/{lesson.uid}/progress/"
    assert browser.get(page).status_code == 200  # begun
    lesson.prerequisites.add(course.lessons.get(number="1.2"))
    require_order(course=course, by=ada, required=True, now=NOW)
    for values in ({}, {"opens_at": timezone.now() + DAY}, {"opens_at": None, "opens_after_days": 9_000}):
        _set(course, "1.3", **values)
        assert browser.get(page).status_code == 200
        body = {"position": 1, "watched": [[0, 1]]}
        assert browser.post(saving, body, content_type="application/json").status_code == 200
        assert browser.get(f"/api/v1/lessons/{lesson.uid}/player/").status_code == 200
        assert watch(leo, lesson.video)
        assert lesson.pk in openable_lessons(leo)
        shown = browser.get(f"/api/v1/courses/{course.slug}/outline/").json()["sections"][0]["lessons"][2]
        assert shown["state"] != "locked"
    # The next one is closed as before.
    assert course.lessons.get(number="2.1").pk not in openable_lessons(leo)


@pytest.mark.django_db
@pytest.mark.usefixtures("enrollment")
@pytest.mark.parametrize("in_order", [False, True])
def test_an_optional_prerequisite_must_be_complete(course: Any, leo: Any, ada: Any, in_order: bool) -> None:
    """An optional lesson blocks those that name it, and by the order no other."""
    optional = _set(course, "1.1", is_optional=True)
    first, second = (course.lessons.get(number=number) for number in ("1.2", "1.3"))
    second.prerequisites.add(optional)
    first.prerequisites.add(second)  # one that comes later could never be completed first where there is an order
    require_order(course=course, by=ada, required=in_order, now=NOW)
    course.refresh_from_db()
    assert (first.pk in openable_lessons(leo)) == in_order
    standing, outline = standing_of(leo, course), outline_of(course)
    done = replace(standing, progress={first.pk: Progress(0, 0, is_completed=True)})
    blocker = blocker_of(course, outline, done, second.pk)
    assert isinstance(blocker, Entry)
    assert blocker.pk == optional.pk
    assert [one.blocker for one in place_all(course, outline, done) if one.entry.pk == second.pk] == [blocker]


@pytest.mark.django_db
@pytest.mark.usefixtures("enrollment")
def test_a_removed_prerequisite_keeps_nothing_closed(course: Any, leo: Any, ada: Any) -> None:
    needed, lesson = (course.lessons.get(number=number) for number in ("1.2", "1.3"))
    lesson.prerequisites.add(needed)
    _set(course, "1.3")
    assert lesson.pk not in openable_lessons(leo)
    delete_lesson(lesson=needed, by=ada, now=NOW)
    assert lesson.pk in openable_lessons(leo)


@pytest.mark.django_db
def test_optional_lessons_neither_count_nor_block(course: Any, enrollment: Any, leo: Any, ada: Any) -> None:
    optional = _set(course, "1.2", is_optional=True)
    require_order(course=course, by=ada, required=True, now=NOW)
    for lesson in course.lessons.exclude(pk=optional.pk).order_by("number"):
        assert lesson.pk in openable_lessons(leo)
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=NOW)
    recount_course(course=course, now=NOW)
    enrollment = Enrollment.objects.get(pk=enrollment.pk)
    assert (enrollment.percent, enrollment.completed_lessons) == (100, 5)
    assert Certificate.objects.get(enrollment=enrollment).lesson_count == 5
    LessonProgressFactory(enrollment=enrollment, lesson=optional, completed_at=NOW)
    recount_course(course=course, now=NOW)
    assert Enrollment.objects.get(pk=enrollment.pk).completed_lessons == 5


@pytest.mark.django_db
@pytest.mark.long
def test_the_form_and_the_fields_say_when_a_lesson_opens(course: Any, ada: Any, browser_of: Any) -> None:
    browser, lesson = browser_of(ada), course.lessons.get(number="1.2")
    address = f"/dashboard/instructor/courses/{course.slug}/lectures/{lesson.slug}"
    texts = {"title": "Bends", "is_optional": "on"}
    both = browser.post(address, {**texts, "opens_at": "2027-01-11T08:00", "opens_after_days": "3"})
    assert "Choose a date or a number of days, not both." in both.content.decode()
    assert browser.post(address, {**texts, "opens_at": "2027-01-11T08:00"}).status_code == 302
    lesson.refresh_from_db()
    assert (lesson.is_optional, lesson.opens_after_days) == (True, None)
    assert timezone.localtime(lesson.opens_at).strftime("%Y-%m-%dT%H:%M") == "2027-01-11T08:00"
    assert 'value="2027-01-11T08:00"' in browser.get(address).content.decode()

    fields = browser.get(f"/api/v1/studio/lessons/{lesson.uid}/").json()["values"]
    new = {"opens_after_days": 5, "opens_at": None}
    changes = {name: {"value": value, "base": fields[name]["version"]} for name, value in new.items()}
    body = {"client": "tab", "fields": changes}
    saved = browser.patch(f"/api/v1/studio/lessons/{lesson.uid}/", body, content_type="application/json").json()
    assert [one["state"] for one in saved["outcomes"]] == ["saved", "saved"]
    lesson.refresh_from_db()
    assert (lesson.opens_at, lesson.opens_after_days) == (None, 5)
