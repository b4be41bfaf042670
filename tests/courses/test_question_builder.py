"""The form of a question: its buttons without scripts, and the preview that learners' code renders and marks."""

import pytest
from django.http import QueryDict
from django.urls import reverse

from apps.courses.models import Lesson
from apps.courses.question_forms import answers_of
from apps.courses.services.question_drafts import change_lines, preview_question
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory

LINES = (
    "kind=single&prompt=Which?&line=a&line=b&line=c&line_id=a&line_id=b&line_id=c&remark=A&remark=B&remark=C&right=1"
)
GAPS = "kind=gaps&prompt=[[1]] [[2]] [[3]]&gap_answers=a&gap_answers=b&gap_answers=c&gap_case=3&gap_accents=2"


@pytest.mark.parametrize(
    ("action", "texts", "right"),
    [
        ("up:1", "bac", "b"), ("down:1", "acb", "b"), ("up:0", "abc", "b"), ("down:2", "abc", "b"),
        ("remove:0", "bc", "b"), ("remove:1", "ac", ""), ("up:9", "abc", "b"), ("up:x", "abc", "b"), ("", "abc", "b"),
    ],
)  # fmt: skip
def test_lines_move_with_all_that_belongs_to_them(action, texts, right):
    answers = answers_of(change_lines(QueryDict(LINES), action))
    assert "".join(choice.text for choice in answers.choices) == texts
    assert "".join(choice.text for choice in answers.choices if choice.is_right) == right
    assert all(choice.remark == choice.text.upper() for choice in answers.choices)


def test_a_gap_leaves_and_those_behind_it_are_renumbered():
    changed = change_lines(QueryDict(GAPS), "gap:2")
    gaps = answers_of(changed).gaps
    assert (changed["prompt"], [gap.lines for gap in gaps]) == ("[[1]]  [[2]]", [["a"], ["c"]])
    assert [gap.is_case_sensitive for gap in gaps] == [False, True]
    assert not any(gap.ignores_accents for gap in gaps)


@pytest.mark.django_db
def test_previews_of_every_kind(course):
    forms = {
        "single": LINES, "multiple": LINES.replace("single", "multiple"), "truth": "kind=truth&prompt=x&truth=yes",
        "numeric": "kind=numeric&prompt=x&number=3", "text": "kind=text&prompt=x&accepted=y", "gaps": GAPS,
        "ordering": LINES.replace("single", "ordering"), "essay": "kind=essay&prompt=x&essay_limit=100",
        "matching": LINES.replace("single", "matching") + "&partner=1&partner=2&partner=3",
    }  # fmt: skip
    for kind, form in forms.items():
        question, problem = preview_question(course, QueryDict(form))
        assert (question.kind, problem, question.pk) == (kind, "", None)
        bare, problem = preview_question(course, QueryDict(f"kind={kind}"))
        assert problem
        assert bare is None or bare.kind == kind
    assert preview_question(course, QueryDict("kind=odd")) == (None, "")


@pytest.mark.django_db
def test_the_builder_and_its_preview(course, ada, eve, leo, browser_of):
    quiz = QuizFactory(lesson=LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ))
    question = QuestionFactory(quiz=quiz, prompt="Which **one**?")
    browser = browser_of(ada)
    page = reverse("courses:studio-question", args=[course.slug, quiz.lesson.slug, question.uid])
    assert "Which <strong>one</strong>?" in browser.get(page).text
    form = {"kind": "single", "prompt": "Other?", "line": ["left", "right"], "line_id": ["a", "b"], "right": "0"}
    moved = browser.post(page, {**form, "points": 1, "act": "down:0"}).text
    assert moved.index(">\nright<") < moved.index(">\nleft<")
    question.refresh_from_db()
    assert question.prompt == "Which **one**?"

    calls, sent = "/api/v1/studio/question-previews/", {"course": course.slug, "form": LINES}
    preview = browser.post(calls, sent, "application/json").json()
    assert [option["html"] for option in preview["question"]["options"]] == ["a", "b", "c"]
    verdicts, draft = {}, preview["draft"]
    for chosen in "abc":
        marked = browser.post(f"{calls}mark/", {"draft": draft, "answer": {"id": chosen}}, "application/json")
        verdicts[chosen] = marked.json()["result"]["verdict"], marked.json()["result"]["remarks_html"]
    assert verdicts == {"a": ("wrong", ["A"]), "b": ("right", []), "c": ("wrong", ["C"])}
    for forged in ("", "forged", draft[:-1]):
        assert browser.post(f"{calls}mark/", {"draft": forged}, "application/json").status_code == 400
    assert browser_of(eve).post(calls, sent, "application/json").status_code in {403, 404}
    assert browser_of(leo).post(f"{calls}mark/", {"draft": "x"}, "application/json").status_code == 403
