"""Questions as files: what is written is read again as the same question, and what a format can't hold is said."""

import base64
import csv
from io import StringIO

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.courses import questions, services
from apps.courses.errors import QuestionInvalid
from apps.courses.imports.reading import clean_text, read_questions
from apps.courses.models import CourseFile, Question
from apps.courses.question_export.facts import QuestionWithTags, describe_other_parts, describe_question, name_parts
from apps.courses.question_export.writing import FORMATS, _made, write_questions
from apps.courses.questions import Answers, Choice, Gap, PartAnswer
from apps.courses.services import open_bank
from studyplatform.kit.text.csv_lines import csv_line, protect_cell, release_cell
from tests.courses.test_question_files import PIXEL
from tests.factories.courses import (
    CourseFactory,
    CourseFileFactory,
    LessonFactory,
    QuestionFactory,
    QuizFactory,
    SectionFactory,
)

pytestmark = pytest.mark.edits_in_place

SIGNS = "ab Zé0192=~#{}:\\*/%|;,.'\"<>&@+-[]()$!?^_\u0301אع中\u200f"
NASTY = ["->", "=>", "%50%", "$$x$$", "\\n", "\\(", "\\)", "//", "::", "[html]", "]]>", "&amp;", "<b>", "ANSWER: A",
         "T", "{1:SA:=x}", "$\\nu=1$",
         "![a](/course-files/01234567-89ab-cdef-0123-456789abcdef)", "“x”", "'=1", "=1+1"]  # fmt: skip
plain_words = st.text("abcdeé 中", min_size=1, max_size=12).map(str.strip).filter(bool)
nasty_words = (
    st.lists(st.one_of(st.sampled_from(NASTY), st.text(SIGNS, max_size=6)), min_size=1, max_size=4)
    .map("".join)
    .map(str.strip)
    .filter(bool)
)
percentages = st.sampled_from(["", "", "", "50", "33.3", "100", "12.5"])


def blocks(words):
    return st.lists(words, min_size=1, max_size=4).flatmap(
        lambda lines: st.sampled_from(["\n", "\n\n", " ", "\r\n"]).map(lambda sign: sign.join(lines))
    )


@st.composite
def any_question(draw, words=nasty_words):
    """A question of any kind that our form accepts."""
    kind = draw(st.sampled_from(Question.Kind.values))
    texts = draw(st.lists(words, min_size=2, max_size=6, unique_by=lambda text: " ".join(text.split())))
    remark = st.one_of(st.just(""), blocks(words))
    choices = [Choice(text=text, is_right=place == 0 or (kind == "multiple" and draw(st.booleans())),
                      partner=draw(words) if kind == "matching" else "", remark=draw(remark),
                      share=draw(percentages) if place else "") for place, text in enumerate(texts)]  # fmt: skip
    gaps = [
        Gap(kind=draw(st.sampled_from(["text", "single"])), lines=texts, points=draw(st.integers(1, 5)),
            is_case_sensitive=draw(st.booleans())),
        Gap(kind="numeric", lines=["3.25"], tolerance="0.5"),
    ]  # fmt: skip
    number = draw(st.sampled_from(["0", "-3", "3.14", "1.234", "1/3", "6*10^23"]))
    answers = Answers(
        choices=choices[::-1] if draw(st.booleans()) else choices,
        truth=draw(st.booleans()),
        number=number,
        tolerance=draw(st.sampled_from(["", "0.1", "5%"])),
        unit=draw(st.sampled_from(["", "m"])),
        accepted=texts[:2],
        partly=[PartAnswer(text=text, share=draw(percentages)) for text in texts[2:]],
        has_wildcards=draw(st.booleans()),
        is_case_sensitive=draw(st.booleans()),
        ignores_accents=draw(st.booleans()),
        gaps=gaps,
        essay_limit=draw(st.sampled_from([50, 5000])),
        remarks={"99": "Too large."} if kind == "numeric" else {"true": draw(remark), "false": draw(remark)},
    )
    prompt = draw(blocks(words)) + (" [[2]] [[1]]" if kind == "gaps" else "")
    try:
        columns = questions.build(kind, answers, prompt=prompt)
    except QuestionInvalid:
        columns = questions.build("truth", Answers(truth=True))
        kind = "truth"
    question = Question(
        kind=kind,
        prompt=prompt,
        options=columns.options,
        answer=columns.answer,
        remarks=columns.remarks,
        points=columns.points or draw(st.integers(1, 100)),
        explanation=draw(remark),
        all_or_nothing=kind in {"multiple", "ordering", "matching", "gaps"} and draw(st.booleans()),
        is_withdrawn=draw(st.booleans()),
    )
    return QuestionWithTags(
        question, draw(st.lists(st.sampled_from(["Waves", "a ]b", "x=y"]), max_size=2, unique=True))
    )


def check_round_trip(given_: list[QuestionWithTags], form: str) -> None:
    file = write_questions(given_, form)
    left_out = [loss.question for loss in file.losses if loss.is_left_out]
    assert file.count + len(left_out) == len(given_)
    if not file.count:
        return
    again = [_made(entry, "en") for entry in read_questions(file.text, form).entries]
    assert len(again) == file.count
    names = name_parts()
    kept = [one for one in given_ if not any(same(one.question, gone) for gone in left_out)]
    for before, after in zip(kept, again, strict=True):
        assert describe_question(cleaned(before.question)) == describe_question(after.question)
        said = next((loss.parts for loss in file.losses if same(loss.question, before.question)), ())
        other_parts = describe_other_parts(QuestionWithTags(cleaned(before.question), before.tags))
        unsaid = {key: value for key, value in other_parts.items() if names[key] not in said}
        found = describe_other_parts(after)
        assert {key: found[key] for key in unsaid} == unsaid


def same(one: Question, other: Question) -> bool:
    return one.uid == other.uid


def cleaned(question: Question) -> Question:
    return Question(
        kind=question.kind, prompt=clean_text(question.prompt), options=question.options, answer=question.answer,
        remarks={key: clean_text(text) for key, text in question.remarks.items()}, points=question.points,
        explanation=clean_text(question.explanation), all_or_nothing=question.all_or_nothing,
        is_withdrawn=question.is_withdrawn,
    )  # fmt: skip


def round_trip(examples: int):
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(any_question(), min_size=1, max_size=3))
    def run(given_):
        for form in FORMATS:
            check_round_trip(given_, form)

    return run


@pytest.mark.django_db
def test_what_is_exported_is_imported_as_the_same():
    round_trip(2)()


@pytest.mark.long
@pytest.mark.django_db
def test_what_is_exported_is_imported_as_the_same_in_many_cases():
    round_trip(200)()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(any_question(plain_words))
def test_questions_in_plain_words_are_in_every_file_that_knows_their_kind(one):
    for form in FORMATS:
        file = write_questions([one], form)
        has_place = form != "gift" or one.question.kind not in {"gaps", "ordering"}
        is_exact = form == "csv" or one.question.answer.get("value") != "1/3"
        assert file.count == (has_place and is_exact), (form, file)


@given(st.text("a'=+-@;\t\n\" \uff1d", max_size=12))
@settings(max_examples=60, deadline=None)
def test_cells_are_harmless_and_read_as_they_were(text):
    [[cell]] = list(csv.reader(StringIO(csv_line([protect_cell(text)]), newline=""))) or [[""]]
    assert release_cell(cell) == text


@pytest.mark.django_db
def test_the_page_and_the_file(course, ada, eve, leo, browser_of, django_assert_max_num_queries):
    quiz = QuizFactory(lesson=LessonFactory(section=SectionFactory(course=course), kind="quiz", title='=1+1 "x"/\r\nÉ'))
    picture = CourseFileFactory(course=course)
    shown = QuestionFactory(quiz=quiz, prompt=f"Where?\n\n![A map]({picture.address})", points=2)
    steps = questions.build("ordering", Answers(choices=[Choice(text="=a"), Choice(text="-b")]))
    QuestionFactory(quiz=quiz, kind="ordering", prompt="In order?", options=steps.options, answer=steps.answer)
    page, file = (reverse(f"courses:studio-export{end}", args=[course.slug]) for end in ("", "-file"))
    browser = browser_of(ada)
    query = f"?from={quiz.lesson.slug}"
    with django_assert_max_num_queries(14):
        assert "Nothing is lost" in browser.get(page + query).content.decode()
    report = browser.get(f"{page}{query}&format=gift").content.decode()
    assert "1 question is left out" in report
    assert "Not in the file: points, pictures and files" in report
    sent = browser.get(f"{file}{query}&format=csv")
    assert sent["Content-Disposition"].startswith("attachment; filename")
    assert not set("\r\n") & set(sent["Content-Disposition"])
    text = sent.content.decode("utf-8-sig")
    assert ",'=a," in text
    assert ",'-b," in text
    assert [entry.question.kind for entry in read_questions(text).entries] == ["single", "ordering"]
    for form in FORMATS:
        assert browser.get(f"{file}{query}&format={form}&question={shown.uid}").content.count(b"Where?")
        assert "No questions to export" in browser.get(f"{page}{query}&format={form}&selected=1").content.decode()
    assert "No questions to export" in browser.get(page).content.decode()  # of the bank
    for address in (page, file):
        for odd, status in {"?format=odd": 400, "?question=odd": 400, "?from=odd": 404}.items():
            assert browser.get(address + odd).status_code == status
        assert browser.post(address).status_code == 405
        assert [browser_of(user).get(address).status_code for user in (leo, eve)] == [302, 302]


@pytest.mark.long
@pytest.mark.django_db
def test_pictures_travel_with_moodle_xml(course, ada, django_capture_on_commit_callbacks):
    source, now, raw = open_bank(course=course), timezone.now(), base64.b64decode(PIXEL)
    dot = ContentFile(raw, "dot.png")
    stored = services.upload_course_file(course=course, by=ada, file=dot, name="dot.png", now=now)
    QuestionFactory(quiz=source, prompt=f"Where? ![A dot]({CourseFile.objects.get(uid=stored.uid).address})")
    found = list(source.questions.prefetch_related("tags"))
    file = services.export_questions(course=course, by=ada, questions=found, form="moodle_xml")
    assert not file.losses
    target = open_bank(course=CourseFactory(instructor=ada))
    checked = services.check_questions(quiz=target, by=ada, file=services.QuestionFile(raw=file.text.encode()), now=now)
    services.import_questions(checked=checked, by=ada, now=now)
    assert f"![A dot](/course-files/{target.course.files.get().uid})" in target.questions.get().prompt
