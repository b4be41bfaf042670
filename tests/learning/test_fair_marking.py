"""Properties of marking: for every kind, what a fair teacher would give, worked out here by other means."""

import random
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

from apps.courses import questions
from apps.courses.models import Question
from apps.courses.queries.solutions import answers_of_question
from apps.courses.questions import Answers, Choice, Gap
from apps.learning.quizzes import marking
from apps.learning.quizzes.drawing import kept, restored
from apps.learning.quizzes.presentation import question_out
from apps.learning.quizzes.results import stored_result

ROUNDS = 8  # for each kind, each with another question and three answers
WORDS = ["delta", "Nile", "élan", "x²", "¬p", "мир", "水", "a b", "O'Neil", "5 %", "[[1]]", "*not* bold"]


def build(kind: str, answers: Answers, prompt: str = "Why?", **more: Any) -> Question:
    made = questions.build(kind, answers, prompt=prompt)
    points = made.points or more.pop("points", 1)
    common = {"kind": kind, "prompt": prompt, "points": points, **more}
    return Question(options=made.options, answer=made.answer, remarks=made.remarks, **common)


def ids(question: Question, part: str = "") -> dict[str, str]:
    """The ids of the options by their texts."""
    options = question.options[part] if part else question.options
    return {one["text"]: one["id"] for one in options}


# Each returns a question, an answer in the shape of a learner, and the share that a fair teacher would give.


def single(dice: random.Random) -> tuple[Question, Any, Fraction]:
    texts = dice.sample(WORDS, dice.randint(2, 6))
    right, chosen = dice.choice(texts), dice.choice(texts)
    question = build("single", Answers(choices=[Choice(text=text, is_right=text == right) for text in texts]))
    return question, {"id": ids(question)[chosen]}, Fraction(chosen == right)


def multiple(dice: random.Random) -> tuple[Question, Any, Fraction]:
    texts = dice.sample(WORDS, dice.randint(2, 6))
    right = set(dice.sample(texts, dice.randint(1, len(texts))))
    chosen = set(dice.sample(texts, dice.randint(1, len(texts)))) if dice.random() < 0.7 else set(right)
    question = build("multiple", Answers(choices=[Choice(text=text, is_right=text in right) for text in texts]))
    # Each right choice earns its part, each wrong one takes at least as much away; never less than nothing.
    part, wrongs = Fraction(1, len(right)), len(texts) - len(right)
    taken = max(part, Fraction(1, wrongs)) if wrongs else Fraction(0)
    fair = max(Fraction(0), part * len(chosen & right) - taken * len(chosen - right))
    return question, {"ids": [ids(question)[text] for text in sorted(chosen)]}, fair


def truth(dice: random.Random) -> tuple[Question, Any, Fraction]:
    right, said = dice.random() < 0.5, dice.random() < 0.5
    return build("truth", Answers(truth=right)), {"value": said}, Fraction(right == said)


def numeric(dice: random.Random) -> tuple[Question, Any, Fraction]:
    # In hundredths, so that the teacher compares whole numbers.
    value, tolerance, off = dice.randint(-500, 500), dice.randint(0, 30), dice.randint(-40, 40)
    question = build("numeric", Answers(number=str(value / 100), tolerance=str(tolerance / 100), unit="m"))
    typed = f"{(value + off) / 100:.2f}".replace(".", dice.choice(".,")) + dice.choice(["", " m"])
    return question, {"text": typed}, Fraction(abs(off) <= tolerance)


def text(dice: random.Random) -> tuple[Question, Any, Fraction]:
    accepted = dice.sample(WORDS, dice.randint(1, 4))
    typed = dice.choice([*accepted, *WORDS])
    question = build("text", Answers(accepted=accepted, is_case_sensitive=dice.random() < 0.5))
    return question, {"text": f" {typed} "}, Fraction(typed in accepted)


def ordering(dice: random.Random) -> tuple[Question, Any, Fraction]:
    right = dice.sample(WORDS, dice.randint(2, 6))
    said = dice.sample(right, len(right)) if dice.random() < 0.7 else right
    question = build("ordering", Answers(choices=[Choice(text=step) for step in right]))
    in_place = [step for place, step in enumerate(said) if right.index(step) == place]
    return question, {"ids": [ids(question)[step] for step in said]}, Fraction(len(in_place), len(right))


def matching(dice: random.Random) -> tuple[Question, Any, Fraction]:
    """With partners of several lines, and right sides of none."""
    lines, partners = dice.sample(WORDS, dice.randint(2, 5)), dice.sample(WORDS, 4)
    right = dict(zip(lines, [partners[0], partners[1], *dice.choices(partners[:2], k=len(lines) - 2)], strict=True))
    pairs = [Choice(text=line, partner=partner) for line, partner in right.items()]
    question = build("matching", Answers(choices=[*pairs, *(Choice(text="", partner=one) for one in partners[2:])]))
    said = {line: dice.choice([partner, dice.choice(partners)]) for line, partner in right.items()}
    left, other = ids(question, "left"), ids(question, "right")
    assert set(other) == set(partners)
    earned = []  # by each right side that belongs to lines: the part of its lines that found it
    for partner in set(right.values()):
        own = [line for line in lines if right[line] == partner]
        earned.append(Fraction(sum(said[line] == partner for line in own), len(own)))
    fair = sum(earned, Fraction(0)) / len(earned)
    return question, {"pairs": {left[line]: other[partner] for line, partner in said.items()}}, fair


def gaps(dice: random.Random) -> tuple[Question, Any, Fraction]:
    """A field of each kind, in any order of the marks; some are left empty."""
    choices, word, number = dice.sample(WORDS, 3), dice.choice(WORDS), dice.randint(1, 9)
    points = [dice.randint(1, 5) for _ in range(3)]
    marks = dice.sample(["[[1]]", "[[2]]", "[[3]]"], 3)
    question = build(
        "gaps",
        Answers(
            gaps=[
                Gap(kind="single", lines=choices, points=points[0]),
                Gap(kind="text", lines=[word], points=points[1]),
                Gap(kind="numeric", lines=[str(number)], points=points[2]),
            ]
        ),
        prompt=f"**{marks[0]}** and $x$ {marks[1]}\n\n- {marks[2]}",
    )
    by_number = {one.position: one for one in question.gaps}
    said = [dice.choice([choices[0], choices[1], ""]), dice.choice([word, "else", ""])]
    typed = dice.choice([str(number), f"{number}.0", str(number + 1), ""])
    given = {"1": ids(by_number[1])[said[0]] if said[0] else "", "2": said[1], "3": typed}
    rights = [said[0] == choices[0], said[1] == word, typed in {str(number), f"{number}.0"}]
    fair = Fraction(sum(worth for worth, right in zip(points, rights, strict=True) if right), sum(points))
    return question, {"gaps": given}, fair


TEACHERS = {
    "single": single, "multiple": multiple, "truth": truth, "numeric": numeric, "text": text, "ordering": ordering,
    "matching": matching, "gaps": gaps,
}  # fmt: skip


def drawn(kind: str):
    for seed in range(ROUNDS):
        yield TEACHERS[kind](random.Random(f"{kind} {seed}"))


def test_every_kind_that_is_marked_at_once_has_a_teacher():
    assert set(TEACHERS) == set(Question.Kind.values) - {"essay"}


def test_every_kind_earns_what_a_fair_teacher_would_give():
    for kind in TEACHERS:
        shares = set()
        for question, answer, fair in drawn(kind):
            mark = marking.mark(question, marking.read(question, answer))
            assert mark.share == fair, (kind, question.options, question.answer, answer)
            assert mark.verdict == ("right" if fair == 1 else "partly" if fair else mark.verdict)
            shares.add(fair)
        assert {Fraction(0), Fraction(1)} <= shares or kind in {"multiple", "gaps"}, (kind, "too few different answers")


def test_all_or_nothing_pays_only_for_what_is_right_in_full():
    for kind in TEACHERS:
        for question, answer, fair in drawn(kind):
            question.all_or_nothing = True
            assert marking.mark(question, marking.read(question, answer)).share == (fair == 1)


def test_marks_do_not_depend_on_the_order_of_the_options():
    for kind in TEACHERS:
        for question, answer, fair in drawn(kind):
            match question.options:
                case list():
                    question.options = question.options[::-1]
                case {"left": left, "right": right}:
                    question.options = {"left": left[::-1], "right": right[::-1]}
                case {"gaps": fields}:
                    question.options = {"gaps": [{**one, "options": one["options"]} for one in fields[::-1]]}
            assert marking.mark(question, marking.read(question, answer)).share == fair


def test_the_form_of_an_author_and_back_is_the_same_question():
    for kind in TEACHERS:
        for question, answer, _fair in drawn(kind):
            form = answers_of_question(question)
            again = build(kind, form, question.prompt)
            assert again.points == question.points
            if kind != "gaps":  # the choices of its gaps get new ids
                back = answers_of_question(again)
                assert sorted(back.choices, key=str) == sorted(form.choices, key=str)
                assert replace(back, choices=form.choices) == form
            for learner in (answer, None):  # what is right stays right: the ids of choices are kept
                if kind in {"matching", "gaps"} and learner is not None:
                    continue
                marks = [marking.mark(one, marking.read(one, learner)) for one in (question, again)]
                assert marks[0] == marks[1]


def test_an_open_attempt_survives_every_edit_of_its_questions(monkeypatch):
    for kind in TEACHERS:
        for question, answer, fair in drawn(kind):

            class Rules:
                shuffle_options = True

            [row] = kept(Rules(), [question], seed="attempt")
            question.prompt, question.options, question.answer, question.kind = "Other", [], {"value": True}, "truth"
            [asked] = restored([row])
            read = marking.read(asked, answer)
            mark = marking.mark(asked, read)
            assert (mark.share, asked.kind) == (fair, kind)
            assert stored_result(asked, read, mark, mark.share)["prompt"] != "Other"


def test_what_is_asked_in_a_gap_reveals_no_answer():
    given = Answers(
        gaps=[
            Gap(kind="text", lines=["zeppelin"]),
            Gap(kind="numeric", lines=["314159"], unit="m"),
            Gap(kind="single", lines=["right", "wrong", "worse"]),
        ]
    )
    shown = [question_out(build("gaps", given, "[[1]] [[2]] [[3]]"), seed=str(seed)) for seed in range(20)]

    assert not re.search("zeppelin|314159", str(shown))
    assert len({tuple(option["html"] for option in one["gaps"][2]["options"]) for one in shown}) > 2
    assert [gap["unit"] for gap in shown[0]["gaps"]] == ["", "m", ""]
