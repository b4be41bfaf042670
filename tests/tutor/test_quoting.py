"""What the search makes of passages in each mode, without a model."""

import re

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from apps.tutor.grounding import check
from apps.tutor.providers import Prompt, Usage
from apps.tutor.providers.search import SearchProvider
from apps.tutor.quoting import answer
from apps.tutor.retrieval import index
from apps.tutor.retrieval.search import scope_of, search
from tests.factories.learning import LessonProgressFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_index(monkeypatch):
    monkeypatch.setattr(index, "_kept", index._Kept())
    monkeypatch.setattr(index, "REST", 0.0)


@pytest.fixture
def ask(rivers, leo, enrollment, course):
    def asking(question: str, mode: str, **more) -> Prompt:
        scope = scope_of(leo, course=course)
        found = tuple(search(question, scope))
        return Prompt(user=leo, question=question, mode=mode, scope=scope, course=course, passages=found, **more)

    return asking


def text_of(prompt: Prompt) -> str:
    async def read() -> str:
        return "".join([one async for one in SearchProvider().stream(prompt) if not isinstance(one, Usage)])

    return async_to_sync(read)()


def test_a_question_is_answered_with_quotes_whose_numbers_lead_to_their_passages(ask):
    prompt = ask("why does a river bend", "ask")
    text = text_of(prompt)
    assert "not a language model" in text
    checked = check(text, prompt, is_search=True)
    assert checked.kind == ""
    for number, found in checked.citations:
        assert f"> {found.text} [{number}]" in text


def test_what_the_course_does_not_say_is_declined_in_every_mode_that_answers(ask):
    for mode in ("ask", "hint", "explain"):
        prompt = ask("who won the football championship", mode)
        assert text_of(prompt) == "I couldn't find this in the course."
        assert check(text_of(prompt), prompt, is_search=True).kind == "declined"


def test_a_hint_says_where_to_look_and_not_the_answer(ask):
    prompt = ask("why does a river bend", "hint")
    text = text_of(prompt)
    assert "**Meanders**" in text
    assert "carves the bank" not in text
    assert len(re.findall(r"\[1\]", text)) == 1


def test_a_moment_is_explained_by_what_was_said_and_the_passages_about_it(ask):
    text = text_of(ask("why does a river bend", "explain", transcript="The river *bends* here."))
    assert "> The river \\*bends\\* here." in text
    assert "[1]" in text


def test_a_quiz_leaves_words_out(ask):
    prompt = ask("river and sea", "quiz")
    lines = re.findall(r"^\d\. (.*)$", text_of(prompt), re.MULTILINE)
    assert 1 <= len(lines) <= 3
    assert all("\\_\\_\\_\\_" in line and re.search(r"\[\d\]$", line) for line in lines)


def test_cards_have_a_front_and_a_back(ask):
    prompt = ask("river and sea", "cards")
    cards = re.findall(r"^Front: (.+)\nBack: (.+) \[\d\]$", text_of(prompt), re.MULTILINE)
    assert cards
    assert all(front != back for front, back in cards)


def test_a_summary_has_a_point_per_passage_in_the_order_of_the_course(ask):
    prompt = ask("river and sea", "summary")
    assert len(re.findall(r"^- .+ \[\d\]$", text_of(prompt), re.MULTILINE)) == len(prompt.passages)


def test_a_plan_names_the_next_lesson_and_the_goal(ask, enrollment, rivers, django_assert_max_num_queries):
    prompt = ask("Make me a plan", "plan")
    with django_assert_max_num_queries(14):
        text = answer(prompt)
    assert "(/learn/" in text
    assert "Your goal is 30 minutes a day" in text
    for lesson in rivers.values():
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=timezone.now())
    type(enrollment).objects.filter(pk=enrollment.pk).update(completed_at=timezone.now())
    assert "no unfinished course" in answer(prompt)


def test_without_passages_every_mode_says_so(leo, course):
    for mode in ("ask", "explain", "hint", "quiz", "summary", "cards"):
        prompt = Prompt(user=leo, question="x", mode=mode, scope=scope_of(leo), course=None)
        assert text_of(prompt) == "I couldn't find this in the course."


def test_an_answer_goes_on_after_what_was_written(ask):
    prompt = ask("why does a river bend", "ask")
    whole = text_of(prompt)
    assert whole[:40] + text_of(ask("why does a river bend", "ask", written=whole[:40])) == whole
