"""Simultaneous requests, on a real database with threads."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.db import close_old_connections, connection

from apps.accounts.models import Notification
from apps.learning import services
from apps.learning.errors import AlreadyEnrolled, AttemptClosed, CardLimitReached, OfflineDeviceLimit, TooManyNotes
from apps.learning.models import (
    Attempt,
    Certificate,
    Enrollment,
    LearningTime,
    LessonProgress,
    Note,
    OfflineDevice,
    OpeningCheck,
    PracticeCard,
    PracticeReview,
    Rating,
    RatingDecision,
)
from apps.learning.notes.merging import Content, Edit
from apps.learning.services import notes, practice
from studyplatform.kit.errors import AppError
from studyplatform.kit.models import Job
from tests.factories.accounts import UserFactory
from tests.factories.courses import LessonFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory, FlashCardFactory
from tests.learning.conftest import NOON, open_lesson
from tests.learning.quiz import make_quiz, right_answers

DAY = timedelta(days=1)
pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def run_simultaneously(*works: Callable[[], object]) -> list[Any]:
    """Start all functions at the same moment; return what each one returned or raised."""
    gate = threading.Barrier(len(works))
    outcomes: list[Any] = [None] * len(works)

    def run(place: int, work: Callable[[], object]) -> None:
        gate.wait()
        try:
            outcomes[place] = work()
        except AppError as refusal:
            outcomes[place] = refusal
        except Exception as crash:
            outcomes[place] = crash
        finally:
            close_old_connections()
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_two_simultaneous_requests_create_one_enrollment(mia, course):
    outcomes = run_simultaneously(*[lambda: services.enroll(user=mia, course=course, now=NOON)] * 6)

    assert sum(isinstance(outcome, Enrollment) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AlreadyEnrolled) for outcome in outcomes) == 5
    course.refresh_from_db()
    assert course.learner_count == 1


def test_twelve_simultaneous_enrollments_are_all_counted(course):
    users = UserFactory.create_batch(12)

    run_simultaneously(*[partial(services.enroll, user=user, course=course, now=NOON) for user in users])

    course.refresh_from_db()
    assert course.learner_count == Enrollment.objects.filter(course=course).count() == 12


def test_twelve_simultaneous_ratings_are_all_counted(course):
    enrollments = EnrollmentFactory.create_batch(12, course=course, percent=50)

    run_simultaneously(
        *[
            partial(services.rate_course, user=enrollment.user, course=course, stars=4, text="", now=NOON)
            for enrollment in enrollments
        ]
    )

    course.refresh_from_db()
    assert (course.rating_count, course.rating_sum) == (12, 48)


def test_simultaneous_reviews_votes_and_decisions_of_one_learner_are_counted_once(leo, sam, course, enrollment):
    Enrollment.objects.filter(pk=enrollment.pk).update(percent=50)
    outcomes = run_simultaneously(
        *[
            partial(services.rate_course, user=leo, course=course, stars=stars, text="Fine.", now=NOON)
            for stars in (2, 3, 4, 5)
        ]
    )
    rating = Rating.objects.get()
    voters = UserFactory.create_batch(4)
    votes = [partial(services.vote_helpful, rating=rating, user=user, on=True, now=NOON) for user in voters]
    seen = rating.updated_at.isoformat()
    hide = partial(services.decide_rating, rating=rating, by=sam, kind="hide", seen=seen, reason="", now=NOON)
    counted = run_simultaneously(*votes, *votes)

    assert not [outcome for outcome in [*outcomes, *counted] if isinstance(outcome, Exception)]
    course.refresh_from_db()
    assert (course.rating_count, course.rating_sum) == (1, rating.stars)
    assert Rating.objects.get().helpful_count == 4
    run_simultaneously(hide, hide, partial(services.delete_rating, user=leo, course=course, now=NOON))
    course.refresh_from_db()
    assert (course.rating_count, course.rating_sum) == (0, 0)
    assert RatingDecision.objects.count() <= 1


def test_completing_the_last_two_lessons_at_once_issues_one_certificate(leo, enrollment, lessons):
    for lesson in lessons[:-2]:
        services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=NOON)

    outcomes = run_simultaneously(
        *[
            lambda uid=lesson.uid: services.complete_lesson(user=leo, lesson_uid=uid, now=NOON)
            for lesson in lessons[-2:]
            for _ in range(3)
        ]
    )

    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert Certificate.objects.count() == 1
    enrollment.refresh_from_db()
    assert (enrollment.completed_lessons, enrollment.percent) == (6, 100)


def test_simultaneous_heartbeats_of_many_tabs_lose_no_time(leo, enrollment, video_lesson):
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=video_lesson, started_at=enrollment.enrolled_at, updated_at=enrollment.enrolled_at
    )

    LearningTime.objects.create(user=leo, counted_at=NOON - timedelta(minutes=1))

    outcomes = run_simultaneously(
        *[
            lambda n=n: services.save_watching(
                user=leo, lesson_uid=video_lesson.uid, position=n * 10, watched=[[n * 10, n * 10 + 10]], now=NOON
            )
            for n in range(5)
        ]
    )

    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert LessonProgress.objects.get().watched == [[0, 50]]


def test_simultaneous_requests_open_one_attempt(leo, enrollment, course):
    quiz = make_quiz(course, max_attempts=1)

    outcomes = run_simultaneously(*[lambda: services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)] * 5)

    assert {getattr(outcome, "pk", outcome) for outcome in outcomes} == {Attempt.objects.get().pk}


def test_a_double_submit_is_marked_once(leo, enrollment, course):
    quiz = make_quiz(course)
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)
    answers = right_answers(quiz)

    def submit_attempt(given):
        return lambda: services.submit_attempt(
            user=leo,
            attempt=Attempt.objects.get(pk=attempt.pk),
            answers=given,
            now=NOON + timedelta(minutes=1),
        )

    same = run_simultaneously(submit_attempt(answers), submit_attempt(answers), submit_attempt(answers))
    other = run_simultaneously(submit_attempt({}), submit_attempt(answers))

    assert all(outcome[0].is_passed for outcome in same)
    assert isinstance(other[0], AttemptClosed)
    assert other[1][0].percent == 100


def test_simultaneous_claims_for_many_lessons_share_one_budget(leo, enrollment, course):
    video_lessons = LessonFactory.create_batch(6, section__course=course, kind="video", duration=600)
    run_simultaneously(
        *[lambda video_lesson=video_lesson: open_lesson(leo, video_lesson, NOON) for video_lesson in video_lessons]
    )
    assert LessonProgress.objects.count() == 6
    later = NOON + timedelta(seconds=20)

    outcomes = run_simultaneously(
        *[
            lambda uid=video_lesson.uid: services.save_watching(
                user=leo, lesson_uid=uid, position=600, watched=[[0, 600]], now=later
            )
            for video_lesson in video_lessons
            for _ in range(2)
        ]
    )

    crashes = [outcome for outcome in outcomes if isinstance(outcome, Exception) and not isinstance(outcome, AppError)]
    assert not crashes
    believed = sum(LessonProgress.objects.values_list("watched_seconds", flat=True))
    assert believed == 20 * 4 + 30


def test_simultaneous_marks_do_not_complete_every_text(leo, enrollment, lessons):
    for lesson in lessons:
        lesson.body = "word " * 600
        lesson.save()
        open_lesson(leo, lesson, NOON)

    run_simultaneously(
        *[
            lambda uid=lesson.uid: services.complete_lesson(user=leo, lesson_uid=uid, now=NOON + timedelta(seconds=60))
            for lesson in lessons
        ]
    )

    assert LessonProgress.objects.exclude(completed_at=None).count() == 1


def test_simultaneous_saves_of_one_note_keep_every_text_and_the_limit_holds(leo, enrollment, video_lesson, monkeypatch):
    monkeypatch.setattr(notes, "MOST_NOTES", 2)
    uid = uuid4()

    def save(note: UUID, number: int) -> object:
        content = Content({f"device{number:02}": Edit(1, number, f"Text {number}")})
        where = {"lesson_uid": video_lesson.uid, "uid": note, "kind": "note", "second": 5}
        return services.save_note(user=leo, **where, content=content, now=NOON)

    outcomes = run_simultaneously(*[partial(save, uid, number) for number in range(5)])
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert Note.objects.get().text.split("\n\n---\n\n") == [f"Text {number}" for number in range(5)]

    others = run_simultaneously(*[partial(save, uuid4(), number) for number in range(5)])
    assert sum(isinstance(outcome, TooManyNotes) for outcome in others) == 4
    assert Note.objects.count() == 2


def test_simultaneous_reviews_of_a_card_count_once_for_each_turn(leo):
    card = FlashCardFactory(user=leo)
    key = uuid4()
    review = partial(services.review_card, user=leo, card=card, answer=None, reviewed_at=None, now=NOON + DAY)
    same = [partial(review, key=key, turn=0, rating=3)] * 3
    outcomes = run_simultaneously(*same, *[partial(review, key=uuid4(), turn=0, rating=rating) for rating in (1, 2, 4)])

    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert PracticeReview.objects.filter(key=key).count() == 1
    card.refresh_from_db()
    assert card.turn == 1


def test_simultaneous_restores_do_not_exceed_the_number_of_cards(leo, monkeypatch):
    monkeypatch.setattr(practice, "MOST_OWN_CARDS", 2)
    cards = FlashCardFactory.create_batch(4, user=leo, deleted_at=NOON)
    outcomes = run_simultaneously(*[partial(services.restore_card, card=card) for card in cards])

    assert sum(isinstance(outcome, CardLimitReached) for outcome in outcomes) == 2
    assert PracticeCard.objects.filter(deleted_at=None).count() == 2


def test_two_checks_of_openings_notify_once():
    course = EnrollmentFactory(enrolled_at=NOON - 3 * DAY).course
    for _more in range(2):
        EnrollmentFactory(course=course, enrolled_at=NOON - 3 * DAY)
    LessonFactory(course=course, section=SectionFactory(course=course), opens_at=NOON)
    OpeningCheck.objects.create(pk=OpeningCheck.ONLY_PK, checked_until=NOON - DAY / 2)
    with time_machine.travel(NOON + DAY / 4):
        check = partial(services.announce_openings, now=NOON + DAY / 4, extend_lease=lambda: None)
        assert run_simultaneously(check, check) == [None, None]

    assert Notification.objects.filter(kind="learning.lesson_opened").count() == 3
    assert Job.objects.filter(kind="accounts.mail_notification").count() == 3
    assert OpeningCheck.objects.get().checked_until == NOON + DAY / 4


def test_devices_that_register_at_once_keep_to_the_limit(leo, settings):
    settings.MAX_OFFLINE_DEVICES = 2
    register = partial(services.register_device, user=leo, name="Firefox", now=NOON)

    outcomes = run_simultaneously(*[register] * 4)

    assert sum(isinstance(one, OfflineDeviceLimit) for one in outcomes) == 2
    assert OfflineDevice.objects.filter(user=leo).count() == 2
