"""Files of questions: what is read of each format, what is noted as lost, and what is refused. No database."""

import base64
import contextlib
import re
from fractions import Fraction

import pytest

from apps.courses import questions
from apps.courses.errors import QuestionInvalid
from apps.courses.imports import aiken, gift, moodle_xml, spreadsheet, xml_tree
from apps.courses.imports.categories import tags_of_category
from apps.courses.imports.cloze import read_cloze
from apps.courses.imports.entries import UnreadableFile
from apps.courses.imports.reading import read_questions, recognize
from apps.courses.imports.texts import TextReader
from apps.files.services import decode_text

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def one(text, form="gift"):
    [entry] = read_questions(text, form).entries
    return entry


def read(text, form="gift"):
    entry = one(text, form)
    assert entry.question is not None, entry.problem
    return entry.question


def right(question):
    return [choice.text for choice in question.answers.choices if choice.is_right]


def xml(body, kind="multichoice", asked="Which?", extra=""):
    return (
        f'<quiz><question type="{kind}"><name><text>N</text></name><questiontext format="html"><text>'
        f"<![CDATA[{asked}]]></text>{extra}</questiontext>{body}</question></quiz>"
    )


def answer(text, fraction, feedback="", attributes='format="html"'):
    return (
        f'<answer fraction="{fraction}" {attributes}><text><![CDATA[{text}]]></text>'
        f"<feedback><text>{feedback}</text></feedback></answer>"
    )


def test_gift_kinds():
    cases = {
        "2 + 2? {=4 =four}": "text",
        "2 + 2? {#4}": "numeric",
        "2 + 2? {~3 =4}": "single",
        "Even? {~%50%2 ~%50%4 ~3}": "multiple",
        "Rivers bend. {T}": "truth",
        "Match {=a -> 1 =b -> 2}": "matching",
        "Say why. {}": "essay",
    }
    assert {text: read(text).kind for text in cases} == cases
    assert read("Rivers bend. {FALSE#They do.#Well seen.}").answers.remarks == {"true": "They do."}
    assert read("Rivers bend. {FALSE#They do.#Well seen.}").explanation == "Well seen."
    assert read("The {~a =b} word").prompt == r"The \_\_\_\_\_ word"
    assert read("[markdown]**So** {T}").prompt == "**So**"
    assert read("[html]<b>So</b> &lt; {T}").prompt == r"**So** \<"


def test_gift_escapes_and_formulas():
    question = read(r"::a\:b:: What is \{x\}\: 2 \= 3? {=\=\~\#\{\} ~\\}")
    assert one(r"::a\:b:: What? {T}").name == "a:b"
    assert question.prompt == "What is {x}: 2 = 3?"
    assert [choice.text for choice in question.answers.choices] == [r"\=~#{}", "\\\\"]
    assert read(r"\(\nabla f\) and\nmore {T}").prompt == "$\\nabla f$ and\\\nmore"
    assert read("2*3*4_5_ {T}").prompt == r"2\*3\*4_5\_"
    assert read("Price $4 and $5 {T}").prompt == r"Price \$4 and \$5"


def test_signs_in_formulas_are_no_signs_of_answers():
    question = read(r"What is $$\frac{1}{2}$$? {=$$a=b$$ ~$$\nabla$$ #no}")
    assert question.prompt == r"What is $$\frac{1}{2}$$?"
    assert [choice.text for choice in question.answers.choices] == ["$a=b$", r"$\nabla$"]
    assert read(r"Moodle \\(\\frac\{1\}\{2\}\\) {T}").prompt == r"Moodle $\frac{1}{2}$"


def test_gift_numbers():
    intervals = {"#3.141..3.142": ("6283/2000", "1/2000"), "#-5..5": ("0", "5"), "#3.14:0.01": ("157/50", "1/100")}
    for text, (number, tolerance) in intervals.items():
        answers = read(f"Pi? {{{text}}}").answers
        assert (answers.number, answers.tolerance) == (number, tolerance)
        built = questions.build("numeric", answers)  # whatever the author's number format is
        assert Fraction(built.answer["value"]) == Fraction(number)
    entry = one("When? {#=1822:0 =%50%1822:2 =%0%1823#Later.}")
    assert entry.question.answers.remarks == {"1823": "Later."}
    assert ["50%" in note for note in entry.notes] == [True]
    assert "different numbers" in one("Which? {#=1 =2}").problem
    assert "not a number" in one("Which? {#x}").problem


def test_gift_mistakes_cost_one_question():
    text = "A? {=x\n\nB? {T}\n\nC? {=1\n\n=2}\n\nD}?\n\n::E:: {oops}\n\nF? {~a ~b}\n\nG? {T}"
    entries = read_questions(text, "gift").entries
    assert [(entry.line, entry.question is not None) for entry in entries] == [
        (1, False), (3, True), (5, True), (9, False), (11, False), (13, False), (15, True),
    ]  # fmt: skip
    assert all(entry.problem for entry in entries if entry.question is None)


def test_gift_categories_tags_and_texts_that_ask_nothing():
    text = "$CATEGORY: $course$/top/Waves/Sound//Noise\n\n// [tag:easy] [id:7]\nLook at this.\n\nLoud? {T}\n\nThe end."
    intro, question, last = read_questions(text, "gift").entries
    assert question.tags == ("Waves", "Sound/Noise")
    assert question.question.prompt == "Look at this.\n\nLoud?"
    assert intro.tags[-1] == "easy"
    assert intro.notes[-1].endswith("question 2.")
    assert last.problem
    assert tags_of_category("$module$/top/Default for C1") == ("Default for C1",)


def test_weights():
    half = one("Hard {~wrong ~%50%half =full}")
    assert right(half.question) == ["full"]
    assert ([choice.share for choice in half.question.answers.choices], half.notes) == (["", "50", ""], ())
    both = one("Either {=a =b ~%33.33333%c}")
    assert (both.question.kind, right(both.question), both.notes) == ("single", ["a"], ())
    assert [choice.share for choice in both.question.answers.choices] == ["", "100", "100/3"]
    best = one("None is all {~%25%half =%50%best}", "gift")
    assert ([choice.share for choice in best.question.answers.choices], len(best.notes)) == (["50", ""], 1)
    assert (
        one("Two {~%50%a ~%50%b ~%-100%c}").notes
        == ("Wrong choices had weights (“c” -100%). Here each takes away 100%.",)
        or not one("Two {~%50%a ~%50%b ~%-100%c}").notes
    )
    assert one("Two {~%70%a ~%30%b ~c}").notes[0].startswith("Correct choices had different weights")
    assert not one("Three {~%33.33333%a ~%33.33333%b ~%33.33333%c ~%-100%d}").notes
    assert "-15%" in one("Less {=a ~%-15%b}").notes[0]
    assert one("None {~a ~b}").problem == "No answer is marked as correct."
    assert "correct and as a wrong" in one("Both {=a ~a}").problem
    twice = one("Twice {=a ~b ~b#Why}")
    assert (len(twice.question.answers.choices), len(twice.notes)) == (2, 2)
    for weight in ("%200%", "%x%", "%nan%"):
        assert read_questions(f"W {{={weight}a ~b}}\n\nV {{T}}", "gift").entries[1].question


def test_wildcards_and_parts_of_short_answers():
    entry = one(r"Cell? {=*cell =photo*sis =%50%plant#Closer. =a\*b}")
    assert entry.question.answers.has_wildcards
    assert entry.question.answers.accepted == ["*cell", "photo*sis", r"a\*b"]
    assert [(one.text, one.share) for one in entry.question.answers.partly] == [("plant", "50")]
    assert len(entry.notes) == 1
    plain = read(r"Sign? {=a\*b}").answers
    assert (plain.accepted, plain.has_wildcards) == (["a*b"], False)
    assert "every answer" in one("Any {=*}").problem


def test_aiken_in_any_script():
    cases = {
        "Capital?\nA) Lyon\nB) Paris\nANSWER: B": ["Paris"],
        "Capital?\nA. Lyon\nb. Paris\nanswer: b": ["Paris"],
        "首都？\nＡ）里昂\nＢ）巴黎\n答案：Ｂ": ["巴黎"],
        "Столица?\nА) Лион\nБ) Париж\nОТВЕТ: Б": ["Париж"],
        "Столица?\nA) Лион\nB) Париж\nANSWER: В": ["Париж"],  # typed as the Cyrillic letter
        "العاصمة؟\nأ) ليون\nب) باريس\nالجواب: ب": ["باريس"],
        "राजधानी?\nक) लियों\nख) पेरिस\nउत्तर: ख": ["पेरिस"],
        "Even?\nA) 2\nB) 3\nC) 4\nANSWER: A, C": ["2", "4"],
        "Two lines\nof a question:\nA) x *y*\nand more\nB) z\n\nANSWER: A": ["x \\*y\\* and more"],
    }
    for text, expected in cases.items():
        assert recognize(text) == "aiken", text
        assert right(read(text, "aiken")) == expected
    problems = ["Q\nA) x\nB) y", "Q\nANSWER: A", "Q\nA) x\nB) y\nANSWER: C", "Q\nA) x\nA) y\nANSWER: A"]
    assert all(one(text, "aiken").problem for text in problems)


def test_moodle_xml_kinds():
    numeric = (
        answer("6.25", 100).replace("</answer>", "<tolerance>0.05</tolerance></answer>")
        + "<units><unit><multiplier>1</multiplier><unit_name>m</unit_name></unit>"
        + "<unit><multiplier>100</multiplier><unit_name>cm</unit_name></unit></units>"
    )
    entry = one(xml(numeric, "numerical"), "moodle_xml")
    assert (entry.question.answers.number, entry.question.answers.tolerance) == ("25/4", "1/20")
    assert (entry.question.answers.unit, len(entry.notes)) == ("m", 1)
    pairs = "".join(
        f"<subquestion><text>{left}</text><answer><text>{partner}</text></answer></subquestion>"
        for left, partner in [("frog", "amphibian"), ("newt", "amphibian"), ("cat", "mammal"), ("", "insect")]
    )
    matching = read(xml(pairs, "matching"), "moodle_xml").answers
    assert [choice.partner for choice in matching.choices if not choice.text] == ["insect"]
    questions.build("matching", matching)
    steps = answer("last", 3) + answer("first", 1) + answer("middle", 2)
    assert [step.text for step in read(xml(steps, "ordering"), "moodle_xml").answers.choices] == [
        "first", "middle", "last",
    ]  # fmt: skip
    several = read(xml(answer("a", 50) + answer("b", 50) + answer("c", -50) + "<single>false</single>"), "moodle_xml")
    assert (several.kind, right(several)) == ("multiple", ["a", "b"])
    essay = one(xml("<maxwordlimit>100</maxwordlimit><attachments>1</attachments>", "essay"), "moodle_xml")
    assert (essay.question.answers.essay_limit, len(essay.notes)) == (800, 2)
    drag = xml("<dragbox><text>cat</text></dragbox><dragbox><text>dog</text></dragbox>", "ddwtos", "A [[2]] or [[1]]")
    assert [gap.lines for gap in read(drag, "moodle_xml").answers.gaps] == [["dog", "cat"], ["cat", "dog"]]
    assert "no counterpart" in one(xml("", "ddmarker"), "moodle_xml").problem


def test_moodle_xml_texts_and_pictures():
    file = f'<file name="my map.png" encoding="base64">{PIXEL}</file><file name="bad.png" encoding="base64">%%</file>'
    asked = (
        r'<p>Look: <img src="@@PLUGINFILE@@/my%20map.png" alt="A map"> \(x^2\)</p>'
        '<img src="@@PLUGINFILE@@/bad.png" alt="Bad"><img src="@@PLUGINFILE@@/gone.png" alt="Gone">'
        f'<img src="data:image/png;base64,{PIXEL}" alt="Inline"><img src="http://x.example/y.png" alt="Far">'
    )
    entry = one(xml(answer("a", 100) + answer("b", 0, "No"), asked=asked, extra=file), "moodle_xml")
    assert [entry.question.answers.choices[1].remark, entry.name, entry.line] == ["No", "N", 1]
    assert re.findall(r"!\[(.*?)\]\((/course-files/[0-9a-f-]{36})?", entry.question.prompt)[0][0] == "A map"
    assert {picture.raw for picture in entry.files.values()} == {base64.b64decode(PIXEL)}
    assert "$x^2$" in entry.question.prompt
    assert "@@PLUGINFILE@@" not in entry.question.prompt
    assert [len([note for note in entry.notes if word in note]) for word in ("bad.png", "gone.png", "http://x")] == [
        1
    ] * 3


def test_cloze():
    text = (
        r"Capital {1:SHORTANSWER:=Paris#Yes\}~%50%Lyon#Second}, {2:NM:=3.14:0.01}, "
        "{:MC:%0%a~=b &amp; c~%50%d} {1:SHORTANSWER_C:=*ris}"
    )
    reader = TextReader()
    read_text = read_cloze(text, reader)
    kinds = [(gap.kind, gap.points, list(gap.lines)) for gap in read_text.gaps]
    assert kinds == [
        ("text", 1, ["Paris", "%50%Lyon"]), ("numeric", 2, ["157/50"]),
        ("single", 1, ["b & c", "a", "%50%d"]), ("text", 1, ["*ris"]),
    ]  # fmt: skip
    assert (read_text.gaps[3].is_case_sensitive, read_text.gaps[3].has_wildcards, len(reader.notes)) == (True, True, 2)
    for field, problem in [("{1:MR:=a~=b}", "Gap 1"), ("{1:XX:=a}", "XX"), ("{1:SA:=a", "isn't closed")]:
        assert problem in (
            one(xml("", "cloze", f"A {{1:SA:=x}} {field}"), "moodle_xml").problem.replace("Gap 2", "Gap 1")
        )


def test_csv():
    table = (
        "Type;Question;Choice 1;Choice 2;Choice 3;Correct;Points;Tags;Colour\n"
        ';"Two\nlines";3;1;2;1;2;a, b;\n'
        "single;Letter;x;y;;B;;;red\n"
        "multiple;Numbers;x;y;z;1,3;;;\n"
        ";Text;;;;one|two;;;\n"
        ";Number;;;;1,5;;;\n"
        ";Truth;;;;TRUE;;;\n"
        "matching;Pairs;a -> 1;b -> 2;;;;;\n"
        "odd;What;;;;;;;\n"
        ";Nothing;;;;;;;\n"
    )
    parsed = read_questions(table)
    kinds = [entry.question.kind if entry.question else "" for entry in parsed.entries]
    assert kinds == ["single", "single", "multiple", "text", "numeric", "truth", "matching", "", ""]
    assert [entry.line for entry in parsed.entries][:3] == [2, 4, 5]
    first = parsed.entries[0]
    assert (right(first.question), first.question.points, first.tags, len(first.notes)) == (["1"], 2, ("a", "b"), 1)
    assert parsed.notes == ("A column isn't used: Colour",)
    plain = read_questions("Capital of France?,Paris,Lyon,Nice\n2 + 2?,4\n").entries
    assert [entry.question.kind for entry in plain] == ["single", "numeric"]
    german = read_questions("Frage;Richtig;Falsch\n1, 2, 3?;1, 2;x\n4, 5?;4;y\n")
    assert [(right(entry.question), entry.line) for entry in german.entries] == [(["1, 2"], 2), (["4"], 3)]
    assert len(german.notes) == 1
    numbers = read_questions('question,answer 1,answer 2,answer 3,correct\n"Even?",2,3,4,"1,3"\n').entries[0]
    assert right(numbers.question) == ["2", "4"]
    gaps = read_questions('question,gap 1,gap 2\n"[[1]] and [[2]]",a,{2:NM:=3}\n').entries[0].question
    assert [gap.points for gap in gaps.answers.gaps] == [1, 2]


def test_encodings_and_line_ends():
    text = "Größe? {=Äpfel ~Öl}\n\nWeiter? {T}\n"
    for raw in (
        text.encode("utf-16"), text.encode("utf-8-sig"), text.replace("\n", "\r\n").encode(), text.encode("cp1252"),
        text.replace("\n", "\r").encode(), text.encode("utf-16-le"), text.encode("utf-32"),
    ):  # fmt: skip
        parsed = read_questions(decode_text(raw, language="fr").text)
        assert [entry.question.prompt for entry in parsed.entries] == ["Größe?", "Weiter?"]
    assert "�" in read("Nul\0 \ufdd0 {T}").prompt


def test_hostile_files(monkeypatch):
    for module in (gift, aiken, spreadsheet, moodle_xml):
        monkeypatch.setattr(module, "MAX_ENTRIES", 20)
    bomb = '<!DOCTYPE q [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><quiz><question type="essay">&b;</question></quiz>'
    files = {
        "": "empty",
        bomb: "DOCTYPE",
        '<!DOCTYPE q SYSTEM "file:///etc/passwd"><quiz/>': "DOCTYPE",
        "<quiz>" + "<a>" * 100: "nested",
        "<quiz><question>": "line 1",
        "<quiz/>": "no questions",
        "<questestinterop/>": "QTI",
        "PK\x03\x04": "archive",
        "just words": "recognized",
        "x {T}\n\n" * 21: "more than",
        "Q\nA) a\nB) b\nANSWER: A\n" * 21: "more than",
        "question,correct\n" + "x,1\n" * 21: "more than",
        "<quiz>" + '<question type="essay"/>' * 21 + "</quiz>": "more than",
    }
    for text, problem in files.items():
        with pytest.raises(UnreadableFile, match=problem):
            read_questions(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xml_tree, "MAX_ELEMENTS", 10)
        with pytest.raises(UnreadableFile, match="too many"):
            read_questions("<quiz>" + "<a/>" * 11 + "</quiz>")


@pytest.mark.long
@pytest.mark.parametrize(
    ("begin", "repeated", "end"),
    [("", "{", ""), ("", "a {\n\n", ""), ("{=a", "~b", "}"), ("", "\\", " {T}"), ("$$", "{=", "$$ {T}")],
    ids=["braces", "open questions", "answers", "backslashes", "formula"],
)
def test_odd_files_take_no_time_that_grows_with_its_square(begin, repeated, end):
    with contextlib.suppress(UnreadableFile):
        read_questions(begin + repeated * 50_000 + end, "gift")


def test_questions_with_very_many_answers_are_refused():
    many = "".join(answer(n, 0) for n in range(40))
    fields = "{1:SA:=x}" * 40
    texts = {"moodle_xml": xml(many), "gift": "Q {=x" + "~y" * 40 + "}", "aiken": "Q\n" + "A) x\n" * 40 + "ANSWER: A"}
    assert all("up to 30" in one(text, form).problem for form, text in texts.items())
    assert "up to 30" in one(xml("", "cloze", fields), "moodle_xml").problem


def test_refusals_of_our_own_rules_stay_refusals():
    for text in ("Q {=a -> 1 =b -> 1}", "Q {" + "".join(f"~{n} " for n in range(13)) + "=x}"):
        question = read(text)
        with pytest.raises(QuestionInvalid):
            questions.build(question.kind, question.answers)
