"""Questions of an archive have the shapes that the product asks and marks."""

import copy
from typing import Any

import pytest

from apps.courses.question_shapes import check_question
from tests.cases import all_cases

CHOICES = [{"id": "a", "text": "One"}, {"id": "b", "text": "Two"}]
GAPS = {
    "gaps": [
        {"number": 1, "kind": "single", "points": 1, "options": CHOICES},
        {"number": 2, "kind": "numeric", "points": 2, "options": {"unit": "m"}},
    ]
}
GOOD: dict[str, tuple[Any, dict[str, Any]]] = {
    "single": (CHOICES, {"id": "a", "shares": {"b": "1/2"}}),
    "multiple": (CHOICES, {"ids": ["a", "b"]}),
    "truth": ([], {"value": False}),
    "numeric": ({"unit": "m"}, {"value": "3.2", "tolerance": "5%"}),
    "text": ([], {"accepted": ["osmosis"], "partly": [{"text": "diffusion", "share": "1/2"}], "language": "en"}),
    "ordering": (CHOICES, {"ids": ["b", "a"]}),
    "matching": ({"left": CHOICES, "right": [{"id": "1", "text": "Eins"}]}, {"pairs": {"a": "1", "b": "1"}}),
    "gaps": (GAPS, {"gaps": {"1": {"id": "a"}, "2": {"value": "1", "tolerance": "0"}}}),
    "essay": ({"limit": 500}, {}),
}


def question(kind: str, **columns: Any) -> dict[str, Any]:
    options, answer = copy.deepcopy(GOOD[kind])
    prompt = "[[1]] and [[2]]" if kind == "gaps" else "Why?"
    return {"kind": kind, "prompt": prompt, "options": options, "answer": answer, "points": 1, "remarks": {}} | columns


@all_cases("kind", sorted(GOOD))
def test_each_kind_has_its_shape_and_no_other(kind: str) -> None:
    check_question(question(kind))
    for other in GOOD:
        if other in {kind, "truth", "essay"} or {kind, other} == {"multiple", "ordering"}:
            continue
        if kind != "essay":  # which has no answer
            with pytest.raises(ValueError, match=r"answer|gaps|shares"):
                check_question(question(kind, answer=GOOD[other][1]))


@all_cases(
    "kind columns",
    [
        ("single", {"answer": {"id": "z"}}),
        ("single", {"answer": {"id": []}}),
        ("single", {"answer": {"id": "a", "shares": {"b": "1/0"}}}),
        ("single", {"answer": {"id": "a", "shares": {"b": "2"}}}),
        ("single", {"options": [{"id": "a", "text": 5}]}),
        ("single", {"options": CHOICES * 2}),
        ("single", {"options": "ab"}),
        ("single", {"points": True}),
        ("single", {"remarks": {"a": 5}}),
        ("single", {"kind": "riddle"}),
        ("single", {"prompt": None}),
        ("multiple", {"answer": {"ids": []}}),
        ("multiple", {"answer": {"ids": ["a", "a"]}}),
        ("truth", {"answer": {"value": "yes"}}),
        ("truth", {"answer": None}),
        ("numeric", {"answer": {"value": "about three"}}),
        ("numeric", {"answer": {"value": 3}}),
        ("text", {"answer": {"accepted": [" "]}}),
        ("text", {"answer": {"accepted": ["x"], "has_wildcards": 1}}),
        ("ordering", {"answer": {"ids": ["a"]}}),
        ("matching", {"answer": {"pairs": {"a": "1"}}}),
        ("matching", {"answer": {"pairs": {"a": "1", "b": "7"}}}),
        ("gaps", {"prompt": "[[1]] alone"}),
        ("gaps", {"answer": {"gaps": {"1": {"id": "a"}}}}),
        ("gaps", {"options": {"gaps": [{"number": 1, "kind": "essay", "points": 1, "options": []}]}}),
        ("essay", {"options": {"limit": "500"}}),
    ],
)
def test_what_nobody_could_answer_is_refused(kind: str, columns: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        check_question(question(kind, **columns))
