"""What the search makes of passages in each mode, without a model."""

import re
from dataclasses import replace

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from apps.courses.models import Lesson
from apps.learning.queries.questions_to_practice import questions_to_practice
from apps.tutor.grounding import check
from apps.tutor.providers import Prompt, Usage
from apps.tutor.providers.search import SearchProvider
from apps.tutor.quoting import ASKED, answer
from apps.tutor.retrieval import index
from apps.tutor.retrieval.search import Earlier, scope_of, search
from studyplatform.kit.text import content
from tests.factories.courses import QuestionFactory
from tests.factories.learning import AttemptFactory, LessonProgressFactory

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


# --- Quizzes from the questions of the course ---------------------------------------------------------------------


@pytest.fixture
def quiz(rivers):
    """A quiz with a question of each kind about "deltas"."""
    quiz = rivers["check"].quiz
    steps = [{"id": one, "text": f"Step {one}"} for one in "abc"]
    kinds = {
        "single": (steps, {"id": "b"}),
        "multiple": (steps, {"ids": ["a", "c"]}),
        "truth": ([], {"value": True}),
        "numeric": ({"unit": "km"}, {"value": 3.25, "tolerance": 0}),
        "text": ([], {"accepted": ["silt"]}),
        "ordering": (steps, {"ids": ["a", "b", "c"]}),
        "matching": ({"left": steps, "right": steps}, {"pairs": {"a": "a", "b": "b", "c": "c"}}),
    }
    quiz.questions.all().delete()
    for position, (kind, (options, right)) in enumerate(kinds.items()):
        QuestionFactory(
            quiz=quiz, position=position, kind=kind, options=options, answer=right, rewatch_lesson=rivers["deltas"],
            prompt=f"What about *{kind}*?", explanation=f"Because of {kind}.",
        )  # fmt: skip
    return quiz


def submitted(quiz, enrollment, **more):
    return AttemptFactory(enrollment=enrollment, quiz=quiz, submitted_at=timezone.now(), is_passed=True, **more)


def test_a_quiz_asks_questions_of_quizzes_that_the_learner_has_submitted(ask, quiz, rivers, enrollment):
    submitted(quiz, enrollment)
    prompt = ask("Quiz me on this course", "quiz")
    texts = [text_of(replace(prompt, history=(Earlier("", ""),) * number)) for number in range(20)]
    for text in texts:
        assert len(re.findall(r"^\d\. What about", text, re.MULTILINE)) == 3
        assert f"(/learn/{enrollment.course.slug}/check)" in text
        checked = check(text, prompt, is_search=True)
        assert (checked.kind, checked.text) == ("", text)
    together = "".join(texts)
    assert set(re.findall(r"What about \*(\w+)\*", together)) == ASKED
    for hidden in ("Because", "3.25", "silt", "Step a\n   - Step b\n   - Step c\n\n   Put"):
        assert hidden not in together
    assert "km" in together
    html = str(content.render(texts[0], content.ANSWER))
    assert html.count("<li>") >= 3
    assert html.count("<ol") == 1 or "start=" in html
    ordering = [text for text in texts if "Put these in order." in text]
    assert ordering
    assert all(
        re.findall(r"- (Step \w)", text[text.index("Put these in order.") :])[:3] != ["Step a", "Step b", "Step c"]
        for text in ordering
    )


@pytest.mark.parametrize("why", ["not submitted", "not shown", "open", "withdrawn", "revoked"])
def test_a_quiz_leaves_words_out_while_no_question_may_be_shown(ask, quiz, enrollment, why):
    if why != "not submitted":
        submitted(quiz, enrollment)
    if why == "open":
        AttemptFactory(enrollment=enrollment, quiz=quiz)
    if why == "not shown":
        quiz.reveal = "never"
        quiz.save()
    if why == "withdrawn":
        quiz.questions.update(is_withdrawn=True)
    prompt = ask("river and sea", "quiz")
    if why == "revoked":
        enrollment.revoked_at = timezone.now()
        enrollment.save()
    text = text_of(prompt)
    assert "What about" not in text
    assert "Which word is missing?" in text


def test_a_lesson_is_asked_about_with_the_questions_that_refer_to_it(
    ask, quiz, rivers, leo, course, enrollment, django_assert_max_num_queries
):
    submitted(quiz, enrollment)

    def asked(slug):
        scope = scope_of(leo, course=course, lesson=rivers[slug])
        prompt = replace(ask("river and sea", "quiz"), scope=scope)
        return text_of(prompt)

    assert "What about" in asked("deltas")
    assert "What about" in asked("check")
    assert "What about" not in asked("meanders")
    quiz.questions.update(rewatch_lesson=None)
    assert "What about" not in asked("meanders")
    rivers["meanders"].section, rivers["meanders"].position = rivers["check"].section, 8
    rivers["meanders"].save()
    assert "What about" in asked("meanders")
    with django_assert_max_num_queries(9):
        assert questions_to_practice(leo, frozenset(one.pk for one in rivers.values()))


def test_who_does_not_understand_a_lesson_gets_its_gist(rivers, course, enrollment, leo):
    Lesson.objects.filter(slug="meanders").update(summary="Why a *river* bends.")
    scope = scope_of(leo, lesson=rivers["meanders"])
    lost = Prompt(user=leo, question="I don't get it", mode="ask", scope=scope, course=course, intent="confused")
    assert "> Why a \\*river\\* bends." in answer(lost)
    everywhere = Prompt(user=leo, question="?", mode="ask", scope=scope_of(leo), course=None, intent="confused")
    for text in (answer(lost), answer(everywhere)):
        assert "which word or step" in text
    assert "In short" not in answer(everywhere)
