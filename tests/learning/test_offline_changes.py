"""What learners did without a connection: taken once, within what a device can have done, in any order the same."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from apps.courses.models import Lesson, Question, Quiz
from apps.learning import services
from apps.learning.errors import OfflineDeviceRemoved
from apps.learning.models import (
    Achievement,
    Attempt,
    Enrollment,
    LearnedDay,
    LearningTime,
    LessonProgress,
    Note,
    PracticeCard,
    PracticeReview,
    RestartedLesson,
    SealedPaper,
    TakenChange,
    WatchedDay,
)
from apps.learning.notes.merging import Content, Edit
from apps.learning.services import offline_attempts, offline_changes
from studyplatform.kit.errors import RateLimitExceeded
from tests.cases import all_cases
from tests.factories.courses import LessonFactory, QuestionFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory, FlashCardFactory
from tests.learning.conftest import NOON
from tests.learning.offline import DAY, Phone, make_device
from tests.learning.quiz import make_quiz, right_answers

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
MONTH = timedelta(days=30)


@pytest.fixture
def phone(leo):
    return Phone(leo, at=NOON - DAY)


@pytest.fixture
def film(course, enrollment):
    """A video of an hour."""
    section = SectionFactory(course=course)
    return LessonFactory(section=section, course=course, kind="video", duration=3600)


@pytest.fixture
def quiz(course, enrollment):
    return make_quiz(course, time_limit=600, max_attempts=2)


def codes(outcomes):
    return [(one.state, one.refusal and one.refusal["code"]) for one in outcomes]


def taken(outcomes):
    assert {one.state for one in outcomes} == {"taken"}, codes(outcomes)
    return outcomes


# --- Videos ------------------------------------------------------------------------------------------


def test_what_was_played_counts_once_and_completes_the_video(phone, film, enrollment):
    phone.watch(film, [[0, 1800]], at=NOON - 2 * HOUR, took=1800)
    phone.watch(film, [[1700, 3500]], at=NOON - HOUR, took=1800, position=3500)

    taken(phone.send(at=NOON))
    taken(phone.send(at=NOON + MINUTE))

    progress = LessonProgress.objects.get()
    assert (progress.watched, progress.watched_seconds, progress.position) == ([[0, 3500]], 3500, 3500)
    assert progress.completed_at == NOON - HOUR
    assert progress.position_at == NOON - HOUR
    assert progress.started_at == NOON - 2 * HOUR - 1800 * SECOND
    enrollment.refresh_from_db()
    assert (enrollment.completed_lessons, enrollment.last_lesson) == (1, film)
    assert enrollment.last_activity_at == NOON - HOUR
    assert TakenChange.objects.count() == 2
    phone.device.refresh_from_db()
    assert phone.device.watched_seconds == 3500


def test_a_day_on_a_train_counts_and_premium_pays_no_more_than_the_time_that_is_kept(phone, course, enrollment):
    LearningTime.objects.create(user=phone.user, counted_at=NOON - DAY)
    films = [
        LessonFactory(section=course.sections.first(), course=course, kind="video", duration=3600) for _ in range(6)
    ]
    for hour, film in enumerate(films):
        phone.watch(film, [[0, 3600]], at=NOON - (6 - hour) * HOUR, took=3600)

    taken(phone.send(at=NOON))

    assert LessonProgress.objects.filter(completed_at__isnull=False).count() == 6
    assert WatchedDay.objects.get().seconds == 7200 + 30
    day = LearnedDay.objects.get()
    assert (day.day, day.lessons, day.seconds) == (NOON.date(), 6, 6 * 3600)


def test_what_cannot_have_been_played_is_cut(phone, film):
    phone.watch(film, [[0, 3600]], at=NOON - HOUR, took=100)

    taken(phone.send(at=NOON))

    assert LessonProgress.objects.get().watched == [[0, 230]]


def test_a_device_never_plays_more_than_since_the_server_knows_it(leo, course, enrollment):
    fresh = Phone(leo, at=NOON - MINUTE)
    for _ in range(3):
        film = LessonFactory(section=course.sections.first(), course=course, kind="video", duration=3600)
        fresh.watch(film, [[0, 3600]], at=NOON, took=3600)

    taken(fresh.send(at=NOON))

    assert [one.watched_seconds for one in LessonProgress.objects.order_by("pk")] == [120, 0, 0]


def test_several_devices_play_no_more_together_than_one_had_time_for(leo, course, enrollment):
    devices = [Phone(leo, at=NOON - HOUR) for _ in range(3)]
    for one in devices:
        film = LessonFactory(section=course.sections.first(), course=course, kind="video", duration=7200)
        one.watch(film, [[0, 7200]], at=NOON, took=3600)
        taken(one.send(at=NOON))

    assert sum(one.watched_seconds for one in LessonProgress.objects.all()) == 7200


def test_registering_devices_again_and_again_gives_no_time(leo, film):
    for _ in range(3):
        fresh = Phone(leo, at=NOON)
        fresh.watch(film, [[0, 600]], at=NOON, took=0)
        taken(fresh.send(at=NOON))
        services.remove_device(user=leo, device=fresh.device)

    assert LessonProgress.objects.get().watched == []


def test_a_clock_that_is_wrong_by_a_month_loses_nothing_but_its_place(leo, film):
    fast, slow = Phone(leo, at=NOON - DAY, clock=MONTH), Phone(leo, at=NOON - DAY, clock=-MONTH)
    right = Phone(leo, at=NOON - DAY)
    fast.watch(film, [[0, 600]], at=NOON - HOUR, took=600)
    slow.watch(film, [[600, 1200]], at=NOON - HOUR, took=600)
    right.watch(film, [[60, 120]], at=NOON - 2 * HOUR, took=60)

    for one in (right, slow, fast):
        taken(one.send(at=NOON))

    progress = LessonProgress.objects.get()
    assert (progress.watched, progress.position) == ([[0, 1200]], 120)
    assert LearnedDay.objects.get(day=NOON.date()).seconds == 1200


def test_what_is_played_with_a_connection_afterwards_counts_at_once(leo, phone, film):
    phone.watch(film, [[0, 1800]], at=NOON - HOUR, took=900)
    taken(phone.send(at=NOON))

    saved = services.save_watching(
        user=leo, lesson_uid=film.uid, position=1810, watched=[[1800, 1810]], at=NOON + 10 * SECOND,
        now=NOON + 10 * SECOND,
    )  # fmt: skip

    assert saved.progress.watched == [[0, 1810]]


def test_what_was_played_of_a_former_video_does_not_count(phone, film):
    phone.watch(film, [[0, 600]], at=NOON - 2 * HOUR, took=600)
    RestartedLesson.objects.create(lesson=film, restarted_at=NOON - HOUR)
    phone.watch(film, [[0, 60]], at=NOON, took=60)

    assert codes(phone.send(at=NOON)) == [("refused", "OFFLINE_VIDEO_REPLACED"), ("taken", None)]
    assert LessonProgress.objects.get().watched == [[0, 60]]


def test_only_videos_of_this_site_are_watched_without_a_connection(phone, lessons, film):
    phone.watch(lessons[0], [[0, 60]], at=NOON, took=60)
    type(film).objects.filter(pk=film.pk).update(external_video="https://youtu.be/dQw4w9WgXcQ", external_host="youtube")
    phone.watch(film, [[0, 60]], at=NOON, took=60)

    assert codes(phone.send(at=NOON)) == [("refused", "LECTURE_UNAVAILABLE")] * 2
    assert not LessonProgress.objects.exists()


# --- Texts and files ---------------------------------------------------------------------------------


def test_a_text_that_was_read_and_a_file_that_was_opened_are_complete(phone, course, enrollment, lessons):
    type(lessons[0]).objects.filter(pk=lessons[0].pk).update(body="word " * 600)
    file = LessonFactory(section=course.sections.first(), course=course, kind="file")
    phone.complete(lessons[0], at=NOON - HOUR, took=61)
    phone.complete(file, at=NOON - HOUR, took=1)

    taken(phone.send(at=NOON))

    assert set(LessonProgress.objects.exclude(completed_at=None).values_list("lesson", flat=True)) == {
        lessons[0].pk,
        file.pk,
    }
    assert LearnedDay.objects.get().seconds == 61


def test_a_text_that_was_just_opened_is_sent_again_later(phone, enrollment, lessons):
    type(lessons[0]).objects.filter(pk=lessons[0].pk).update(body="word " * 600)
    phone.complete(lessons[0], at=NOON - 10 * SECOND, took=10)

    [outcome] = phone.send(at=NOON)

    assert (outcome.state, outcome.wait, outcome.refusal["code"]) == ("later", 40, "READING_TOO_SHORT")
    assert not TakenChange.objects.exists()
    assert not LessonProgress.objects.exists()
    taken(phone.send(at=NOON + 40 * SECOND))


def test_nobody_reads_all_texts_at_once(leo, enrollment, lessons):
    type(lessons[0]).objects.filter(course=enrollment.course).update(body="word " * 600)
    fresh = Phone(leo, at=NOON - 2 * MINUTE)
    for lesson in lessons:
        fresh.complete(lesson, at=NOON, took=110)

    states = [one.state for one in fresh.send(at=NOON)]

    assert states == ["taken", "taken", "later", "later", "later", "later"]


def test_videos_and_quizzes_complete_themselves(phone, film, quiz):
    phone.complete(film, at=NOON, took=60)
    phone.complete(quiz.lesson, at=NOON, took=60)

    assert codes(phone.send(at=NOON)) == [("refused", "LESSON_COMPLETES_ITSELF")] * 2


# --- What is closed ----------------------------------------------------------------------------------


def test_a_locked_lesson_waits_until_what_is_before_it_is_complete(leo, phone, course, enrollment, lessons):
    type(course).objects.filter(pk=course.pk).update(requires_order=True)
    second, first = Phone(leo, at=NOON - DAY), phone
    second.complete(lessons[1], at=NOON - HOUR, took=60)
    first.complete(lessons[0], at=NOON - 2 * HOUR, took=60)

    assert codes(second.send(at=NOON)) == [("later", "PREREQUISITE_NOT_MET")]
    taken(first.send(at=NOON))
    taken(second.send(at=NOON))
    enrollment.refresh_from_db()
    assert enrollment.completed_lessons == 2


@pytest.mark.parametrize("clock", [timedelta(0), MONTH], ids=["right", "a month ahead"])
def test_a_locked_lesson_waits_however_long_its_device_was_away(leo, course, enrollment, lessons, clock):
    type(course).objects.filter(pk=course.pk).update(requires_order=True)
    second, first = Phone(leo, at=NOON - 3 * MONTH, clock=clock), Phone(leo, at=NOON - DAY)
    second.complete(lessons[1], at=NOON - MONTH, took=60)
    first.complete(lessons[0], at=NOON - HOUR, took=60)

    assert codes(second.send(at=NOON)) == [("later", "PREREQUISITE_NOT_MET")]
    taken(first.send(at=NOON))
    taken(second.send(at=NOON + HOUR))


def test_a_lesson_that_was_taken_out_is_refused_unless_it_was_begun(leo, phone, enrollment, lessons):
    services.open_lesson(enrollment=enrollment, lesson=lessons[0], now=NOON - HOUR)
    type(lessons[0]).objects.filter(pk__in=[lessons[0].pk, lessons[1].pk]).update(removed_at=NOON)
    phone.complete(lessons[0], at=NOON - MINUTE, took=60)
    phone.complete(lessons[1], at=NOON - MINUTE, took=60)

    assert codes(phone.send(at=NOON)) == [("taken", None), ("refused", "LESSON_TAKEN_OUT")]


def test_an_enrollment_that_ended_takes_nothing(phone, film, quiz, enrollment, leo):
    paper = phone.seal(quiz, at=NOON - DAY)
    card = FlashCardFactory(user=leo)
    phone.watch(film, [[0, 60]], at=NOON - HOUR, took=60)
    phone.answer(paper, {}, at=NOON - HOUR, took=60)
    phone.write(film, uuid4(), Content({"k" * 8: Edit(1, 1, "Kept?")}), at=NOON - HOUR)
    phone.review(card, 3, at=NOON - HOUR)
    Enrollment.objects.update(revoked_at=NOON - MINUTE)

    found = phone.send(at=NOON)

    assert [one.state for one in found] == ["refused", "refused", "refused", "taken"]
    assert {one.refusal["code"] for one in found[:3]} == {"ENROLLMENT_REQUIRED"}
    assert not Attempt.objects.exists()


# --- Notes and practice ------------------------------------------------------------------------------


def test_notes_are_merged_and_reviews_counted_once(phone, leo, film):
    uid, card = uuid4(), FlashCardFactory(user=leo, created_at=NOON - 2 * DAY)
    phone.write(film, uid, Content({"a" * 8: Edit(1, 1, "Erosion 𐍈 ‮")}), at=NOON - HOUR)
    phone.write(film, uid, Content({"b" * 8: Edit(1, 2, "and silt")}), at=NOON - HOUR)
    phone.review(card, 3, at=NOON - HOUR)

    taken(phone.send(at=NOON))
    TakenChange.objects.all().delete()
    taken(phone.send(at=NOON + DAY))

    assert Note.objects.get().text == "Erosion 𐍈 ‮\n\n---\n\nand silt"
    assert PracticeReview.objects.get().reviewed_at == NOON - HOUR
    assert PracticeCard.objects.get().turn == 1


def test_a_note_of_another_lesson_is_refused_for_good(phone, film, lessons):
    uid, content = uuid4(), Content({"a" * 8: Edit(1, 1, "Silt")})
    phone.write(film, uid, content, at=NOON)
    phone.write(lessons[0], uid, content, at=NOON)

    assert codes(phone.send(at=NOON)) == [("taken", None), ("refused", "CONFLICT")]


# --- Once --------------------------------------------------------------------------------------------


def test_the_answer_is_the_same_after_all_has_changed(phone, film):
    phone.watch(film, [[0, 60]], at=NOON - HOUR, took=60)
    first = phone.send(at=NOON)
    Enrollment.objects.update(revoked_at=NOON)

    assert phone.send(at=NOON + DAY) == first


def test_a_crash_leaves_nothing_and_does_not_hold_up_the_others(phone, film, lessons, monkeypatch):
    def crash(*_):
        LessonProgress.objects.update(position=99)
        raise ZeroDivisionError

    phone.complete(lessons[0], at=NOON - HOUR, took=60)
    phone.watch(film, [[0, 60]], at=NOON - HOUR, took=60)
    monkeypatch.setitem(offline_changes._KINDS, "completed", crash)

    assert codes(phone.send(at=NOON)) == [("later", "SERVER_ERROR"), ("taken", None)]
    assert LessonProgress.objects.get().position == 60
    assert TakenChange.objects.count() == 1


def test_only_the_learner_sends_from_a_device_and_not_without_end(phone, mia, film, settings):
    phone.watch(film, [[0, 60]], at=NOON - HOUR, took=60)
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"offline-change": (1, 60)}

    with pytest.raises(OfflineDeviceRemoved):
        services.take_changes(user=mia, device=phone.device, changes=phone.changes, now=NOON)
    taken(phone.send(at=NOON))
    with pytest.raises(RateLimitExceeded):
        phone.send(at=NOON)


# --- Attempts ----------------------------------------------------------------------------------------


def test_a_paper_becomes_a_marked_attempt(phone, quiz, enrollment):
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - 2 * HOUR, took=300)

    [outcome] = taken(phone.send(at=NOON))

    attempt = Attempt.objects.get()
    assert (outcome.percent, outcome.is_passed) == (100, True)
    assert (attempt.uid, attempt.number, attempt.percent, attempt.is_offline) == (paper.uid, 1, 100, True)
    assert (attempt.started_at, attempt.submitted_at) == (NOON - 2 * HOUR - 300 * SECOND, NOON - 2 * HOUR)
    assert LessonProgress.objects.get().completed_at == NOON - 2 * HOUR
    assert (LearnedDay.objects.get().seconds, LearnedDay.objects.get().lessons) == (300, 1)
    paper.refresh_from_db()
    assert (paper.attempt, paper.used_at) == (attempt, NOON)


def test_the_same_paper_is_marked_once_whatever_the_change_is_called(phone, quiz):
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=300)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=300)
    phone.answer(paper, {}, at=NOON - HOUR, took=300)

    found = phone.send(at=NOON)

    assert codes(found) == [("taken", None), ("taken", None), ("refused", "QUIZ_ATTEMPT_CLOSED")]
    assert found[1].percent == 100
    assert Attempt.objects.count() == 1
    assert LearnedDay.objects.get().seconds == 300


def test_the_time_limit_is_that_of_the_device_with_what_was_granted_since(ada, phone, quiz, enrollment):
    late, granted = phone.seal(quiz, at=NOON - DAY), Phone(phone.user, at=NOON - DAY)
    extra = granted.seal(quiz, at=NOON - DAY)
    phone.answer(late, right_answers(quiz), at=NOON - HOUR, took=631)
    granted.answer(extra, right_answers(quiz), at=NOON - HOUR, took=631)

    [over] = phone.send(at=NOON)
    act = services.Act(by=ada, learners=[enrollment.uid], key=uuid4())
    services.grant_extra_time(act, quiz=quiz, minutes=5, now=NOON)
    [kept] = granted.send(at=NOON)

    assert (over.state, over.refusal["code"], over.percent) == ("refused", "QUIZ_TIME_OVER", 0)
    assert (kept.state, kept.percent) == ("taken", 100)
    assert sorted(Attempt.objects.values_list("percent", flat=True)) == [0, 100]


@all_cases("clock, seconds", [(MONTH, None), (-MONTH, None), (timedelta(0), 300.0), (timedelta(days=7000), None)])
def test_a_clock_that_was_set_does_not_use_up_the_time(leo, quiz, clock, seconds):
    phone = Phone(leo, at=NOON - DAY, clock=clock)
    paper = phone.seal(quiz, at=NOON - DAY)
    # The last but one: the clock was set forward by a week during the attempt, and the device measured 300 seconds.
    took = 300.0 if seconds is None else 7 * 24 * 3600.0
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=took, seconds=seconds)

    [outcome] = taken(phone.send(at=NOON))

    attempt = Attempt.objects.get(uid=paper.uid)
    assert outcome.percent == 100
    assert attempt.submitted_at is not None
    assert attempt.submitted_at - attempt.started_at == 300 * SECOND
    assert NOON - DAY <= attempt.started_at < attempt.submitted_at <= NOON
    Attempt.objects.all().delete()


def test_what_cannot_be_read_is_not_answered_and_a_long_essay_is_cut(phone, course, enrollment):
    quiz = make_quiz(course)
    essay = QuestionFactory(quiz=quiz, kind="essay", options={"limit": 10}, answer={}, points=1)
    paper = phone.seal(quiz, at=NOON - DAY)
    uids = [row["uid"] for row in paper.asked]
    answers = right_answers_of(quiz) | {uids[0]: {"ids": ["zzz"]}, str(uuid4()): {"id": "a"}}
    phone.answer(paper, answers | {str(essay.uid): {"text": "é" * 50}}, at=NOON - HOUR, took=300)

    [outcome] = taken(phone.send(at=NOON))

    attempt = Attempt.objects.get()
    assert uids[0] not in attempt.answers
    assert attempt.answers[str(essay.uid)] == {"text": "é" * 10}
    assert (attempt.waiting, outcome.percent, outcome.is_passed) == (1, None, None)
    assert attempt.essays.get().submitted_at == NOON - HOUR


def right_answers_of(quiz):
    kinds = dict(quiz.questions.exclude(kind="essay").order_by("position").values_list("uid", "kind"))
    shapes = [{"id": "b"}, {"ids": ["p", "q"]}, {"value": True}, {"text": "314159"}]
    return {str(uid): shape for uid, shape in zip(kinds, shapes, strict=False)}


def test_attempts_are_numbered_as_they_were_taken(leo, phone, course, enrollment):
    quiz = make_quiz(course)
    late, early = phone.seal(quiz, at=NOON - DAY), Phone(leo, at=NOON - DAY)
    first = early.seal(quiz, at=NOON - DAY)
    phone.answer(late, {}, at=NOON - 2 * HOUR, took=60)
    early.answer(first, {}, at=NOON - 4 * HOUR, took=60)
    online = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON - 3 * HOUR)
    services.submit_attempt(user=leo, attempt=online, answers={}, now=NOON - 3 * HOUR + MINUTE)

    taken(phone.send(at=NOON))
    taken(early.send(at=NOON))

    assert list(Attempt.objects.order_by("number").values_list("uid", "number")) == [
        (first.uid, 1),
        (online.uid, 2),
        (late.uid, 3),
    ]


def test_an_open_attempt_stays_open(leo, phone, quiz):
    paper = phone.seal(quiz, at=NOON - DAY)
    opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON - MINUTE)
    phone.answer(paper, {}, at=NOON - HOUR, took=60)

    taken(phone.send(at=NOON))

    opened.refresh_from_db()
    assert (opened.submitted_at, opened.number) == (None, 2)


def test_attempts_that_were_used_up_with_a_connection_are_refused(leo, phone, quiz):
    other = Phone(leo, at=NOON - DAY)
    first, second = phone.seal(quiz, at=NOON - DAY), other.seal(quiz, at=NOON - DAY + MINUTE)
    phone.answer(first, right_answers(quiz), at=NOON - HOUR, took=60)
    other.answer(second, right_answers(quiz), at=NOON - HOUR, took=60)
    online = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON - HOUR)
    services.submit_attempt(user=leo, attempt=online, answers={}, now=NOON - HOUR + MINUTE)

    assert codes(other.send(at=NOON)) == [("later", "OFFLINE_ATTEMPTS_HELD")]
    assert codes(phone.send(at=NOON)) == [("taken", None)]
    assert codes(other.send(at=NOON + HOUR)) == [("refused", "QUIZ_NO_ATTEMPTS_LEFT")]
    assert Attempt.objects.count() == 2


def test_an_attempt_counts_once_the_device_that_held_it_is_removed(leo, phone, quiz):
    lost = Phone(leo, at=NOON - DAY)
    lost.seal(quiz, at=NOON - DAY)
    paper = phone.seal(quiz, at=NOON - DAY + MINUTE)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=60)
    online = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON - HOUR)
    services.submit_attempt(user=leo, attempt=online, answers={}, now=NOON - HOUR + MINUTE)
    assert codes(phone.send(at=NOON)) == [("later", "OFFLINE_ATTEMPTS_HELD")]

    services.remove_device(user=leo, device=lost.device)

    assert codes(phone.send(at=NOON + HOUR)) == [("taken", None)]


def test_the_wait_between_attempts_counts_without_a_connection(leo, phone, course, enrollment):
    quiz = make_quiz(course, retry_wait=3600)
    for minutes in (0, 2):
        opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON + minutes * MINUTE)
        services.submit_attempt(user=leo, attempt=opened, answers={}, now=NOON + (minutes + 1) * MINUTE)
    paper = phone.seal(quiz, at=NOON + 4 * MINUTE)
    phone.answer(paper, {}, at=NOON + 20 * MINUTE, took=60)

    assert codes(phone.send(at=NOON + 2 * HOUR)) == [("refused", "QUIZ_ATTEMPT_TOO_SOON")]
    paper.refresh_from_db()
    assert paper.used_at is None


def test_a_quiz_that_was_taken_out_is_marked_if_it_was_begun_before(leo, phone, quiz):
    paper, other = phone.seal(quiz, at=NOON - DAY), Phone(leo, at=NOON - DAY)
    late = other.seal(quiz, at=NOON - DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - 2 * HOUR, took=60)
    other.answer(late, right_answers(quiz), at=NOON - MINUTE, took=60)
    Lesson.objects.filter(pk=quiz.lesson_id).update(removed_at=NOON - HOUR)

    assert codes(phone.send(at=NOON)) == [("taken", None)]
    assert codes(other.send(at=NOON)) == [("refused", "LESSON_TAKEN_OUT")]
    assert Attempt.objects.get().percent == 100


def test_a_wrong_clock_skips_no_wait(leo, course, enrollment):
    quiz = make_quiz(course, retry_wait=86_400)
    phone = Phone(leo, at=NOON - DAY, clock=-MONTH)
    paper = phone.seal(quiz, at=NOON - DAY)
    for minutes in (0, 2):
        opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON + minutes * MINUTE)
        services.submit_attempt(user=leo, attempt=opened, answers={}, now=NOON + (minutes + 1) * MINUTE)
    phone.answer(paper, {}, at=NOON + 10 * MINUTE, took=60)

    assert codes(phone.send(at=NOON + 20 * MINUTE)) == [("refused", "QUIZ_ATTEMPT_TOO_SOON")]
    assert Attempt.objects.count() == 2


def test_a_late_attempt_is_answered_the_same_under_another_id(leo, phone, quiz):
    Quiz.objects.filter(pk=quiz.pk).update(time_limit=60)
    quiz.refresh_from_db()
    paper = phone.seal(quiz, at=NOON - DAY)
    for _ in range(2):
        phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=600)

    assert codes(phone.send(at=NOON)) == [("refused", "QUIZ_TIME_OVER")] * 2
    assert Attempt.objects.count() == 1


def test_an_attempt_has_the_keys_that_were_corrected_at_the_last_moment(leo, phone, quiz, monkeypatch):
    paper, first = phone.seal(quiz, at=NOON - DAY), quiz.questions.order_by("position").first()
    phone.answer(paper, right_answers(quiz) | {str(first.uid): {"id": "a"}}, at=NOON - HOUR, took=60)
    judge = offline_attempts.time_of

    def correct_meanwhile(*args):
        Question.objects.filter(pk=first.pk).update(answer={"id": "a"})
        services.remark_questions(questions=[first.pk], tells_passed=False, now=NOON)
        return judge(*args)

    monkeypatch.setattr(offline_attempts, "time_of", correct_meanwhile)
    taken(phone.send(at=NOON))

    assert Attempt.objects.get().percent == 100


def test_a_paper_of_somebody_else_is_unknown(leo, mia, phone, quiz):
    EnrollmentFactory(user=mia, course=quiz.lesson.course)
    paper = services.seal_paper(user=mia, device=make_device(mia), lesson=quiz.lesson, now=NOON - DAY)
    phone.answer(paper, {}, at=NOON, took=60)

    assert codes(phone.send(at=NOON)) == [("refused", "OFFLINE_PAPER_UNKNOWN")]
    assert SealedPaper.objects.get().used_at is None


@all_cases("moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
def test_the_ends_of_time_harm_nothing(leo, film, lessons, quiz, moment):
    phone = Phone(leo, at=NOON - DAY)
    paper = phone.seal(quiz, at=NOON - DAY)
    for at in (moment, NOON):
        phone.watch(film, [[0, 60]], at=at, took=0)
        phone.complete(lessons[0], at=at, took=0)
    phone.review(FlashCardFactory(user=leo), 3, at=moment)
    phone.answer(paper, right_answers(quiz), at=moment, took=0, seconds=300)
    for change in phone.changes:
        for name in ("began_at", "opened_at"):
            if name in change.said:
                change.said[name] = moment

    taken(phone.send(at=NOON))

    progress = LessonProgress.objects.get(lesson=film)
    assert (progress.watched, progress.started_at) == ([[0, 60]], NOON - DAY)
    TakenChange.objects.all().delete()


def test_a_review_of_a_question_that_was_edited_keeps_its_rating(leo, phone, course, enrollment):
    quiz = make_quiz(course, reveal="always")
    opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON - DAY)
    services.submit_attempt(user=leo, attempt=opened, answers={}, now=NOON - DAY + MINUTE)
    question = quiz.questions.order_by("position").first()
    card = PracticeCard.objects.get(question=question)
    phone.review(card, 3, at=NOON - HOUR).said["answer"] = {"id": "b"}
    options = [{"id": "x", "text": "X"}, {"id": "y", "text": "Y"}]
    Question.objects.filter(pk=question.pk).update(options=options, answer={"id": "x"})

    taken(phone.send(at=NOON))

    assert PracticeReview.objects.get().rating == 3


def test_days_that_are_too_long_ago_to_count_apart_are_not_five_lessons_on_one(leo, course, enrollment):
    phone = Phone(leo, at=NOON - 9 * DAY)
    for day in range(4, 9):
        film = LessonFactory(section=course.sections.first(), course=course, kind="video", duration=400)
        phone.watch(film, [[0, 400]], at=NOON - day * DAY, took=400)

    taken(phone.send(at=NOON))

    assert not Achievement.objects.filter(kind="five_lessons").exists()


def test_a_wrong_clock_makes_nobody_seem_to_have_watched_for_months(leo, film):
    phone = Phone(leo, at=NOON - 2 * MONTH, clock=MONTH)
    phone.watch(film, [[0, 600]], at=NOON - HOUR, took=600)

    taken(phone.send(at=NOON))

    assert LessonProgress.objects.get().started_at == NOON - timedelta(seconds=600)
