"""Heartbeats, completion, milestones."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.courses.errors import LectureUnavailable
from apps.learning import services
from apps.learning.errors import LessonCompletesItself, NotEnrolled, PrerequisiteNotMet
from apps.learning.events import CertificateIssued, LessonCompleted, MilestoneReached
from apps.learning.models import Certificate, Enrollment, LessonProgress
from studyplatform.kit.errors import NotAuthenticated
from tests.factories.courses import LessonFactory

pytestmark = pytest.mark.database

SECOND = timedelta(seconds=1)


@pytest.fixture
def told(monkeypatch):
    events = []
    for module in ("progress", "certificates"):
        monkeypatch.setattr(f"apps.learning.services.{module}.publish", events.append)
    return events


@pytest.fixture
def watch(leo, film, seat, now):
    """Leo's player speaks: what was watched, where he is, how many seconds after noon."""

    def say(watched=(), *, position=0.0, after=0.0, at=None, user=leo):
        return services.save_watching(
            user=user,
            lesson_uid=film.uid,
            position=position,
            watched=list(watched),
            at=None if at is None else now + at * SECOND,
            now=now + after * SECOND,
        )

    return say


def test_distinct_seconds_add_up_once(watch):
    watch([[0, 10]], position=10, after=0)
    watch([[0, 10], [5, 20]], position=20, after=20)
    saved = watch([[40, 50]], position=50, after=40)

    assert saved.progress.watched == [[0, 20], [40, 50]]
    assert saved.progress.watched_seconds == 30
    assert LessonProgress.objects.get().watched_seconds == 30


def test_a_repeated_message_writes_nothing(watch):
    watch([[0, 10]], position=10)
    before = LessonProgress.objects.values().get()

    with CaptureQueriesContext(connection) as queries:
        watch([[0, 10]], position=10, after=5)

    assert LessonProgress.objects.values().get() == before
    assert [query["sql"].split()[0] for query in queries] == ["SELECT"]


def test_messages_in_any_order_end_the_same(watch):
    watch([[0, 30]], position=30, after=0)
    watch([[30, 60]], position=60, after=40)
    late = watch([[0, 45]], position=45, after=41)

    assert late.progress.watched == [[0, 60]]
    assert late.progress.position == 60


def test_time_that_cannot_have_passed_is_not_believed(watch):
    forged = watch([[0, 100]], position=99)

    assert forged.progress.watched == [[0, 30]]
    assert forged.progress.completed_at is None


def test_many_quick_forged_messages_do_not_add_up(watch):
    for n in range(60):
        saved = watch([[0, 100]], position=99, after=n / 100)

    assert saved.progress.watched_seconds <= 31
    assert saved.progress.completed_at is None


def test_an_honest_player_at_double_speed_is_believed(watch):
    for beat in range(1, 10):
        watch([[0, beat * 10]], position=beat * 10, after=beat * 5)
    saved = watch([[0, 100]], position=100, after=50)

    assert saved.progress.watched_seconds == 100
    assert saved.progress.completed_at is not None


def test_what_was_too_fast_is_believed_when_its_time_has_come(watch):
    watch([[0, 80]], position=80)
    saved = watch([[0, 80]], position=80, after=30)

    assert saved.progress.watched_seconds == 80


def test_seconds_beyond_the_video_do_not_count(watch):
    saved = watch([[95, 9000]], position=9000)

    assert saved.progress.watched == [[95, 100]]
    assert saved.progress.position == 100


def test_the_last_place_wins_by_the_learners_clock_else_the_furthest(watch):
    assert watch(position=60, at=10, after=10).progress.position == 60
    assert watch(position=20, at=20, after=20).progress.position == 20  # went back
    assert watch(position=60, at=10, after=21).progress.position == 20  # a late message
    assert watch(position=40, after=22).progress.position == 40  # without a clock: the furthest
    assert watch(position=30, after=23).progress.position == 40


def test_a_clock_that_is_ahead_counts_as_now(watch):
    watch(position=60, at=10_000, after=10)

    assert watch(position=20, at=20, after=20).progress.position == 20


def test_ninety_percent_completes_once(watch, told):
    watch([[0, 30]], after=0)
    almost = watch([[0, 89]], after=40)
    done = watch([[0, 90]], after=50)
    again = watch([[0, 100]], after=60)

    assert almost.progress.completed_at is None
    assert done.newly_completed
    assert not again.newly_completed
    assert again.progress.completed_at == done.progress.completed_at
    assert sum(isinstance(event, LessonCompleted) for event in told) == 1


def test_jumping_to_the_end_completes_nothing(watch):
    saved = watch([[99, 100]], position=100, after=0)

    assert saved.progress.completed_at is None


def test_a_heartbeat_costs_one_read_and_one_write(watch):
    watch([[0, 10]], position=10)

    with CaptureQueriesContext(connection) as queries:
        watch([[0, 20]], position=20, after=10)

    assert [query["sql"].split()[0] for query in queries] == ["SELECT", "UPDATE"]


def test_two_tabs_never_lose_a_second(watch, monkeypatch):
    """Another tab saves between this one's read and its write: the merge is done again."""
    from apps.learning.services import progress as module

    watch([[0, 10]], position=10)
    place, once = module._place, []

    def meanwhile(*args):
        if not once:
            once.append(True)
            watch([[50, 60]], position=60, after=20)
        return place(*args)

    monkeypatch.setattr(module, "_place", meanwhile)
    watch([[10, 20]], position=20, after=20)

    assert LessonProgress.objects.get().watched == [[0, 20], [50, 60]]


@pytest.mark.parametrize(
    ("who", "refusal"),
    [
        pytest.param("nobody", NotAuthenticated, id="visitor"),
        pytest.param("mia", NotEnrolled, id="stranger"),
        pytest.param("ada", NotEnrolled, id="staff without a seat"),
    ],
)
def test_only_a_seat_keeps_progress(request, watch, film, who, refusal):
    film.is_preview = True
    film.save()

    with pytest.raises(refusal):
        watch([[0, 5]], user=request.getfixturevalue(who))

    assert not LessonProgress.objects.exists()


def test_a_revoked_seat_keeps_no_progress(watch, seat, now):
    watch([[0, 5]])
    seat.revoke(now=now)

    with pytest.raises(NotEnrolled):
        watch([[5, 9]], after=10)


def test_a_locked_lesson_takes_no_progress(watch, course):
    course.requires_order = True
    course.save()

    with pytest.raises(PrerequisiteNotMet):
        watch([[0, 5]])


def test_only_videos_are_watched(leo, seat, lessons, now):
    with pytest.raises(LectureUnavailable):
        services.save_watching(user=leo, lesson_uid=lessons[0].uid, position=0, watched=[[0, 5]], now=now)


def test_a_text_is_marked_once(leo, seat, lessons, now, told):
    first = services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now)
    again = services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now + SECOND)

    assert (first.newly_completed, again.newly_completed) == (True, False)
    assert again.progress.completed_at == now
    assert (again.enrollment.completed_lessons, again.enrollment.percent) == (1, 16)
    assert again.enrollment.last_lesson_id == lessons[0].pk


@pytest.mark.parametrize("kind", ["video", "quiz"])
def test_what_completes_itself_cannot_be_marked(leo, seat, course, lessons, now, kind):
    lesson = LessonFactory(section=lessons[0].section, course=course, kind=kind)

    with pytest.raises(LessonCompletesItself):
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)

    assert Enrollment.objects.get().completed_lessons == 0


def test_milestones_are_told_once_each(leo, seat, lessons, now, told):
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)

    milestones = [event.percent for event in told if isinstance(event, MilestoneReached)]
    assert milestones == [25, 50, 75, 100]
    assert sum(isinstance(event, CertificateIssued) for event in told) == 1


def test_the_last_lesson_brings_the_certificate(leo, seat, course, lessons, now):
    for lesson in lessons[:-1]:
        assert services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now).certificate is None

    saved = services.complete_lesson(user=leo, lesson_uid=lessons[-1].uid, now=now)

    certificate = Certificate.objects.get()
    assert saved.certificate == certificate
    assert (certificate.learner_name, certificate.course_title) == ("Leo Marsh", course.title)
    assert certificate.instructor_name == "Ada Byron"
    assert saved.enrollment.completed_at == now


def test_lessons_added_later_take_no_certificate_away(leo, seat, course, lessons, now, told):
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    late = LessonFactory(section=lessons[0].section, course=course)
    services.recount_course(course=course, now=now)

    seat.refresh_from_db()
    assert (seat.percent, seat.milestone) == (85, 100)
    assert seat.completed_at == now
    assert Certificate.objects.get().lesson_count == 6

    told.clear()
    services.complete_lesson(user=leo, lesson_uid=late.uid, now=now + SECOND)
    seat.refresh_from_db()
    assert seat.percent == 100
    assert seat.completed_at == now
    assert [type(event) for event in told] == [LessonCompleted]
    assert Certificate.objects.count() == 1


def test_when_the_missing_lesson_is_removed_the_course_is_complete(leo, seat, course, lessons, now):
    for lesson in lessons[:-1]:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    lessons[-1].delete()

    services.recount_course(course=course, now=now)

    assert Certificate.objects.get().enrollment == seat


def test_an_empty_course_is_not_complete(leo, seat, course, now):
    course.lessons.all().delete()

    services.recount_course(course=course, now=now)

    seat.refresh_from_db()
    assert (seat.percent, seat.completed_at) == (0, None)


def test_activity_is_noted_when_the_lesson_changes_and_every_few_minutes(watch, seat, film, now):
    watch([[0, 5]], position=5)
    seat.refresh_from_db()
    assert (seat.last_lesson_id, seat.last_activity_at) == (film.pk, now)

    watch([[5, 9]], position=9, after=30)
    seat.refresh_from_db()
    assert seat.last_activity_at == now

    watch([[9, 12]], position=12, after=400)
    seat.refresh_from_db()
    assert seat.last_activity_at == now + 400 * SECOND
