"""Practice cards that a device stores: with their answers, but only where the learner reads them anyway."""

import json

import pytest
from django.utils import timezone

from apps.learning.models import Attempt
from apps.learning.practice.day import NEW_PER_DAY
from apps.learning.queries.practice_page import solved_practice
from tests.factories.courses import QuestionFactory
from tests.factories.learning import AttemptFactory, FlashCardFactory, MissedCardFactory
from tests.learning.offline_content import make_course_file
from tests.learning.quiz import make_quiz

pytestmark = pytest.mark.django_db


@pytest.fixture
def quiz(course, enrollment, lessons):
    quiz = make_quiz(course, rewatch=lessons[0], reveal="always")
    AttemptFactory(enrollment=enrollment, quiz=quiz, number=1, started_at=timezone.now(), submitted_at=timezone.now())
    return quiz


def practice_of(call_as, who="leo"):
    status, _code, found = call_as(who, "GET", "/offline/practice/")
    assert status == 200, found
    return found


def test_cards_come_with_what_is_told_after_an_answer(call_as, quiz, leo):
    asked = quiz.questions.first()
    card, own = MissedCardFactory(user=leo, question=asked), FlashCardFactory(user=leo, back="Mine")

    found = practice_of(call_as)
    _status, _code, online = call_as("leo", "POST", f"/practice/cards/{card.uid}/answer/", {})

    assert {one["uid"] for one in found["practice"]["cards"]} == {str(card.uid), str(own.uid)}
    assert found["solutions"] == [{"card": str(card.uid), "result": online["result"]}]
    assert "zeppelin-explains" in found["solutions"][0]["result"]["explanation_html"]
    assert found["solutions"][0]["result"]["rewatch"] is not None
    assert found["practice"] == call_as("leo", "GET", "/practice/")[2]


@pytest.mark.parametrize("state", ["hidden", "open", "not submitted", "another's"])
def test_no_answer_is_told_that_practice_does_not_show(call_as, quiz, leo, mia, state):
    MissedCardFactory(user=leo, question=quiz.questions.first())
    match state:
        case "hidden":
            type(quiz).objects.update(reveal="never")
        case "open":
            type(quiz).objects.update(reveal="passed")
        case "not submitted":
            Attempt.objects.update(submitted_at=None)
    found = practice_of(call_as, "mia" if state == "another's" else "leo")

    assert found["solutions"] == []
    assert "zeppelin" not in json.dumps(found)


def test_pictures_of_cards_say_that_they_need_a_connection(call_as, quiz, leo, course):
    picture = make_course_file(course, width=400, height=300)
    asked = QuestionFactory(quiz=quiz, prompt=f"Which? ![A map](/course-files/{picture.uid})")
    MissedCardFactory(user=leo, question=asked)

    found = practice_of(call_as)

    assert "/course-files/" not in json.dumps(found)
    assert "The picture “A map” needs a connection." in found["practice"]["cards"][0]["question"]["prompt_html"]
    assert "The picture “A map” needs a connection." in found["solutions"][0]["result"]["prompt_html"]


def test_many_cards_cost_few_queries(quiz, leo, django_assert_max_num_queries):
    for _each in range(12):
        MissedCardFactory(user=leo, question=QuestionFactory(quiz=quiz, rewatch_lesson=quiz.lesson))

    with django_assert_max_num_queries(11):
        _practice, solutions = solved_practice(leo, timezone.now())

    assert len(solutions) == NEW_PER_DAY
