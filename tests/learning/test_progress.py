"""Heartbeats, completion, milestones."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.courses.errors import LectureUnavailable
from apps.learning import services
from apps.learning.errors import (
    FileNotFetched,
    LessonCompletesItself,
    NotEnrolled,
    PrerequisiteNotMet,
    ReadingTooShort,
)
from apps.learning.events import CertificateIssued, LessonCompleted, MilestoneReached
from apps.learning.models import Certificate, Enrollment, LearningTime, LessonProgress
from studyplatform.kit.errors import NotAuthenticated
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.learning import EnrollmentFactory
from tests.learning.conftest import open_lesson
from tests.learning.quiz import make_quiz, right_answers

SECOND = timedelta(seconds=1)


@pytest.fixture
def published_events(monkeypatch):
    events = []
    for module in ("completion", "certificates"):
        monkeypatch.setattr(f"apps.learning.services.{module}.publish", events.append)
    return events


@pytest.fixture
def watch(leo, video_lesson, enrollment, now):
    """Return a function that sends a heartbeat of Leo's player: spans, position, and seconds after noon."""

    def send_heartbeat(watched=(), *, position=0.0, after=0.0, at=None, user=leo):
        return services.save_watching(
            user=user,
            lesson_uid=video_lesson.uid,
            position=position,
            watched=list(watched),
            at=None if at is None else now + at * SECOND,
            now=now + after * SECOND,
        )

    return send_heartbeat


def test_distinct_seconds_count_once(watch):
    watch([[0, 10]], position=10, after=0)
    watch([[0, 10], [5, 20]], position=20, after=20)
    saved = watch([[40, 50]], position=50, after=40)

    assert saved.progress.watched == [[0, 20], [40, 50]]
    assert saved.progress.watched_seconds == 30
    assert LessonProgress.objects.get().watched_seconds == 30


def test_a_lesson_that_begins_again_keeps_what_was_completed(watch, video_lesson, enrollment, now):
    done = LessonProgress.objects.create(
        enrollment=EnrollmentFactory(course=enrollment.course), lesson=video_lesson, started_at=now, updated_at=now,
        watched=[[0, 9]], watched_seconds=9, completed_at=now,
    )  # fmt: skip
    watch([[0, 10]], position=10, after=0)
    watch([[0, 20]], position=20, after=20)

    services.restart_lessons(lesson_ids=[video_lesson.pk], now=now)

    begun = LessonProgress.objects.get(enrollment=enrollment, lesson=video_lesson)
    assert (begun.watched, begun.watched_seconds, begun.position) == ([], 0, 0)
    done.refresh_from_db()
    assert done.watched == [[0, 9]]
    again = watch([[0, 10]], position=10, after=40)
    assert again.progress.watched_seconds == 10


def test_a_repeated_heartbeat_writes_nothing(watch):
    watch([[0, 10]], position=10)
    before = LessonProgress.objects.values().get()

    with CaptureQueriesContext(connection) as queries:
        watch([[0, 10]], position=10, after=5)

    assert LessonProgress.objects.values().get() == before
    assert [query["sql"].split()[0] for query in queries] == ["SELECT"]


def test_heartbeats_in_any_order_give_the_same_result(watch):
    watch([[0, 30]], position=30, after=0)
    watch([[30, 60]], position=60, after=40)
    late = watch([[0, 45]], position=45, after=41)

    assert late.progress.watched == [[0, 60]]
    assert late.progress.position == 60


HEARTBEATS = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 500), st.integers(1, 90)).map(lambda s: [s[0], s[0] + s[1]]), max_size=3),
        st.integers(0, 600),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(heartbeats=HEARTBEATS, data=st.data())
def test_heartbeats_merge_in_any_order_and_repetition(watch, leo, video_lesson, now, heartbeats, data):
    def result(order):
        LessonProgress.objects.all().delete()
        LearningTime.objects.all().delete()
        open_lesson(leo, video_lesson, now)
        for number, (watched, position, at) in enumerate(order, 1):
            saved = watch(watched, position=position, at=at, after=300 * number)  # all of it can have been watched
        row = LessonProgress.objects.get()
        assert (row.watched, row.position) == (saved.progress.watched, saved.progress.position)
        return row.watched, row.watched_seconds, row.position, row.position_at, row.completed_at is None

    repeated = heartbeats + data.draw(st.lists(st.sampled_from(heartbeats), max_size=3))
    assert result(data.draw(st.permutations(repeated))) == result(heartbeats)


def test_time_that_cannot_have_passed_is_not_counted(watch):
    forged = watch([[0, 100]], position=99)

    assert forged.progress.watched == [[0, 30]]
    assert forged.progress.completed_at is None


def test_many_quick_forged_heartbeats_do_not_add_up(watch):
    for n in range(60):
        saved = watch([[0, 100]], position=99, after=n / 100)

    assert saved.progress.watched_seconds <= 31
    assert saved.progress.completed_at is None


def test_playback_at_double_speed_is_counted(watch):
    for beat in range(1, 10):
        watch([[0, beat * 10]], position=beat * 10, after=beat * 5)
    saved = watch([[0, 100]], position=100, after=50)

    assert saved.progress.watched_seconds == 100
    assert saved.progress.completed_at is not None


def test_a_claim_that_was_too_fast_counts_later(watch):
    watch([[0, 80]], position=80)
    saved = watch([[0, 80]], position=80, after=30)

    assert saved.progress.watched_seconds == 80


def test_seconds_beyond_the_video_do_not_count(watch):
    saved = watch([[95, 9000]], position=9000)

    assert saved.progress.watched == [[95, 100]]
    assert saved.progress.position == 100


def test_the_latest_position_wins_and_without_a_clock_the_furthest(watch):
    assert watch(position=60, at=10, after=10).progress.position == 60
    assert watch(position=20, at=20, after=20).progress.position == 20  # jumped back
    assert watch(position=60, at=10, after=21).progress.position == 20  # a late heartbeat
    assert watch(position=40, after=22).progress.position == 40  # without a clock: the furthest
    assert watch(position=30, after=23).progress.position == 40


def test_a_time_in_the_future_counts_as_now(watch):
    watch(position=60, at=10_000, after=10)

    assert watch(position=20, at=20, after=20).progress.position == 20


def test_watching_ninety_percent_completes_the_lesson_once(watch, published_events):
    watch([[0, 30]], after=0)
    almost = watch([[0, 89]], after=40)
    done = watch([[0, 90]], after=50)
    again = watch([[0, 100]], after=60)

    assert almost.progress.completed_at is None
    assert done.newly_completed
    assert not again.newly_completed
    assert again.progress.completed_at == done.progress.completed_at
    assert sum(isinstance(event, LessonCompleted) for event in published_events) == 1


def test_jumping_to_the_end_does_not_complete_the_lesson(watch):
    saved = watch([[99, 100]], position=100, after=0)

    assert saved.progress.completed_at is None


def test_a_heartbeat_costs_one_read_and_one_write(watch):
    watch([[0, 10]], position=10)

    with CaptureQueriesContext(connection) as queries:
        watch([[0, 20]], position=20, after=10)

    assert [query["sql"].split()[0] for query in queries] == ["SELECT", "UPDATE"]


def test_two_tabs_that_save_at_once_lose_no_time(watch, monkeypatch):
    """If another tab saves between a read and its write, the merge is repeated."""
    from apps.learning.services import progress as module

    watch([[0, 10]], position=10)
    place, once = module.latest_position, []

    def save_in_another_tab(*args):
        if not once:
            once.append(True)
            watch([[50, 60]], position=60, after=20)
        return place(*args)

    monkeypatch.setattr(module, "latest_position", save_in_another_tab)
    watch([[10, 20]], position=20, after=20)

    assert LessonProgress.objects.get().watched == [[0, 20], [50, 60]]


@pytest.mark.parametrize(
    ("user_name", "refusal"),
    [
        pytest.param("nobody", NotAuthenticated, id="visitor"),
        pytest.param("mia", NotEnrolled, id="stranger"),
        pytest.param("ada", NotEnrolled, id="staff without an enrollment"),
    ],
)
def test_only_enrolled_learners_save_progress(request, watch, video_lesson, user_name, refusal):
    video_lesson.is_preview = True
    video_lesson.save()

    with pytest.raises(refusal):
        watch([[0, 5]], user=request.getfixturevalue(user_name))

    assert not LessonProgress.objects.exists()


def test_a_revoked_enrollment_saves_no_progress(watch, enrollment, now):
    watch([[0, 5]])
    enrollment.revoke(now=now)

    with pytest.raises(NotEnrolled):
        watch([[5, 9]], after=10)


def test_a_locked_lesson_refuses_progress(watch, course):
    course.requires_order = True
    course.save()

    with pytest.raises(PrerequisiteNotMet):
        watch([[0, 5]])


def test_only_video_lessons_accept_heartbeats(leo, enrollment, lessons, now):
    with pytest.raises(LectureUnavailable):
        services.save_watching(user=leo, lesson_uid=lessons[0].uid, position=0, watched=[[0, 5]], now=now)


def test_a_text_is_completed_once(leo, enrollment, lessons, now, published_events):
    first = services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now)
    again = services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now + SECOND)

    assert (first.newly_completed, again.newly_completed) == (True, False)
    assert again.progress.completed_at == now
    assert (again.enrollment.completed_lessons, again.enrollment.percent) == (1, 16)
    assert again.enrollment.last_lesson_id == lessons[0].pk


def test_downloading_a_file_completes_its_lesson_and_marking_it_does_not(leo, enrollment, course, lessons, now):
    file = LessonFactory(section=lessons[0].section, course=course, kind="file")

    with pytest.raises(FileNotFetched):
        services.complete_lesson(user=leo, lesson_uid=file.uid, now=now)
    assert services.fetch_file(user=leo, lesson_uid=file.uid, now=now).newly_completed
    assert not services.complete_lesson(user=leo, lesson_uid=file.uid, now=now).newly_completed
    with pytest.raises(LectureUnavailable):
        services.fetch_file(user=leo, lesson_uid=lessons[0].uid, now=now)


@pytest.mark.parametrize("kind", ["video", "quiz"])
def test_videos_and_quizzes_cannot_be_marked_complete(leo, enrollment, course, lessons, now, kind):
    lesson = LessonFactory(section=lessons[0].section, course=course, kind=kind)

    with pytest.raises(LessonCompletesItself):
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)

    assert Enrollment.objects.get().completed_lessons == 0


def test_each_milestone_is_published_once(leo, enrollment, lessons, now, published_events):
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)

    milestones = [event.percent for event in published_events if isinstance(event, MilestoneReached)]
    assert milestones == [25, 50, 75, 100]
    assert sum(isinstance(event, CertificateIssued) for event in published_events) == 1


def test_completing_the_last_lesson_issues_the_certificate(leo, enrollment, course, lessons, now):
    for lesson in lessons[:-1]:
        assert services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now).certificate is None

    saved = services.complete_lesson(user=leo, lesson_uid=lessons[-1].uid, now=now)

    certificate = Certificate.objects.get()
    assert saved.certificate == certificate
    assert (certificate.learner_name, certificate.course_title) == ("Leo Marsh", course.title)
    assert certificate.instructor_name == "Ada Byron"
    assert saved.enrollment.completed_at == now


def test_adding_lessons_later_does_not_revoke_the_certificate(leo, enrollment, course, lessons, now, published_events):
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    late = LessonFactory(section=lessons[0].section, course=course)
    services.recount_course(course=course, now=now)

    enrollment.refresh_from_db()
    assert (enrollment.percent, enrollment.milestone) == (85, 100)
    assert enrollment.completed_at == now
    assert Certificate.objects.get().lesson_count == 6

    published_events.clear()
    services.complete_lesson(user=leo, lesson_uid=late.uid, now=now + SECOND)
    enrollment.refresh_from_db()
    assert enrollment.percent == 100
    assert enrollment.completed_at == now
    assert [type(event) for event in published_events] == [LessonCompleted]
    assert Certificate.objects.count() == 1


def test_removing_the_last_open_lesson_completes_the_course(leo, enrollment, course, lessons, now):
    for lesson in lessons[:-1]:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    lessons[-1].delete()

    services.recount_course(course=course, now=now)

    assert Certificate.objects.get().enrollment == enrollment


def test_an_empty_course_is_not_complete(leo, enrollment, course, now):
    course.lessons.all().delete()

    services.recount_course(course=course, now=now)

    enrollment.refresh_from_db()
    assert (enrollment.percent, enrollment.completed_at) == (0, None)


def test_activity_is_recorded_when_the_lesson_changes_and_every_few_minutes(watch, enrollment, video_lesson, now):
    watch([[0, 5]], position=5)
    enrollment.refresh_from_db()
    assert (enrollment.last_lesson_id, enrollment.last_activity_at) == (video_lesson.pk, now)

    watch([[5, 9]], position=9, after=30)
    enrollment.refresh_from_db()
    assert enrollment.last_activity_at == now

    watch([[9, 12]], position=12, after=400)
    enrollment.refresh_from_db()
    assert enrollment.last_activity_at == now + 400 * SECOND


# --- One budget of time per learner ------------------------------------------------------------------


@pytest.fixture
def video_lessons(leo, enrollment, ada, now):
    """Four videos of ten minutes, two in each of two courses that Leo takes."""
    other = CourseFactory(instructor=ada, status="published")
    EnrollmentFactory(user=leo, course=other)
    return [
        LessonFactory(section__course=course, kind="video", duration=600)
        for course in (enrollment.course, enrollment.course, other, other)
    ]


def claim(leo, lesson, moment, *, upto=600):
    """Claim the lesson up to ``upto`` seconds at once; return the total number of seconds counted."""
    saved = services.save_watching(
        user=leo, lesson_uid=lesson.uid, position=upto, watched=[[0, upto]], at=None, now=moment
    )
    return saved.progress.watched_seconds


def total_watched_seconds():
    return sum(LessonProgress.objects.values_list("watched_seconds", flat=True))


def test_lessons_of_all_courses_share_one_budget(leo, video_lessons, now):
    for video_lesson in video_lessons:
        open_lesson(leo, video_lesson, now)
    for second in range(0, 61, 5):
        for video_lesson in video_lessons:
            claim(leo, video_lesson, now + second * SECOND)

    # Each alone could have been watched for 120 seconds and 30 ahead.
    assert total_watched_seconds() == 60 * 4 + 30


def test_the_order_of_arrival_does_not_increase_the_counted_time(leo, video_lessons, now):
    for video_lesson in video_lessons:
        open_lesson(leo, video_lesson, now)
    for second in (40, 10, 30, 20, 5):
        for video_lesson in video_lessons:
            claim(leo, video_lesson, now + second * SECOND)

    assert total_watched_seconds() <= 40 * 4 + 30


def test_idle_time_before_a_lesson_is_opened_does_not_count(leo, video_lessons, now):
    claim(leo, video_lessons[0], now, upto=5)
    tomorrow = now + timedelta(days=1)
    for video_lesson in video_lessons[1:]:
        open_lesson(leo, video_lesson, tomorrow)
        claim(leo, video_lesson, tomorrow)

    assert sum(claim(leo, video_lesson, tomorrow) for video_lesson in video_lessons[1:]) <= 30


def test_time_watched_offline_counts_later(leo, video_lessons, now):
    claim(leo, video_lessons[0], now, upto=5)

    assert claim(leo, video_lessons[0], now + timedelta(hours=5)) == 600


def test_a_lost_save_returns_its_allowance(leo, video_lessons, now, monkeypatch):
    """A save that loses to another tab returns the time it took, so the next save can use it."""
    from apps.learning.services import progress as module

    claim(leo, video_lessons[0], now, upto=1)
    LearningTime.objects.update(spans=[], ahead=0)
    write, once = module._write, []

    def fail_once(progress, *args):
        if not once:
            once.append(True)
            LessonProgress.objects.filter(pk=progress.pk).update(revision=99)
        return write(progress, *args)

    monkeypatch.setattr(module, "_write", fail_once)
    LessonProgress.objects.update(granted=1)
    assert claim(leo, video_lessons[0], now, upto=31) == 30  # a whole allowance, not zero
    assert once


# --- Reading -----------------------------------------------------------------------------------------


@pytest.fixture
def texts(lessons):
    """Three texts of 600 words: a minute each for a fast reader."""
    for lesson in lessons[:3]:
        lesson.body = "word " * 600
        lesson.save()
    return lessons[:3]


def test_a_text_cannot_be_completed_before_it_can_have_been_read(leo, enrollment, texts, now):
    def mark(after):
        return services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now + after * SECOND)

    open_lesson(leo, texts[0], now)
    with pytest.raises(ReadingTooShort) as refusal:
        mark(19.5)
    assert refusal.value.wait == 41
    assert mark(60).newly_completed


def test_the_first_mark_opens_a_text_that_was_never_opened(leo, enrollment, texts, now):
    with pytest.raises(ReadingTooShort) as refusal:
        services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now)
    assert refusal.value.wait == 60

    assert services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now + 60 * SECOND).newly_completed


def test_texts_opened_together_share_the_reading_time(leo, enrollment, texts, now):
    for text in texts:
        open_lesson(leo, text, now)

    def mark(text, after):
        return services.complete_lesson(user=leo, lesson_uid=text.uid, now=now + after * SECOND)

    assert mark(texts[0], 60).newly_completed
    with pytest.raises(ReadingTooShort) as refusal:
        mark(texts[1], 60)
    assert refusal.value.wait == 60 - 30 // 4
    assert mark(texts[1], 113).newly_completed
    with pytest.raises(ReadingTooShort):
        mark(texts[2], 170)
    assert mark(texts[2], 173).newly_completed


def test_idle_time_before_texts_are_opened_does_not_count_as_reading(leo, enrollment, texts, now):
    open_lesson(leo, texts[0], now)
    later = now + timedelta(hours=1)
    for text in texts[1:]:
        open_lesson(leo, text, later)

    read = services.complete_lesson(user=leo, lesson_uid=texts[1].uid, now=later + 60 * SECOND)
    assert read.newly_completed
    with pytest.raises(ReadingTooShort):
        services.complete_lesson(user=leo, lesson_uid=texts[2].uid, now=later + 60 * SECOND)


def test_reading_and_watching_share_one_budget(leo, enrollment, texts, video_lessons, now):
    open_lesson(leo, texts[0], now)
    for video_lesson in video_lessons[:3]:
        open_lesson(leo, video_lesson, now)
        claim(leo, video_lesson, now + 60 * SECOND)

    with pytest.raises(ReadingTooShort):
        services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now + 60 * SECOND)


def test_opening_a_lesson_is_recorded_once_without_progress(leo, enrollment, texts, course, now):
    first = open_lesson(leo, texts[0], now)
    again = open_lesson(leo, texts[0], now + 60 * SECOND)

    assert first.started_at == again.started_at == now
    enrollment.refresh_from_db()
    assert (enrollment.completed_lessons, enrollment.last_lesson_id) == (0, None)


def test_the_certificate_lists_each_quiz_in_order_with_its_first_pass(leo, enrollment, course, lessons, now):
    """Later attempts do not count, because the learner has seen the right answers."""
    quizzes = [make_quiz(course, pass_percent=60) for _ in range(2)]
    for lesson, title in ((quizzes[0].lesson, "First quiz"), (quizzes[1].lesson, "Second quiz")):
        lesson.title = title
        lesson.save()
    for number, (quiz, wrong) in enumerate([(quizzes[1], 0), (quizzes[0], 1), (quizzes[0], 0)]):
        moment = now + number * timedelta(minutes=5)
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=moment)
        services.submit_attempt(
            user=attempt.enrollment.user,
            attempt=attempt,
            answers=dict(list(right_answers(quiz).items())[wrong:]),
            now=moment + 60 * SECOND,
        )
    for lesson in lessons:
        saved = services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=moment + timedelta(minutes=5))

    assert saved.certificate.quizzes == [
        {"title": "First quiz", "percent": 75},
        {"title": "Second quiz", "percent": 100},
    ]


def test_the_certificate_lists_the_work_done(leo, enrollment, course, lessons, video_lesson, now):
    quiz = make_quiz(course, pass_percent=60)
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    open_lesson(leo, video_lesson, now)
    claim(leo, video_lesson, now + 600 * SECOND, upto=93)
    later = now + timedelta(hours=1)
    answers = right_answers(quiz)
    wrong_first = dict(list(answers.items())[1:])  # 6 of 8
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=later)
    _, saved = services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=wrong_first, now=later + 60 * SECOND
    )

    certificate = saved.certificate
    assert (certificate.lesson_count, certificate.video_percent) == (8, 93)
    assert certificate.quizzes == [{"title": "Check yourself", "percent": 75}]
    # A better attempt after the answers were revealed does not change the certificate.
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=later + 120 * SECOND)
    services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=later + 180 * SECOND)
    certificate.refresh_from_db()
    assert certificate.quizzes[0]["percent"] == 75
