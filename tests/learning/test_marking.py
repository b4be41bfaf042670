"""Marking the seven kinds of questions: which answers are valid, and how many points they earn."""

from fractions import Fraction

import pytest

from apps.courses.models import Question
from apps.learning.quizzes import marking
from apps.learning.quizzes.marking import Malformed

STEPS = [
    {"id": "a", "text": "Rain"},
    {"id": "b", "text": "River"},
    {"id": "c", "text": "Sea"},
    {"id": "d", "text": "Air"},
]
SIDES = {
    "left": [{"id": "a", "text": "Nile"}, {"id": "b", "text": "Rhine"}],
    "right": [{"id": "1", "text": "North Sea"}, {"id": "2", "text": "Mediterranean"}, {"id": "3", "text": "Pacific"}],
}

SINGLE = Question(kind="single", options=STEPS, answer={"id": "b"})
MULTIPLE = Question(kind="multiple", options=STEPS, answer={"ids": ["a", "c"]})
TRUTH = Question(kind="truth", answer={"value": False})
NUMERIC = Question(kind="numeric", options={"unit": "m"}, answer={"value": 3.2, "tolerance": 0.1})
EXACT = Question(kind="numeric", options={}, answer={"value": 7})
THOUSANDS = Question(kind="numeric", options={}, answer={"value": 16000, "tolerance": 0})
TEXT = Question(kind="text", answer={"accepted": ["Osmosis", "Maître d’hôtel"]})
ACCENTED = Question(kind="text", answer={"accepted": ["Maître d’hôtel"], "ignores_accents": True, "language": "fr"})
SIGNS = Question(kind="text", answer={"accepted": ["!="]})
THIRD = Question(kind="numeric", options={"unit": "kg"}, answer={"value": "1/3", "tolerance": "1%"})
ORDERING = Question(kind="ordering", options=STEPS, answer={"ids": ["a", "b", "c", "d"]})
MATCHING = Question(kind="matching", options=SIDES, answer={"pairs": {"a": "2", "b": "1"}})


def earned(question, raw):
    return marking.mark(question, marking.read(question, raw)).share


@pytest.mark.parametrize(
    ("question", "raw", "share"),
    [
        pytest.param(SINGLE, {"id": "b"}, 1, id="single right"),
        pytest.param(SINGLE, {"id": "a"}, 0, id="single wrong"),
        pytest.param(MULTIPLE, {"ids": ["c", "a"]}, 1, id="multiple in any order"),
        pytest.param(MULTIPLE, {"ids": ["a"]}, Fraction(1, 2), id="half of multiple"),
        pytest.param(MULTIPLE, {"ids": ["a", "b"]}, 0, id="a wrong choice costs its part"),
        pytest.param(MULTIPLE, {"ids": ["a", "b", "c", "d"]}, 0, id="choosing everything earns nothing"),
        pytest.param(TRUTH, {"value": False}, 1, id="truth"),
        pytest.param(TRUTH, {"value": True}, 0, id="untruth"),
        pytest.param(NUMERIC, {"text": "3.2"}, 1, id="number"),
        pytest.param(NUMERIC, {"text": "3,3"}, 1, id="comma, at the edge"),
        pytest.param(NUMERIC, {"text": " 3.10 "}, 1, id="lower edge, spaces"),
        pytest.param(NUMERIC, {"text": "3.31"}, 0, id="beyond the edge"),
        pytest.param(NUMERIC, {"text": "−3.2"}, 0, id="typographic minus"),
        pytest.param(EXACT, {"text": "7.0"}, 1, id="exact"),
        pytest.param(THOUSANDS, {"text": "16000"}, 1, id="plain thousands"),
        pytest.param(THOUSANDS, {"text": "16,000"}, 1, id="American thousands"),
        pytest.param(THOUSANDS, {"text": "16 000"}, 1, id="spaced thousands"),
        pytest.param(THOUSANDS, {"text": "16.000,0"}, 1, id="European thousands"),
        pytest.param(THOUSANDS, {"text": "16,00"}, 0, id="no group of three"),
        pytest.param(THOUSANDS, {"text": "1.6 × 10⁴"}, 1, id="a power of ten"),
        pytest.param(EXACT, {"text": "7 "}, 1, id="a space after it"),
        pytest.param(THIRD, {"text": "1/3 kg"}, 1, id="a fraction with its unit"),
        pytest.param(THIRD, {"text": "0.3367"}, 0, id="just beyond a share of the value"),
        pytest.param(THIRD, {"text": "33%"}, 1, id="percent, at the edge of a share"),
        pytest.param(THOUSANDS, {"text": "1,6000"}, 0, id="a comma in the wrong place"),
        pytest.param(EXACT, {"text": "7e0"}, 1, id="exponent"),
        pytest.param(EXACT, {"text": "7.0000001"}, 0, id="exact means exact"),
        pytest.param(TEXT, {"text": "  OSMOSIS. "}, 1, id="case, spaces and the full stop fold"),
        pytest.param(TEXT, {"text": "maître d'hôtel"}, 1, id="another apostrophe is the same"),
        pytest.param(TEXT, {"text": "maitre d'hotel"}, 0, id="accents count"),
        pytest.param(ACCENTED, {"text": "maitre d'hotel"}, 1, id="accents forgiven by the author"),
        pytest.param(SIGNS, {"text": "="}, 0, id="signs are compared as they are"),
        pytest.param(TEXT, {"text": "osmose"}, 0, id="another word"),
        pytest.param(ORDERING, {"ids": ["a", "b", "c", "d"]}, 1, id="in order"),
        pytest.param(ORDERING, {"ids": ["a", "b", "d", "c"]}, Fraction(1, 2), id="two in place"),
        pytest.param(MATCHING, {"pairs": {"a": "2", "b": "1"}}, 1, id="matched"),
        pytest.param(MATCHING, {"pairs": {"a": "2", "b": "3"}}, Fraction(1, 2), id="one matched"),
        pytest.param(MATCHING, {"pairs": {"a": "2", "b": ""}}, Fraction(1, 2), id="one left open"),
    ],
)
def test_an_answer_earns_its_share_of_the_points(question, raw, share):
    assert earned(question, raw) == share


@pytest.mark.parametrize(
    ("question", "raw"),
    [
        pytest.param(SINGLE, {}, id="nothing"),
        pytest.param(SINGLE, None, id="null"),
        pytest.param(SINGLE, {"id": ""}, id="no choice"),
        pytest.param(MULTIPLE, {"ids": []}, id="no choices"),
        pytest.param(NUMERIC, {"text": " "}, id="blank number"),
        pytest.param(TEXT, {"text": ""}, id="blank text"),
        pytest.param(MATCHING, {"pairs": {"a": ""}}, id="no pair"),
    ],
)
def test_an_empty_answer_is_unanswered_and_earns_nothing(question, raw):
    mark = marking.mark(question, marking.read(question, raw))

    assert mark.verdict == "open"
    assert mark.share == 0


@pytest.mark.parametrize(
    ("question", "raw"),
    [
        pytest.param(SINGLE, {"id": "z"}, id="unknown choice"),
        pytest.param(SINGLE, {"ids": ["a"]}, id="another kind's answer"),
        pytest.param(SINGLE, {"id": "b", "text": "b"}, id="two answers"),
        pytest.param(MULTIPLE, {"ids": ["a", "a"]}, id="the same choice twice"),
        pytest.param(MULTIPLE, {"ids": ["a", "z"]}, id="one unknown choice"),
        pytest.param(MULTIPLE, {"ids": "a"}, id="no list"),
        pytest.param(TRUTH, {"value": "yes"}, id="no truth value"),
        pytest.param(NUMERIC, {"text": "three"}, id="no number"),
        pytest.param(NUMERIC, {"text": "1,2,3"}, id="no number either"),
        pytest.param(NUMERIC, {"text": "NaN"}, id="not a number"),
        pytest.param(NUMERIC, {"text": "Infinity"}, id="infinite"),
        pytest.param(NUMERIC, {"text": "1e999999"}, id="beyond reason"),
        pytest.param(NUMERIC, {"text": 3}, id="number type"),
        pytest.param(NUMERIC, {"text": "0" * 501 + "7"}, id="a number as long as a novel"),
        pytest.param(TEXT, {"text": "x" * 501}, id="a novel"),
        pytest.param(TEXT, {"text": "Osmosis\0"}, id="what no database keeps"),
        pytest.param(ORDERING, {"ids": ["a", "b", "c"]}, id="a step missing"),
        pytest.param(ORDERING, {"ids": ["a", "b", "c", "c"]}, id="a step twice"),
        pytest.param(MATCHING, {"pairs": {"z": "1"}}, id="unknown left side"),
        pytest.param(MATCHING, {"pairs": {"a": "9"}}, id="unknown partner"),
        pytest.param(MATCHING, {"pairs": ["a"]}, id="no pairs"),
    ],
)
def test_an_impossible_answer_is_malformed(question, raw):
    with pytest.raises(Malformed):
        marking.read(question, raw)


def test_an_unknown_question_is_an_error():
    _, faults = marking.read_all([SINGLE], {"0f0f0f0f-0000-4000-8000-000000000000": {"id": "b"}})

    assert faults == ["0f0f0f0f-0000-4000-8000-000000000000"]


def test_shuffling_is_stable_per_seed_and_never_gives_the_right_order():
    right = [step["id"] for step in STEPS]
    shown = [[o["id"] for o in marking.shuffled(STEPS, seed=f"try {n}", unlike=right)] for n in range(200)]

    assert right not in shown
    assert len({tuple(order) for order in shown}) > 10
    assert marking.shuffled(STEPS, seed="try 1", unlike=right) == marking.shuffled(STEPS, seed="try 1", unlike=right)
