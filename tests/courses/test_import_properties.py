"""Imported questions of any file: marked as the file says, in any encoding, and never with an error of our own."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.courses.errors import QuestionInvalid
from apps.courses.imports.entries import UnreadableFile
from apps.courses.imports.reading import FORMATS, read_questions
from apps.courses.models import Question
from apps.courses.question_export.writing import _made
from apps.files.services import decode_text
from apps.learning.quizzes import marking

words = st.text("abcdefgé \u0301中אع", min_size=1, max_size=10).map(str.strip).filter(str.isalpha)
signs = st.text("ab{}=~#%:\\\n\r\t \"'<>&;,|[]()->/$*.?0159TF\u202eאé\ufeff\0", max_size=60)
pieces = st.sampled_from(
    ["{=a ~b}", "{#3:1}", "{T}", "::x::", "$CATEGORY: a", "//", "A) x", "ANSWER: A", "type,question,correct", "####",
     '<quiz><question type="cloze">', "<text>", "</text>", "{1:MC:=a~b}", "%50%", "[[1]]", "]]>", "<![CDATA[", "[tag:"]
)  # fmt: skip
texts = st.lists(st.one_of(signs, pieces), max_size=8).map("".join)
weights = st.lists(st.sampled_from([0, 25, 33.33333, 50, 100, -50]), min_size=1, max_size=4)


def check_text(text: str, form: str) -> None:
    """Whatever a text says, each entry is a question that can be marked, or has a reason."""
    try:
        entries = read_questions(text, form).entries
    except UnreadableFile:
        return
    for entry in entries:
        if entry.question is None:
            assert entry.problem or entry.intro
            continue
        try:
            made = _made(entry, "en")
        except QuestionInvalid:
            continue
        assert made is not None
        assert marking.mark(made.question, None).share == 0


def single(form: str, choices: list[tuple[str, float]]) -> str:
    """The best choice first; the others with their percentages."""
    if form == "gift":
        lines = [f"=%{weight}%{text}" if weight == 100 else f"~%{weight}%{text}" for text, weight in choices]
        return f"Which? {{{' '.join(lines)}}}"
    answers = "".join(f'<answer fraction="{weight}"><text>{text}</text></answer>' for text, weight in choices)
    asked = "<questiontext><text>Which?</text></questiontext>"
    return f'<quiz><question type="multichoice">{asked}<single>true</single>{answers}</question></quiz>'


def short(form: str, answers: list[tuple[str, float]]) -> str:
    if form == "gift":
        return f"Who? {{{' '.join(f'=%{weight}%{text}' for text, weight in answers)}}}"
    rows = "".join(f'<answer fraction="{weight}"><text>{text}</text></answer>' for text, weight in answers)
    asked = "<questiontext><text>Who?</text></questiontext>"
    return f'<quiz><question type="shortanswer">{asked}{rows}</question></quiz>'


def made(text: str, form: str) -> Question:
    [entry] = read_questions(text, form).entries
    found = _made(entry, "en")
    assert found is not None, entry.problem
    return found.question


def expected(weight: float) -> Fraction:
    return Fraction(1, 3) if weight == 33.33333 else max(Fraction(weight) / 100, Fraction(0))


def check_marks(texts_: list[str], shares: list[float]) -> None:
    given_ = [(texts_[0], 100.0), *zip(texts_[1:], shares, strict=False)]
    for form in ("gift", "moodle_xml"):
        choice = made(single(form, [*given_, ("wrong", 0)]), form)
        ids = {option["text"]: option["id"] for option in choice.options}
        for text, weight in given_:
            assert marking.mark(choice, {"id": ids[text]}).share == expected(weight)
        text_question = made(short(form, given_), form)
        best: dict[str, Fraction] = {}
        for text, weight in given_:
            best[text] = max(best.get(text, Fraction(0)), expected(weight))
        for text, share in best.items():
            assert marking.mark(text_question, {"text": text}).share >= share
        assert marking.mark(text_question, {"text": "zzzz"}).share == 0


def check_encoding(text: str, encoding: str, end: str) -> None:
    raw = text.replace("\n", end).encode(encoding)
    decoded = decode_text(raw, language="fr", encoding="")
    assert made(decoded.text, "gift").options == made(text, "gift").options


def run(examples: int) -> None:
    quick = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    quick(given(texts, st.sampled_from(["", *FORMATS]))(lambda text, form: check_text(text, form)))()
    unique = st.lists(words, min_size=2, max_size=5, unique_by=lambda text: text.casefold()).filter(
        lambda found: "zzzz" not in found
    )
    quick(given(unique, weights)(check_marks))()
    encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    ends = st.sampled_from(["\n", "\r\n", "\r"])
    quick(given(st.just("Où est\nla forêt? {=à Orléans ~en été ~“là”}"), encodings, ends)(check_encoding))()


@pytest.mark.django_db
def test_any_file_is_read_and_marked_as_it_says():
    run(3)


@pytest.mark.long
@pytest.mark.django_db
def test_many_files_are_read_and_marked_as_they_say():
    run(400)
