"""Devices, tabs and what is done with a connection, at the same moment."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from apps.learning import services
from apps.learning.models import (
    Attempt,
    Certificate,
    Enrollment,
    LearnedDay,
    LearningTime,
    LessonProgress,
    Note,
    PracticeReview,
    SealedPaper,
    TakenChange,
)
from apps.learning.notes.merging import Content, Edit
from tests.factories.courses import LessonFactory, QuestionFactory, SectionFactory
from tests.factories.learning import FlashCardFactory
from tests.learning.conftest import NOON
from tests.learning.offline import DAY, Phone
from tests.learning.quiz import make_quiz, right_answers
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def settled(phone: Phone, outcomes: list[Any]) -> list[Any]:
    """What became of the changes, after those that met others at the same moment were sent again."""
    assert not [one for one in outcomes if isinstance(one, Exception)]
    while any(one.state == "later" for one in phone.send(at=NOON + MINUTE)):
        pass
    return phone.send(at=NOON + MINUTE)


@pytest.fixture
def film(course, enrollment):
    return LessonFactory(section=SectionFactory(course=course), course=course, kind="video", duration=3600)


def test_the_same_changes_from_many_tabs_have_one_effect_and_one_answer(leo, course, enrollment, film, lessons):
    quiz = make_quiz(course)
    QuestionFactory(quiz=quiz, kind="essay", options={"limit": 100}, answer={})
    phone, card = Phone(leo, at=NOON - DAY), FlashCardFactory(user=leo)
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.watch(film, [[0, 1800]], at=NOON - HOUR, took=1800)
    phone.complete(lessons[0], at=NOON - HOUR, took=60)
    phone.write(film, uuid4(), Content({"k" * 8: Edit(1, 1, "Silt")}), at=NOON - HOUR)
    phone.review(card, 3, at=NOON - HOUR)
    phone.answer(paper, {row["uid"]: {"text": "1"} for row in paper.asked}, at=NOON - HOUR, took=300)

    outcomes = run_simultaneously(*[partial(phone.send, at=NOON)] * 6)

    assert not [one for one in outcomes if isinstance(one, Exception)]
    final = settled(phone, [])
    assert {one.state for one in final} == {"taken"}
    for found in outcomes:
        assert [one for one in found if one.state != "later"] == [
            last for one, last in zip(found, final, strict=True) if one.state != "later"
        ]
    assert TakenChange.objects.count() == 5
    assert LessonProgress.objects.get(lesson=film).watched == [[0, 1800]]
    assert (Attempt.objects.count(), Note.objects.count(), PracticeReview.objects.count()) == (1, 1, 1)
    assert Attempt.objects.get().essays.count() == 1
    assert LearnedDay.objects.get().seconds == 1800 + 60 + 300
    phone.device.refresh_from_db()
    assert phone.device.watched_seconds == 1800


def test_three_devices_and_a_player_lose_no_second(leo, enrollment, film):
    LearningTime.objects.create(user=leo, counted_at=NOON - DAY)
    phones = [Phone(leo, at=NOON - DAY) for _ in range(3)]
    for number, phone in enumerate(phones):
        for part in range(3):
            begin = number * 900 + part * 300
            phone.watch(film, [[begin, begin + 300]], at=NOON - HOUR, took=300)
    play = partial(services.save_watching, user=leo, lesson_uid=film.uid, position=3010, watched=[[3000, 3010]])

    *outcomes, saved = run_simultaneously(*[partial(phone.send, at=NOON) for phone in phones], partial(play, now=NOON))

    assert not isinstance(saved, Exception)
    play(now=NOON + MINUTE)  # a player sends all that it played each time, until there was time for it
    for phone in phones:
        settled(phone, outcomes)
    assert LessonProgress.objects.get().watched == [[0, 2700], [3000, 3010]]


def test_papers_of_many_devices_and_an_attempt_with_a_connection_are_numbered_once_each(leo, course, enrollment):
    quiz = make_quiz(course, max_attempts=4)
    phones = [Phone(leo, at=NOON - DAY) for _ in range(3)]
    for number, phone in enumerate(phones):
        paper = phone.seal(quiz, at=NOON - DAY)
        phone.answer(paper, right_answers(quiz), at=NOON - (number + 1) * HOUR, took=300)
    begin = partial(services.open_attempt, user=leo, lesson_uid=quiz.lesson.uid, now=NOON)

    *outcomes, opened = run_simultaneously(*[partial(phone.send, at=NOON) for phone in phones], begin)

    assert isinstance(opened, Attempt)
    for phone in phones:
        assert [one.percent for one in settled(phone, outcomes)] == [100]
    numbered = list(Attempt.objects.order_by("started_at").values_list("number", flat=True))
    assert numbered == [1, 2, 3, 4]
    assert LessonProgress.objects.exclude(completed_at=None).get().lesson == quiz.lesson


def test_two_devices_share_the_last_attempt(leo, course, enrollment):
    quiz = make_quiz(course, max_attempts=1)
    phones = [Phone(leo, at=NOON - DAY) for _ in range(4)]

    sealed = run_simultaneously(*[partial(phone.seal, quiz, at=NOON) for phone in phones])

    assert sum(isinstance(one, SealedPaper) for one in sealed) == 1
    [twice, again] = run_simultaneously(*[partial(p.seal, quiz, at=NOON) for p, s in zip(phones, sealed, strict=True)
                                          if isinstance(s, SealedPaper) for _ in range(2)])  # fmt: skip
    assert twice == again == SealedPaper.objects.get()


def test_devices_that_complete_the_course_at_once_earn_one_certificate(leo, enrollment, lessons):
    phones = [Phone(leo, at=NOON - DAY) for _ in range(3)]
    for number, lesson in enumerate(lessons):
        phones[number % 3].complete(lesson, at=NOON - HOUR, took=60)

    outcomes = run_simultaneously(*[partial(phone.send, at=NOON) for phone in phones])

    for phone in phones:
        settled(phone, outcomes)
    assert Certificate.objects.count() == 1
    assert Enrollment.objects.get().percent == 100


def test_a_device_that_is_removed_while_it_sends_ends_without_a_crash(leo, enrollment, film):
    phone = Phone(leo, at=NOON - DAY)
    for part in range(4):
        phone.watch(film, [[part * 300, part * 300 + 300]], at=NOON - HOUR, took=300)

    run_simultaneously(partial(phone.send, at=NOON), lambda: phone.device.__class__.objects.all().delete())

    assert TakenChange.objects.count() <= 4
