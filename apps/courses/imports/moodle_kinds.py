"""The types of questions of Moodle as ours."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from apps.courses.imports.answers import Interval, numeric_answers, pairs, read_exact, text_answers
from apps.courses.imports.choices import FULL, Weighted, read_choices, read_percent
from apps.courses.imports.cloze import place_marks, placeholder, read_cloze
from apps.courses.imports.entries import ParsedQuestion, RefusedEntry
from apps.courses.imports.moodle_source import MoodleQuestion, files_of, format_of
from apps.courses.imports.texts import HTML, MARKDOWN, excerpt_of
from apps.courses.imports.xml_tree import content_of
from apps.courses.models import Question
from apps.courses.question_parts import USUAL_ESSAY_LENGTH, Answers, Choice, Gap

Kind = Question.Kind
Read = tuple[ParsedQuestion, list[str]]
"""A question, mostly without its prompt, and the feedback that belongs into its explanation."""
CHARACTERS_PER_WORD = 8  # in a long text, with its spaces, generously
MIN_ESSAY, MAX_ESSAY = 50, 20_000  # code points, as questions.py has them
_MARK = re.compile(r"\[\[(\d{1,3})\]\]")


def _weight(answer: Element) -> Fraction:
    return read_percent(answer.get("fraction", "0"))


def _feedback(source: MoodleQuestion, answer: Element) -> str:
    return source.read_block(answer.find("feedback"))


def _multichoice(source: MoodleQuestion) -> Read:
    is_single = source.value("single").lower() not in {"false", "0"} and source.type_name == "multichoice"
    given = [
        Weighted(source.phrase(answer), _weight(answer), _feedback(source, answer))
        for answer in source.element.findall("answer")
    ]
    if source.type_name != "multichoice":  # which only say what is right
        count = sum(one.weight > 0 for one in given)
        given = [Weighted(one.text, Fraction(int(one.weight > 0), count or 1), one.feedback) for one in given]
    read = read_choices(source.reader, given, is_single=is_single)
    question = ParsedQuestion(
        kind=read.kind,
        prompt="",
        answers=Answers(choices=read.choices),
        all_or_nothing=source.type_name == "multichoiceset",
    )
    return question, list(read.explanations)


def _truefalse(source: MoodleQuestion) -> Read:
    truth: bool | None = None
    feedback: dict[bool, str] = {}
    for answer in source.element.findall("answer"):
        says = {"true": True, "false": False}.get(source.words(answer).lower())
        if says is None:
            raise RefusedEntry(_("“%s” is neither true nor false.") % excerpt_of(source.words(answer), 40))
        feedback[says] = _feedback(source, answer)
        if _weight(answer) == FULL:
            truth = says
    if truth is None:
        raise RefusedEntry(_("No answer is marked as correct."))
    wrong = feedback.get(not truth, "")
    answers = Answers(truth=truth, remarks={str(not truth).lower(): wrong} if wrong else {})
    return ParsedQuestion(kind=Kind.TRUTH, prompt="", answers=answers), [feedback.get(truth, "")]


def _shortanswer(source: MoodleQuestion) -> Read:
    given = [
        Weighted(source.words(answer), _weight(answer), _feedback(source, answer))
        for answer in source.element.findall("answer")
    ]
    answers, explanations = text_answers(source.reader, given, is_case_sensitive=source.value("usecase") == "1")
    return ParsedQuestion(kind=Kind.TEXT, prompt="", answers=answers), explanations


def _numerical(source: MoodleQuestion) -> Read:
    intervals = []
    for answer in source.element.findall("answer"):
        text, feedback = source.words(answer), _feedback(source, answer)
        if text == "*":
            if feedback:
                source.reader.note(_("Feedback on every other answer is lost: “%s”") % excerpt_of(feedback, 200))
            continue
        value = read_exact(text)
        within = abs(read_exact(content_of(answer.find("tolerance")).strip() or "0"))
        intervals.append(Interval(value - within, value + within, _weight(answer), feedback))
    answers, explanations = numeric_answers(source.reader, intervals, unit=_unit(source))
    return ParsedQuestion(kind=Kind.NUMERIC, prompt="", answers=answers), explanations


def _unit(source: MoodleQuestion) -> str:
    """Return the unit in which the number is asked for; others are lost."""
    units = [
        (content_of(unit.find("unit_name")).strip(), content_of(unit.find("multiplier")).strip() or "1")
        for unit in source.element.findall("units/unit")
    ]
    base = next((name for name, factor in units if read_exact(factor) == 1), "")
    for name, factor in units:
        if name != base:
            source.reader.note(
                _("The unit “%(unit)s” (factor %(factor)s) is lost.") % {"unit": name[:20], "factor": factor[:20]}
            )
    return base


def _matching(source: MoodleQuestion) -> Read:
    read = []
    for part in source.element.findall("subquestion"):
        answer = part.find("answer")
        right = source.phrase(answer) if answer is not None else ""
        read.append((source.phrase(part), right))
    return ParsedQuestion(kind=Kind.MATCHING, prompt="", answers=pairs(read)), []


def _ordering(source: MoodleQuestion) -> Read:
    steps = source.element.findall("answer")
    places = [read_exact(step.get("fraction", "0")) for step in steps]
    if len(set(places)) == len(places):
        steps = [step for _place, step in sorted(zip(places, steps, strict=True), key=lambda pair: pair[0])]
    for step in steps:
        if feedback := _feedback(source, step):
            source.reader.note(_("Feedback is lost: “%s”") % excerpt_of(feedback, 200))
    return ParsedQuestion(
        kind=Kind.ORDERING,
        prompt="",
        answers=Answers(choices=[Choice(text=source.phrase(step)) for step in steps]),
        all_or_nothing=source.value("gradingtype").upper() == "ALL_OR_NOTHING",
    ), []


def _essay(source: MoodleQuestion) -> Read:
    limit = USUAL_ESSAY_LENGTH
    words = source.value("maxwordlimit")
    if words.isdecimal() and int(words[:6]):
        limit = min(max(int(words[:6]) * CHARACTERS_PER_WORD, MIN_ESSAY), MAX_ESSAY)
        source.reader.note(
            _("The limit of %(words)s words is now one of %(characters)d characters.")
            % {"words": words[:6], "characters": limit}
        )
    source.note_lost("responsetemplate")
    if source.value("attachments") not in {"", "0"}:
        source.reader.note(_("Learners could attach files. Here they write text only."))
    model_answer = source.block("graderinfo")
    return ParsedQuestion(kind=Kind.ESSAY, prompt="", answers=Answers(essay_limit=limit)), [model_answer]


def _cloze(source: MoodleQuestion) -> Read:
    element = source.element.find("questiontext")
    if element is None:
        raise RefusedEntry(_("The text has no fields."))
    form = MARKDOWN if format_of(element) == MARKDOWN else HTML
    read = read_cloze(content_of(element.find("text")), source.reader, form)
    prompt = place_marks(source.reader.block(read.text, form, files_of(element)))
    return ParsedQuestion(kind=Kind.GAPS, prompt=prompt, answers=Answers(gaps=read.gaps)), []


def _missing_words(source: MoodleQuestion) -> Read:
    """Read a text whose marks name choices: each mark is a gap that offers the choices of its group."""
    element = source.element.find("questiontext")
    text = content_of(element.find("text")) if element is not None else ""
    offered = source.element.findall("selectoption") or source.element.findall("dragbox")
    choices = [(source.phrase(one), content_of(one.find("group")).strip() or "1") for one in offered]
    gaps: list[Gap] = []

    def read(found: re.Match[str]) -> str:
        place = int(found[1]) - 1
        if not 0 <= place < len(choices):
            raise RefusedEntry(_("The text has the mark %s, for which there is no choice.") % found[0])
        right, group = choices[place]
        others = [other for other, its_group in choices if its_group == group and other != right]
        gaps.append(Gap(kind=Kind.SINGLE, lines=list(dict.fromkeys([right, *others]))))
        return placeholder(len(gaps))

    shown = _MARK.sub(read, text)
    if not gaps or element is None:
        raise RefusedEntry(_("The text has no fields."))
    prompt = place_marks(source.reader.block(shown, HTML, files_of(element)))
    return ParsedQuestion(kind=Kind.GAPS, prompt=prompt, answers=Answers(gaps=gaps)), []


READERS: Mapping[str, Callable[[MoodleQuestion], Read]] = {
    "multichoice": _multichoice,
    "multichoiceset": _multichoice,
    "oumultiresponse": _multichoice,
    "truefalse": _truefalse,
    "shortanswer": _shortanswer,
    "numerical": _numerical,
    "matching": _matching,
    "match": _matching,
    "ddmatch": _matching,
    "ordering": _ordering,
    "essay": _essay,
    "cloze": _cloze,
    "multianswer": _cloze,
    "gapselect": _missing_words,
    "ddwtos": _missing_words,
}
