"""Answers that earn a part of the points: entered in percent, marked exactly, shown in the form as entered."""

from fractions import Fraction

import pytest
from django.http import QueryDict
from django.utils import translation

from apps.courses import questions, shares
from apps.courses.errors import QuestionInvalid
from apps.courses.models import Question
from apps.courses.queries.solutions import answers_of_question, solution
from apps.courses.question_forms import answers_of
from apps.courses.questions import Answers, Choice, Gap, PartAnswer
from apps.learning.quizzes import marking, results


def build(kind: str, answers: Answers, prompt: str = "Where?") -> Question:
    columns = questions.build(kind, answers, prompt=prompt)
    return Question(
        kind=kind, prompt=prompt, options=columns.options, answer=columns.answer, remarks=columns.remarks, points=3
    )


def share(question: Question, raw: dict) -> Fraction:
    return marking.mark(question, marking.read(question, raw)).share


@pytest.mark.parametrize("language", ["en", "de"])
def test_parts_of_the_points_of_every_kind_survive_the_form(language):
    lines = "line=Paris&line=Lyon&line=Metz&line=Nice&right=0&share=80&share=33.3&share=0&share=100"
    single = build("single", answers_of(QueryDict(lines)))
    typed = "accepted=Paris&accepted=Lyon&accepted=Par*&accepted_share=&accepted_share=50%25&accepted_share=100"
    text = build("text", answers_of(QueryDict(f"{typed}&has_wildcards=1")))
    gaps = [
        Gap(kind="single", lines=["Paris", "%50%Lyon", "Metz", "%100%Paname"]),
        Gap(lines=["Paris", "%100%%5% salt", "%12.5%Lyon"]),
    ]
    text_with_gaps = build("gaps", Answers(gaps=gaps), "[[1]] [[2]]")
    with translation.override(language):
        for question in (single, text, text_with_gaps):
            check_marks(question)
            check_marks(build(question.kind, answers_of_question(question), question.prompt))


def check_marks(question: Question) -> None:
    if question.kind == "single":
        ids = {one["text"]: one["id"] for one in question.options}
        marks = [share(question, {"id": ids[text]}) for text in ("Paris", "Lyon", "Metz", "Nice")]
        assert marks == [1, Fraction(1, 3), 0, 1]
        assert results._right_ids(question.answer) == {ids["Paris"], ids["Nice"]}
    elif question.kind == "text":
        marks = [share(question, {"text": text}) for text in ("Paris", "lyon", "Paros", "Rome")]
        assert marks == [1, Fraction(1, 2), 1, 0]
        stored = results.stored_result(question, {"text": "lyon"}, marking.Mark(marks[1]), marks[1] * 3)
        assert (stored["verdict"], stored["earned"]) == ("partly", "1.5")
        assert "50%" in stored["accepted"]
    else:
        choice, text = question.gaps
        ids = {one["text"]: one["id"] for one in choice.options}
        marks = [share(choice, {"id": ids[text]}) for text in ("Paris", "Lyon", "Metz", "Paname")]
        assert marks == [1, Fraction(1, 2), 0, 1]
        assert [share(text, {"text": given}) for given in ("paris", "%5% salt", "Lyon")] == [1, 1, Fraction(1, 8)]
        given = {"gaps": {"1": {"id": ids["Lyon"]}, "2": {"text": "Lyon"}}}
        assert marking.mark(question, given).share == Fraction(5, 16)


def test_percentages_that_are_none_are_refused():
    for bad in ("x", "101", "-5", "1e9", "½ of it"):
        with pytest.raises(QuestionInvalid):
            build("single", Answers(choices=[Choice(text="a", is_right=True), Choice(text="b", share=bad)]))
        with pytest.raises(QuestionInvalid):
            build("text", Answers(accepted=["a"], partly=[PartAnswer(text="b", share=bad)]))
    with pytest.raises(QuestionInvalid, match="without a percentage"):
        build("gaps", Answers(gaps=[Gap(kind="single", lines=["%50%a", "b"])]), "[[1]]")
    with pytest.raises(QuestionInvalid, match="every answer"):
        build("text", Answers(accepted=["a"], partly=[PartAnswer(text="*", share="5")], has_wildcards=True))
    # An answer that is accepted as well earns all points, and a percentage of a correct choice means nothing.
    both = build("text", Answers(accepted=["Lyon"], partly=[PartAnswer(text="lyon", share="50")]))
    assert "partly" not in both.answer
    assert [line.percent for line in solution(both)] == [""]


def test_every_share_survives_a_line_and_texts_between_percent_signs_stay_texts():
    for each in ("1234567/10000000", "7/18", "1/3", "1/2", "9999999/10000000"):
        percentage = shares.write_exact(shares.round_share(Fraction(each)))
        assert shares.split_share(shares.join_share(percentage, "Lyon")) == (percentage, "Lyon")
    for text in ("%PATH%", "%d%s", "%_%", "%.%", "100%"):
        assert shares.split_share(text) == ("", text) == ("", shares.join_share("", text))
    assert [shares.split_share(f"%{typed}%Lyon")[0] for typed in ("33,3", "\u0665\u0660", "-5")] == [
        "33,3",
        "\u0665\u0660",
        "-5",
    ]


def test_a_text_between_percent_signs_is_an_accepted_answer_of_a_gap():
    gap = build("gaps", Answers(gaps=[Gap(lines=["%PATH%"])]), "[[1]]").gaps[0]
    assert share(gap, {"text": "%path%"}) == 1
