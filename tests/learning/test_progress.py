"""Heartbeats, completion, milestones."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

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
def told(monkeypatch):
    events = []
    for module in ("completion", "certificates"):
        monkeypatch.setattr(f"apps.learning.services.{module}.publish", events.append)
    return events


@pytest.fixture
def watch(leo, film, enrollment, now):
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
    place, once = module._latest_position, []

    def meanwhile(*args):
        if not once:
            once.append(True)
            watch([[50, 60]], position=60, after=20)
        return place(*args)

    monkeypatch.setattr(module, "_latest_position", meanwhile)
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
def test_only_enrolled_learners_save_progress(request, watch, film, who, refusal):
    film.is_preview = True
    film.save()

    with pytest.raises(refusal):
        watch([[0, 5]], user=request.getfixturevalue(who))

    assert not LessonProgress.objects.exists()


def test_a_revoked_enrollment_saves_no_progress(watch, enrollment, now):
    watch([[0, 5]])
    enrollment.revoke(now=now)

    with pytest.raises(NotEnrolled):
        watch([[5, 9]], after=10)


def test_a_locked_lesson_takes_no_progress(watch, course):
    course.requires_order = True
    course.save()

    with pytest.raises(PrerequisiteNotMet):
        watch([[0, 5]])


def test_only_videos_are_watched(leo, enrollment, lessons, now):
    with pytest.raises(LectureUnavailable):
        services.save_watching(user=leo, lesson_uid=lessons[0].uid, position=0, watched=[[0, 5]], now=now)


def test_a_text_is_marked_once(leo, enrollment, lessons, now, told):
    first = services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now)
    again = services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now + SECOND)

    assert (first.newly_completed, again.newly_completed) == (True, False)
    assert again.progress.completed_at == now
    assert (again.enrollment.completed_lessons, again.enrollment.percent) == (1, 16)
    assert again.enrollment.last_lesson_id == lessons[0].pk


def test_a_file_is_complete_once_it_is_fetched_and_not_by_saying_so(leo, enrollment, course, lessons, now):
    file = LessonFactory(section=lessons[0].section, course=course, kind="file")

    with pytest.raises(FileNotFetched):
        services.complete_lesson(user=leo, lesson_uid=file.uid, now=now)
    assert services.fetch_file(user=leo, lesson_uid=file.uid, now=now).newly_completed
    assert not services.complete_lesson(user=leo, lesson_uid=file.uid, now=now).newly_completed
    with pytest.raises(LectureUnavailable):
        services.fetch_file(user=leo, lesson_uid=lessons[0].uid, now=now)


@pytest.mark.parametrize("kind", ["video", "quiz"])
def test_what_completes_itself_cannot_be_marked(leo, enrollment, course, lessons, now, kind):
    lesson = LessonFactory(section=lessons[0].section, course=course, kind=kind)

    with pytest.raises(LessonCompletesItself):
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)

    assert Enrollment.objects.get().completed_lessons == 0


def test_milestones_are_told_once_each(leo, enrollment, lessons, now, told):
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)

    milestones = [event.percent for event in told if isinstance(event, MilestoneReached)]
    assert milestones == [25, 50, 75, 100]
    assert sum(isinstance(event, CertificateIssued) for event in told) == 1


def test_the_last_lesson_brings_the_certificate(leo, enrollment, course, lessons, now):
    for lesson in lessons[:-1]:
        assert services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now).certificate is None

    saved = services.complete_lesson(user=leo, lesson_uid=lessons[-1].uid, now=now)

    certificate = Certificate.objects.get()
    assert saved.certificate == certificate
    assert (certificate.learner_name, certificate.course_title) == ("Leo Marsh", course.title)
    assert certificate.instructor_name == "Ada Byron"
    assert saved.enrollment.completed_at == now


def test_lessons_added_later_take_no_certificate_away(leo, enrollment, course, lessons, now, told):
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    late = LessonFactory(section=lessons[0].section, course=course)
    services.recount_course(course=course, now=now)

    enrollment.refresh_from_db()
    assert (enrollment.percent, enrollment.milestone) == (85, 100)
    assert enrollment.completed_at == now
    assert Certificate.objects.get().lesson_count == 6

    told.clear()
    services.complete_lesson(user=leo, lesson_uid=late.uid, now=now + SECOND)
    enrollment.refresh_from_db()
    assert enrollment.percent == 100
    assert enrollment.completed_at == now
    assert [type(event) for event in told] == [LessonCompleted]
    assert Certificate.objects.count() == 1


def test_when_the_missing_lesson_is_removed_the_course_is_complete(leo, enrollment, course, lessons, now):
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


def test_activity_is_noted_when_the_lesson_changes_and_every_few_minutes(watch, enrollment, film, now):
    watch([[0, 5]], position=5)
    enrollment.refresh_from_db()
    assert (enrollment.last_lesson_id, enrollment.last_activity_at) == (film.pk, now)

    watch([[5, 9]], position=9, after=30)
    enrollment.refresh_from_db()
    assert enrollment.last_activity_at == now

    watch([[9, 12]], position=12, after=400)
    enrollment.refresh_from_db()
    assert enrollment.last_activity_at == now + 400 * SECOND


# --- One budget of time per learner ------------------------------------------------------------------


@pytest.fixture
def films(leo, enrollment, ada, now):
    """Four videos of ten minutes, two each in two courses of Leo's."""
    other = CourseFactory(instructor=ada, status="published")
    EnrollmentFactory(user=leo, course=other)
    return [
        LessonFactory(section__course=course, kind="video", duration=600)
        for course in (enrollment.course, enrollment.course, other, other)
    ]


def claim(leo, lesson, moment, *, upto=600):
    """All of a lesson at once. Returns how many seconds were believed in all."""
    saved = services.save_watching(
        user=leo, lesson_uid=lesson.uid, position=upto, watched=[[0, upto]], at=None, now=moment
    )
    return saved.progress.watched_seconds


def watched_in_all():
    return sum(LessonProgress.objects.values_list("watched_seconds", flat=True))


def test_lessons_of_all_courses_share_one_budget(leo, films, now):
    for film in films:
        open_lesson(leo, film, now)
    for second in range(0, 61, 5):
        for film in films:
            claim(leo, film, now + second * SECOND)

    # Each alone could have been watched for 120 seconds and 30 ahead.
    assert watched_in_all() == 60 * 4 + 30


def test_in_the_order_of_arrival_or_backwards_no_more_is_believed(leo, films, now):
    for film in films:
        open_lesson(leo, film, now)
    for second in (40, 10, 30, 20, 5):
        for film in films:
            claim(leo, film, now + second * SECOND)

    assert watched_in_all() <= 40 * 4 + 30


def test_a_day_of_idleness_before_the_opening_counts_for_nothing(leo, films, now):
    claim(leo, films[0], now, upto=5)
    tomorrow = now + timedelta(days=1)
    for film in films[1:]:
        open_lesson(leo, film, tomorrow)
        claim(leo, film, tomorrow)

    assert sum(claim(leo, film, tomorrow) for film in films[1:]) <= 30


def test_what_was_watched_without_a_connection_is_believed_later(leo, films, now):
    claim(leo, films[0], now, upto=5)

    assert claim(leo, films[0], now + timedelta(hours=5)) == 600


def test_a_block_taken_ahead_is_not_lost_when_another_tab_saved_in_between(leo, films, now, monkeypatch):
    """The save that comes too late gives back what it took: the next one finds it."""
    from apps.learning.services import progress as module

    claim(leo, films[0], now, upto=1)
    LearningTime.objects.update(spans=[], ahead=0)
    write, once = module._write, []

    def lose_once(progress, *args):
        if not once:
            once.append(True)
            LessonProgress.objects.filter(pk=progress.pk).update(revision=99)
        return write(progress, *args)

    monkeypatch.setattr(module, "_write", lose_once)
    LessonProgress.objects.update(granted=1)
    assert claim(leo, films[0], now, upto=31) == 30  # one allowance, and not none
    assert once


# --- Reading -----------------------------------------------------------------------------------------


@pytest.fixture
def texts(lessons):
    """Three texts of 600 words: a minute each for a fast reader."""
    for lesson in lessons[:3]:
        lesson.body = "word " * 600
        lesson.save()
    return lessons[:3]


def test_a_text_is_not_marked_before_it_can_have_been_read(leo, enrollment, texts, now):
    def mark(after):
        return services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now + after * SECOND)

    open_lesson(leo, texts[0], now)
    with pytest.raises(ReadingTooShort) as refusal:
        mark(19.5)
    assert refusal.value.wait == 41
    assert mark(60).newly_completed


def test_a_text_that_was_never_opened_begins_with_the_first_mark(leo, enrollment, texts, now):
    with pytest.raises(ReadingTooShort) as refusal:
        services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now)
    assert refusal.value.wait == 60

    assert services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now + 60 * SECOND).newly_completed


def test_texts_opened_at_once_are_read_one_after_the_other(leo, enrollment, texts, now):
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


def test_an_idle_hour_before_texts_were_opened_is_no_time_for_reading_them(leo, enrollment, texts, now):
    open_lesson(leo, texts[0], now)
    later = now + timedelta(hours=1)
    for text in texts[1:]:
        open_lesson(leo, text, later)

    read = services.complete_lesson(user=leo, lesson_uid=texts[1].uid, now=later + 60 * SECOND)
    assert read.newly_completed
    with pytest.raises(ReadingTooShort):
        services.complete_lesson(user=leo, lesson_uid=texts[2].uid, now=later + 60 * SECOND)


def test_reading_and_watching_share_the_time(leo, enrollment, texts, films, now):
    open_lesson(leo, texts[0], now)
    for film in films[:3]:
        open_lesson(leo, film, now)
        claim(leo, film, now + 60 * SECOND)

    with pytest.raises(ReadingTooShort):
        services.complete_lesson(user=leo, lesson_uid=texts[0].uid, now=now + 60 * SECOND)


def test_opening_is_kept_once_and_shows_no_progress(leo, enrollment, texts, course, now):
    first = open_lesson(leo, texts[0], now)
    again = open_lesson(leo, texts[0], now + 60 * SECOND)

    assert first.started_at == again.started_at == now
    enrollment.refresh_from_db()
    assert (enrollment.completed_lessons, enrollment.last_lesson_id) == (0, None)


def test_the_certificate_states_each_quiz_in_order_with_its_first_pass(leo, enrollment, course, lessons, now):
    """Later attempts have seen the right answers."""
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


def test_the_certificate_states_what_was_done(leo, enrollment, course, lessons, film, now):
    quiz = make_quiz(course, pass_percent=60)
    for lesson in lessons:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now)
    open_lesson(leo, film, now)
    claim(leo, film, now + 600 * SECOND, upto=93)
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
    # A better attempt after the answers were shown changes nothing.
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=later + 120 * SECOND)
    services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=later + 180 * SECOND)
    certificate.refresh_from_db()
    assert certificate.quizzes[0]["percent"] == 75
