"""Whether passages answer a question, and what a follow-up question is about."""

from types import SimpleNamespace
from typing import Any

import pytest

from apps.tutor.answers import MAX_QUOTED_PASSAGES, Certainty, certainty_of, quote
from apps.tutor.retrieval.everyday import everyday_similarity
from apps.tutor.retrieval.follow_ups import is_follow_up, subject_of


def a_passage(similarity: float, score: float | None = None, **figures: float) -> Any:
    values = {"missing": 0.0, "nearest_word": 0.3, "everyday": 0.1, "reached": similarity, **figures}
    return SimpleNamespace(similarity=similarity, score=score or similarity, text="Water carves.", **values)


@pytest.mark.parametrize(
    ("found", "certainty"),
    [
        ([], Certainty.NONE),
        ([a_passage(0.6)], Certainty.CERTAIN),
        ([a_passage(0.3)], Certainty.POSSIBLE),
        ([a_passage(0.1)], Certainty.NONE),
        ([a_passage(0.6, missing=1.0, nearest_word=0.6)], Certainty.POSSIBLE),
        ([a_passage(0.3, everyday=0.5)], Certainty.NONE),
    ],
)
def test_passages_answer_a_question_or_may_or_do_not(found: list[Any], certainty: Certainty) -> None:
    assert certainty_of(found) == certainty


def test_an_unsure_answer_says_so_and_shows_more_passages() -> None:
    sure = quote([a_passage(0.6), *[a_passage(0.3)] * 4])
    unsure = quote([a_passage(0.3), *[a_passage(0.2)] * 4])
    assert "This is what I found" in sure.text
    assert (len(sure.cited), len(unsure.cited)) == (1, MAX_QUOTED_PASSAGES)
    assert "This may be what you mean" in unsure.text
    assert not unsure.is_declined
    assert f"[{MAX_QUOTED_PASSAGES}]" in unsure.text
    assert quote([]).is_declined


def test_everyday_requests_are_nearer_to_everyday_subjects_than_questions_of_courses() -> None:
    everyday = [
        "which bus goes to the airport",
        "I need a plumber for my bathroom",
        "who scored in the final last night",
    ]
    course = ["Why does a river bend?", "How is the area of a parallelogram found?", "What drives a cell to divide?"]
    assert min(map(everyday_similarity, everyday)) > max(map(everyday_similarity, course))


def test_a_question_without_a_subject_of_its_own_is_about_the_newest_one_that_has_one() -> None:
    follow_ups = ["and if I do it twice?", "why is that?", "can you give an example?", "what about the second one?"]
    assert all(map(is_follow_up, follow_ups))
    assert not any(map(is_follow_up, ["What is a median?", "and in the heart?", "how does water carve it?"]))
    asked = ["What is a median?", "And in a skewed sample?", *follow_ups]
    assert subject_of(asked) == "And in a skewed sample?"
    assert subject_of(follow_ups) == follow_ups[0]
    assert subject_of([]) == ""
