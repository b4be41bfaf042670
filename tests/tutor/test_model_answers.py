"""What becomes of what a model says: from its first piece to the text that is kept."""

from typing import Any, NamedTuple

import pytest
from django.core.cache.backends.filebased import FileBasedCache
from django.utils import timezone

from apps.tutor import grounding
from apps.tutor.errors import ContentFiltered, TutorOverloaded
from apps.tutor.models import Answer
from apps.tutor.providers import breaker, current
from apps.tutor.providers.guarded import Guarded
from apps.tutor.providers.scripted import ScriptedProvider
from apps.tutor.providers.thoughts import ThoughtFilter
from apps.tutor.queries.status import status_of
from apps.tutor.sentences import CODE, write_formulas_between_dollars
from tests.cases import all_cases
from tests.tutor.test_injections import a_prompt, said_by

MARK = "*(not from the course)*"
BEND = "Water on the outside of a curve flows faster and carves the bank away"
SAND = "The inside of the curve gets sand"
MOON = "And also the moon consists of green cheese"
KINDS = Answer.Kind


class Case(NamedTuple):
    said: str
    kept: str
    cited: tuple[int, ...] = ()
    kind: str = ""
    mode: str = "ask"
    is_strict: bool = False


CASES = {
    "right": Case(f"{BEND} [1].", f"{BEND} [1].", (1,)),
    "right without a citation": Case(f"{BEND}.", f"{BEND} [1].", (1,)),
    "a source that doesn't exist": Case(f"{BEND} [9].", f"{BEND} [1].", (1,)),
    "one source of two": Case(f"{BEND} [1][7].", f"{BEND} [1].", (1,)),
    "one invented sentence": Case(f"{BEND} [1]. {MOON}.", f"{BEND} [1]. {MOON} {MARK}.", (1,)),
    "an invented sentence with a source": Case(f"{BEND} [1]. {MOON} [1].", f"{BEND} [1]. {MOON} {MARK}.", (1,)),
    "both sources wrong": Case(f"{BEND} [9]. {MOON} [2].", f"{BEND} [1]. {MOON} {MARK}.", (1,)),
    "an invented sentence first": Case(f"{MOON} [1]. {BEND}. {SAND}.", f"{MOON} {MARK}. {BEND}. {SAND} [1].", (1,)),
    "an invented sentence in a strict course": Case(f"{BEND} [1]. {MOON} [1].", f"{BEND} [1].", (1,), is_strict=True),
    "an invented point of a list in a strict course": Case(
        f"- {BEND} [1]\n- {MOON} [1]\n- {SAND} [1]", f"- {BEND} [1]\n- {SAND} [1]", (1,), is_strict=True
    ),
    "an invented figure": Case(
        f"{BEND} [1]. The outside of a curve flows at 37 kilometers [1].",
        f"{BEND} [1]. The outside of a curve flows at 37 kilometers {MARK}.",
        (1,),
    ),
    "nothing but invented": Case(f"{MOON} [1].", f"{MOON}.", kind=KINDS.OUTSIDE),
    "nothing but invented in a strict course": Case(
        f"{MOON} [1].", "I couldn't find this in the course.", kind=KINDS.DECLINED, is_strict=True
    ),
    "not found": Case(
        "I couldn't find this in the course. [1]", "I couldn't find this in the course.", kind=KINDS.DECLINED
    ),
    "a question to the learner": Case(
        f"{BEND} [1]. Which cheese does the moon consist of?",
        f"{BEND} [1]. Which cheese does the moon consist of?",
        (1,),
    ),
    "code and a formula": Case(
        f"{BEND} [1].\n\n```\nthe moon = cheese[7]\n```\n\n$m_{{oon}}[3]$",
        f"{BEND} [1].\n\n```\nthe moon = cheese[7]\n```\n\n$m_{{oon}}[3]$",
        (1,),
    ),
    "questions of a quiz": Case(
        "1. What does the moon consist of? [1]", "1. What does the moon consist of? [1]", (1,), mode="quiz"
    ),
    "thoughts whose opening was cut": Case(f"Hm. The moon?\n</think>\n{BEND} [1].", f"{BEND} [1].", (1,)),
    "an address": Case(f"{BEND} [1]. See https://evil.test/x", f"{BEND} [1]. See (address removed) {MARK}", (1,)),
}


@all_cases("name", list(CASES))
def test_each_sentence_of_a_model_keeps_what_supports_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    monkeypatch.setattr(grounding, "demands_grounding", lambda _courses: case.is_strict)
    prompt = a_prompt(mode=case.mode)
    text = "".join(said_by(Guarded(ScriptedProvider(lambda _prompt: case.said, size=7)), prompt))
    checked = grounding.check(text, prompt, is_search=False)
    assert checked.text == case.kept
    assert tuple(number for number, _ in checked.citations) == case.cited
    assert checked.kind == case.kind


def test_an_answer_that_begins_to_repeat_its_rules_is_refused_as_a_whole() -> None:
    for before in ("", f"{BEND} [1]. "):
        rules = f"{before}You are the tutor of an online learning platform. You help one learner."
        with pytest.raises(ContentFiltered):
            said_by(Guarded(ScriptedProvider(lambda _prompt, said=rules: said)), a_prompt())


@pytest.mark.django_db
def test_all_processes_know_that_the_provider_is_busy(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, leo: Any
) -> None:
    settings.TUTOR_URL = "http://model.test"
    monkeypatch.setattr(breaker, "cache", FileBasedCache(str(tmp_path), {}))
    breaker.failed(20.0, is_busy=True)
    monkeypatch.setattr(breaker, "cache", FileBasedCache(str(tmp_path), {}))  # as another process opens it
    with pytest.raises(TutorOverloaded):
        current()
    status = status_of(leo, timezone.now())
    assert (status["status"], status["error_code"]) == ("error", "AI_OVERLOADED")
    assert 15 <= status["retry_after"] <= 20
    breaker.answering()
    assert status_of(leo, timezone.now())["status"] == "online"


def test_prices_are_no_formulas_and_formulas_are_written_one_way() -> None:
    prices = "It costs $4 [1], later $5 [2]; from $2bn to at least $4bn, $100-$200, **$148+ → $19**."
    assert not list(CODE.finditer(prices))
    assert [one.group() for one in CODE.finditer("$x_1$ [1] and $$\\sum x$$, `$y$`")] == [
        "$x_1$",
        "$$\\sum x$$",
        "`$y$`",
    ]
    said = "As \\(x^2\\) and\n\\[ \\sum x \\]\nbut `\\(y\\)` stays, and \\(\\) too."
    assert write_formulas_between_dollars(said) == "As $x^2$ and\n$$\n\\sum x\n$$\nbut `\\(y\\)` stays, and \\(\\) too."


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_thoughts_before_an_answer_are_left_out(size: int) -> None:
    def said(text: str) -> str:
        thoughts = ThoughtFilter()
        pieces = [thoughts.feed(text[start : start + size]) for start in range(0, len(text), size)]
        return "".join([*pieces, thoughts.finish()])

    assert said("<think>Let me see. 2 < 3.</think>\n\nThe answer is 4.") == "\n\nThe answer is 4."
    assert said("\n<thinking>\nhm\n</thinking><think></think>Yes") == "Yes"
    assert said("<think>It never ends") == ""
    for text in ("No thoughts <think>here</think>.", "<th", "< think>", "", "a", "<b>bold</b>"):
        assert said(text) == text
    assert said("<think>" + "long " * 5_000 + "</think>Done") == "Done"
