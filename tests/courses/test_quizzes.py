"""Authoring quizzes: every kind of question, and when a question is complete."""

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from apps.courses import question_fields, questions, services
from apps.courses.errors import CourseNotFound, DrawTooLarge, OutlineFull, QuestionInvalid
from apps.courses.models import Course, Lesson, Question
from apps.courses.queries.solutions import answers_of_question
from apps.courses.questions import Answers, Choice, Gap
from apps.courses.services import QuestionDraft, quizzes
from studyplatform.kit.text.numbers import format_of_languages
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
RULES = {
    "intro": "", "pass_percent": 80, "max_attempts": 2, "time_limit": 600, "reveal": "never", "retry_wait": 0,
}  # fmt: skip


@pytest.fixture
def quiz(ada):
    return QuizFactory(lesson__section__course__instructor=ada)


def lines(*texts, right=(), partners=()):
    return [
        Choice(text=text, is_right=at in right, partner=partners[at] if partners else "")
        for at, text in enumerate(texts)
    ]


COMPLETE = {
    "single": Answers(choices=lines("three", "four", right={1})),
    "multiple": Answers(choices=lines("two", "three", "four", right={0, 1})),
    "truth": Answers(truth=False),
    "numeric": Answers(number="2,95", tolerance="0.05", unit="m", remarks={"4": "That adds four.", "": "dropped"}),
    "text": Answers(accepted=["Osmosis", " osmosis ", "diffusion of water"]),
    "ordering": Answers(choices=lines("first", "second", "third")),
    "matching": Answers(choices=lines("hot", "cold", "", partners=["red", "blue", "green"])),
    "gaps": Answers(
        gaps=[
            Gap(kind="text", lines=["Paris", "Ville lumière"], points=2, ignores_accents=True),
            Gap(kind="single", lines=["is", "are", "am"]),
            Gap(kind="numeric", lines=["2,1"], tolerance="5%", unit="million", points=3),
        ]
    ),
}
PROMPTS = {"gaps": "[[2]] it `[[1]]`?\n\n| [[3]] |\n|---|\n| $x$ |"}


def test_single_and_multiple_choice_store_the_right_choices():
    single = questions.build("single", COMPLETE["single"])
    multiple = questions.build("multiple", COMPLETE["multiple"])

    assert single.options == [{"id": "a", "text": "three"}, {"id": "b", "text": "four"}]
    assert single.answer == {"id": "b"}
    assert multiple.answer == {"ids": ["a", "b"]}


def test_only_wrong_choices_have_remarks():
    made = questions.build(
        "single",
        Answers(choices=[Choice(text="x", is_right=True, remark="no"), Choice(text="y", remark="That adds.")]),
    )

    assert made.remarks == {"b": "That adds."}


def test_numbers_are_read_in_common_formats():
    made = questions.build("numeric", COMPLETE["numeric"])

    assert made.answer == {"value": "2.95", "tolerance": "0.05"}
    assert made.options == {"unit": "m"}
    assert made.remarks == {"4": "That adds four."}


@pytest.mark.parametrize(("text", "value"), [("−3", -3), ("1e3", 1000), (" 0,5 ", 0.5), ("12 000", 12000)])
def test_a_number_is_parsed(text, value):
    assert question_fields.read_author_number(text) == value


def test_a_tolerance_can_be_a_share_of_the_value():
    made = questions.build("numeric", Answers(number="1,234.5 kg", tolerance="2 %", unit="kg"))
    question = Question(kind="numeric", options=made.options, answer=made.answer)

    assert question.tolerance == "2%"
    assert question.accepted_range == (Fraction("1209.81"), Fraction("1259.19"))


def test_a_number_is_shown_to_its_author_in_full_and_with_their_decimal_sign():
    question = Question(kind="numeric", options={}, answer={"value": 1234567.891, "tolerance": 0.0})

    with format_of_languages("de"):
        shown = answers_of_question(question).number
        assert question_fields.read_author_number(shown) == Fraction("1234567.891")
    assert shown == "1234567,891"


@pytest.mark.parametrize("text", ["", "three", "1,2,3", "nan", "inf", "1e999", "--4"])
def test_text_that_is_not_a_number_is_refused(text):
    with pytest.raises(QuestionInvalid):
        question_fields.read_author_number(text)


def test_duplicate_accepted_answers_are_dropped():
    assert questions.build("text", COMPLETE["text"]).answer["accepted"] == ["Osmosis", "diffusion of water"]
    assert questions.build("text", Answers(accepted=["x²", "x2", "X2"])).answer["accepted"] == ["x²", "x2"]


def test_choices_that_differ_in_case_or_powers_are_different():
    made = questions.build("single", Answers(choices=lines("Mm", "mm", "x²", "x2", right={0})))

    assert [one["text"] for one in made.options] == ["Mm", "mm", "x²", "x2"]


def test_an_ordering_question_is_never_shown_in_its_right_order():
    for _ in range(20):
        made = questions.build("ordering", COMPLETE["ordering"])
        shown = [one["id"] for one in made.options]

        assert shown != made.answer["ids"]
        assert sorted(shown) == sorted(made.answer["ids"])


def test_the_ids_of_an_ordering_question_are_random():
    drawn = {tuple(questions.build("ordering", COMPLETE["ordering"]).answer["ids"]) for _ in range(20)}

    assert any(list(ids) != sorted(ids) for ids in drawn)
    assert len(drawn) > 1


def test_a_matching_question_pairs_each_line_with_its_partner():
    made = questions.build("matching", COMPLETE["matching"])
    right = {one["id"]: one["text"] for one in made.options["right"]}
    left = {one["id"]: one["text"] for one in made.options["left"]}

    assert {left[a]: right[b] for a, b in made.answer["pairs"].items()} == {"hot": "red", "cold": "blue"}


@pytest.mark.parametrize(
    ("kind", "answers"),
    [
        pytest.param("single", Answers(choices=lines("one", right={0})), id="one choice"),
        pytest.param("single", Answers(choices=lines("one", "two")), id="none right"),
        pytest.param("single", Answers(choices=lines("one", "two", right={0, 1})), id="two right"),
        pytest.param("single", Answers(choices=lines("one", " one ", right={0})), id="the same twice"),
        pytest.param("single", Answers(choices=lines(*map(str, range(13)), right={0})), id="too many"),
        pytest.param("multiple", Answers(choices=lines("one", "two")), id="multiple none right"),
        pytest.param("truth", Answers(), id="neither true nor false"),
        pytest.param("numeric", Answers(number=" "), id="no number"),
        pytest.param("numeric", Answers(number="3", tolerance="-1"), id="negative tolerance"),
        pytest.param("text", Answers(accepted=["  "]), id="no word"),
        pytest.param("ordering", Answers(choices=lines("alone")), id="one step"),
        pytest.param("matching", Answers(choices=lines("hot", "cold", partners=["red", " "])), id="no partner"),
        pytest.param("matching", Answers(choices=lines("hot", "cold", partners=["red", "red "])), id="one partner"),
        pytest.param(
            "matching", Answers(choices=lines("hot", "cold", "", partners=["red", "blue", " red"])), id="no distractor"
        ),
        pytest.param("matching", Answers(choices=lines("hot", "", partners=["red", "blue"])), id="one line"),
        pytest.param("matching", Answers(choices=lines("a", "b", *[""] * 11, partners="abcdefghijklm")), id="too long"),
        pytest.param("single", Answers(choices=[Choice(text="")] * 1000), id="a thousand empty lines"),
    ],
)
def test_an_incomplete_question_is_refused(kind, answers):
    with pytest.raises(QuestionInvalid):
        questions.build(kind, answers)


def test_lines_of_a_matching_may_share_a_right_side_and_a_right_side_may_belong_to_none():
    drawn = lines("whale", "bat", "trout", "", partners=["mammal", " mammal", "fish", "bird"])

    made = questions.build("matching", Answers(choices=drawn))

    right = {one["id"]: one["text"] for one in made.options["right"]}
    left = {one["id"]: one["text"] for one in made.options["left"]}
    assert sorted(right.values()) == ["bird", "fish", "mammal"]
    pairs = {left[a]: right[b] for a, b in made.answer["pairs"].items()}
    assert pairs == {"whale": "mammal", "bat": "mammal", "trout": "fish"}


def test_the_choices_of_a_gap_are_not_stored_with_the_right_one_first():
    answers = Answers(gaps=[Gap(kind="single", lines=["right", "b", "c", "d"])])
    built = [questions.build("gaps", answers, prompt="[[1]]") for _ in range(30)]

    places = {[one["text"] for one in made.options["gaps"][0]["options"]].index("right") for made in built}
    assert len(places) > 1
    assert len({made.answer["gaps"]["1"]["id"] for made in built}) > 1


WORD = Gap(lines=["word"])


@pytest.mark.parametrize(
    ("prompt", "gaps", "said"),
    [
        pytest.param("No mark.", [WORD], "Mark the gaps in the text", id="no mark"),
        pytest.param(r"\[[1]] and [[ 1 ]]", [WORD], "Mark the gaps in the text", id="escaped marks"),
        pytest.param("[[1]] [[2]]", [WORD], "Gap 2: Enter its answer.", id="no answer"),
        pytest.param("[[1]]", [WORD, WORD], "Gap 2 isn't in the text.", id="no place"),
        pytest.param("[[1]] [[1]]", [WORD], "[[1]] is in the text twice.", id="twice"),
        pytest.param("[[1]] $x = [[2]]$", [WORD, WORD], "[[2]] is in a formula", id="in a formula"),
        pytest.param("[[1]]\n\n$$\na + [[2]]\n$$", [WORD, WORD], "[[2]] is in a formula", id="in a displayed one"),
        pytest.param("[[1]] [there](/x/[[2]])", [WORD, WORD], "[[2]] is in a formula or an address", id="in a link"),
        pytest.param("[[21]]", [WORD] * 21, "up to 20 gaps", id="too many"),
        pytest.param("[[1]]", [Gap(lines=["w"], points=0)], "Gap 1: Enter points from 1 to 100.", id="no points"),
        pytest.param("[[1]] [[2]]", [Gap(lines=["w"], points=60)] * 2, "up to 100 points", id="too many points"),
        pytest.param("[[1]]", [Gap(kind="single", lines=["one"])], "Gap 1: Enter at least 2 lines.", id="one choice"),
        pytest.param("[[1]]", [Gap(kind="numeric", lines=["x"])], "Gap 1: “x” is not a number.", id="no number"),
        pytest.param("[[1]]", [Gap(kind="numeric", lines=["1", "2"])], "Gap 1: Enter one number.", id="two numbers"),
        pytest.param("[[1]]", [Gap(lines=list("abcdefghijklmnopqrstu"))], "Gap 1: Enter up to 20", id="21 texts"),
        pytest.param("[[1]]", [Gap(kind="essay", lines=["x"])], "Gap 1: Choose what it asks for.", id="another kind"),
    ],
)
def test_an_author_is_told_what_is_wrong_with_a_text_with_gaps(prompt, gaps, said):
    with pytest.raises(QuestionInvalid) as refusal:
        questions.build("gaps", Answers(gaps=gaps), prompt=prompt)

    assert said in refusal.value.problem


@pytest.mark.parametrize("kind", COMPLETE)
def test_saving_an_unchanged_form_preserves_the_question(quiz, ada, kind):
    question = services.add_question(
        quiz=quiz,
        by=ada,
        draft=QuestionDraft(kind=kind, prompt=PROMPTS.get(kind, "Why?"), answers=COMPLETE[kind]),
        now=NOW,
    )
    shown = answers_of_question(Question.objects.get(pk=question.pk))

    again = questions.build(kind, shown, prompt=question.prompt)

    if kind == "matching":
        assert again.options["left"] == question.options["left"]
        assert [one["text"] for one in again.options["right"]].count("green") == 1
    elif kind == "gaps":
        assert shown.gaps == [
            Gap(kind="text", lines=["Paris", "Ville lumière"], points=2, ignores_accents=True),
            Gap(kind="single", lines=["is", *shown.gaps[1].lines[1:]]),
            Gap(kind="numeric", lines=["2.1"], tolerance="5%", unit="million", points=3),
        ]
        assert (question.points, again.answer["gaps"]["3"]) == (6, question.answer["gaps"]["3"])
        assert [field["number"] for field in question.options["gaps"]] == [2, 1, 3]
    elif kind == "ordering":
        assert again.answer == question.answer
    else:
        assert (again.options, again.answer, again.remarks) == (question.options, question.answer, question.remarks)


def test_editing_removing_or_adding_a_choice_preserves_ids():
    made = questions.build(
        "single",
        Answers(
            choices=[
                Choice(id="c", text="kept, reworded", is_right=True),
                Choice(id="a", text="kept"),
                Choice(text="new"),
                Choice(id="a", text="a forged copy of an id"),
                Choice(id="<script>", text="a forged id"),
            ]
        ),
    )

    ids = [one["id"] for one in made.options]
    assert ids[:2] == ["c", "a"]
    assert len(set(ids)) == 5
    assert all(len(one) == 1 for one in ids)


def test_an_author_adds_moves_copies_and_deletes_questions(quiz, ada):
    draft = QuestionDraft(kind="truth", prompt="First?", answers=Answers(truth=True))
    first = services.add_question(quiz=quiz, by=ada, draft=draft, now=NOW)
    second = services.add_question(quiz=quiz, by=ada, draft=replace(draft, prompt="Second?"), now=NOW)

    services.move_question(question=second, by=ada, position=1, now=NOW)
    copy = services.duplicate_question(question=second, by=ada, now=NOW)
    services.delete_question(question=first, by=ada, now=NOW)

    rows = list(quiz.questions.order_by("position").values_list("position", "prompt"))
    assert rows == [(1, "Second?"), (2, "Second?")]
    assert copy.uid != second.uid


def test_the_length_of_a_quiz_is_a_minute_per_question_or_its_limit(quiz, ada):
    draft = QuestionDraft(kind="truth", prompt="?", answers=Answers(truth=True))
    services.add_question(quiz=quiz, by=ada, draft=draft, now=NOW)
    services.add_question(quiz=quiz, by=ada, draft=draft, now=NOW)
    assert Lesson.objects.get(quiz=quiz).duration == 120

    services.edit_quiz(quiz=quiz, by=ada, **RULES, now=NOW)

    assert Lesson.objects.get(quiz=quiz).duration == 600
    assert Course.objects.get().duration == 600


def test_an_attempt_draws_at_most_all_questions(quiz, ada):
    for position in (1, 2):
        QuestionFactory(quiz=quiz, position=position)

    assert services.edit_quiz(quiz=quiz, by=ada, **RULES, draw_count=2, now=NOW).draw_count == 2
    with pytest.raises(DrawTooLarge):
        services.edit_quiz(quiz=quiz, by=ada, **RULES, draw_count=3, now=NOW)


def test_a_rewatch_link_points_to_a_lesson_of_the_same_course(quiz, ada):
    elsewhere = LessonFactory(kind="video")
    draft = QuestionDraft(
        kind="truth", prompt="?", answers=Answers(truth=True), rewatch_lesson=elsewhere, rewatch_at=30
    )

    question = services.add_question(quiz=quiz, by=ada, draft=draft, now=NOW)

    assert (question.rewatch_lesson, question.rewatch_at) == (None, None)


def test_a_question_requires_a_prompt(quiz, ada):
    with pytest.raises(QuestionInvalid):
        services.add_question(
            quiz=quiz, by=ada, draft=QuestionDraft(kind="truth", prompt=" ", answers=Answers(truth=True)), now=NOW
        )


def test_the_number_of_questions_is_limited(quiz, ada, monkeypatch):
    monkeypatch.setattr(quizzes, "QUESTION_LIMIT", 1)
    question = QuestionFactory(quiz=quiz)

    with pytest.raises(OutlineFull):
        services.duplicate_question(question=question, by=ada, now=NOW)


def test_strangers_cannot_edit_questions(quiz, eve, leo):
    question = QuestionFactory(quiz=quiz)
    draft = QuestionDraft(kind="truth", prompt="?", answers=Answers(truth=True))
    steps = [
        lambda by: services.add_question(quiz=quiz, by=by, draft=draft, now=NOW),
        lambda by: services.edit_question(question=question, by=by, draft=draft, now=NOW),
        lambda by: services.duplicate_question(question=question, by=by, now=NOW),
        lambda by: services.move_question(question=question, by=by, position=1, now=NOW),
        lambda by: services.delete_question(question=question, by=by, now=NOW),
        lambda by: services.edit_quiz(quiz=quiz, by=by, **RULES, now=NOW),
    ]
    for step in steps:
        for user in (eve, leo):
            with pytest.raises(CourseNotFound):
                step(user)

    assert quiz.questions.get().prompt == question.prompt
