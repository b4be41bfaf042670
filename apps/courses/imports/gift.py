r"""GIFT, the text format of Moodle (https://docs.moodle.org/en/GIFT_format).

A question ends at an empty line; its answers stand in braces. ``\`` escapes ``~ = # { } :`` and itself, ``\n`` is a
line break. What breaks the rules ends with its own question, so one mistake costs one question.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.imports.answers import Interval, numeric_answers, pairs, read_interval, text_answers
from apps.courses.imports.categories import tags_of_category
from apps.courses.imports.choices import FULL, Weighted, read_choices, read_percent
from apps.courses.imports.entries import (
    MAX_ENTRIES,
    Entry,
    ParsedQuestion,
    RefusedEntry,
    UnreadableFile,
    check_answer_count,
)
from apps.courses.imports.gift_paragraphs import Paragraph, escape, split_paragraphs, unescape
from apps.courses.imports.texts import AUTO, FORMATS, TextReader, excerpt_of
from apps.courses.models import Question
from apps.courses.question_parts import Answers
from studyplatform.kit.text.wildcards import has_wildcard

Kind = Question.Kind
BLANK = "_____"
_TITLE = re.compile(r"\s*::(.*?)::", re.DOTALL)
_FORMAT = re.compile(r"\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
_WEIGHT = re.compile(r"\s*%([-+]?[\d.,]{1,20})%")
_TRUTH = {"T": True, "TRUE": True, "F": False, "FALSE": False}


@dataclass(frozen=True)
class _Answer:
    """One answer between braces: ``mark`` is "=" or "~"; ``weight`` None without a percentage."""

    mark: str
    weight_text: str | None
    text: str
    feedback: str


def read_gift(text: str) -> Iterator[Entry]:
    """Yield the questions of a file.

    :raises UnreadableFile: it has too many.
    """
    category: tuple[str, ...] = ()
    number = 0
    for item in split_paragraphs(text):
        if isinstance(item, str):
            category = tags_of_category(item.replace("\\:", ":"))
            continue
        number += 1
        if number > MAX_ENTRIES:
            raise UnreadableFile(_("The file has more than %d questions. Split it.") % MAX_ENTRIES)
        yield replace(_read(item, number), tags=(*category, *item.tags))


def _read(paragraph: Paragraph, number: int) -> Entry:
    reader = TextReader()
    bare = escape(paragraph.text)
    name = ""
    if title := _TITLE.match(bare):
        name, bare = " ".join(unescape(title[1]).split()), bare[title.end() :]
    if paragraph.identifier:
        reader.note(_("The ID number “%s” is lost.") % paragraph.identifier[:40])
    entry = Entry(
        number=number, line=paragraph.line, source_type="", name=name[:200], excerpt=excerpt_of(unescape(bare))
    )
    try:
        return _finish(entry, bare, reader)
    except RefusedEntry as refusal:
        return replace(entry, problem=str(refusal), notes=tuple(reader.notes))


def _finish(entry: Entry, bare: str, reader: TextReader) -> Entry:
    form, bare = _split_format(bare, AUTO)
    begin, end = bare.find("{"), bare.rfind("}")
    if begin < 0 and end < 0:
        intro = reader.block(unescape(bare), form)
        return replace(entry, source_type="description", intro=intro, notes=tuple(reader.notes), files=reader.used)
    if begin < 0 or end < begin:
        raise RefusedEntry(
            _("A brace is opened and not closed.") if begin >= 0 else _("A brace is closed and not opened.")
        )
    before, inside, after = bare[:begin].strip(), bare[begin + 1 : end].strip(), bare[end + 1 :].strip()
    asked = f"{before} {BLANK} {after}".strip() if after else before
    prompt = reader.block(unescape(asked), form)
    inside, _mark, general = inside.partition("####")
    source, question, explanations = _read_answers(inside.strip(), form, reader)
    if general.strip():
        explanations.insert(0, _read_block(general, form, reader))
    question = replace(question, prompt=prompt, explanation="\n\n".join(one for one in explanations if one))
    return replace(
        entry,
        source_type=source,
        excerpt=excerpt_of(unescape(asked)),
        question=question,
        notes=tuple(reader.notes),
        files=reader.used,
    )


def _read_answers(inside: str, form: str, reader: TextReader) -> tuple[str, ParsedQuestion, list[str]]:
    """Return the type as Moodle recognizes it, the question without its prompt, and what explains it."""
    if not inside:
        return "essay", ParsedQuestion(kind=Kind.ESSAY, prompt=""), []
    if inside.startswith("#"):
        answers, explanations = _read_numeric(inside[1:].strip(), form, reader)
        return "numerical", ParsedQuestion(kind=Kind.NUMERIC, prompt="", answers=answers), explanations
    truth, _hash, feedbacks = inside.partition("#")
    if truth.strip().upper() in _TRUTH and "~" not in inside:
        return "truefalse", *_read_truth(_TRUTH[truth.strip().upper()], feedbacks, form, reader)
    given = _split_answers(inside)
    if "~" in inside:
        weighted = [
            Weighted(_read_phrase(one.text, form, reader), _weight(one), _read_block(one.feedback, form, reader))
            for one in given
        ]
        is_single = any(one.mark == "=" for one in given)
        read = read_choices(reader, weighted, is_single=is_single)
        question = ParsedQuestion(kind=read.kind, prompt="", answers=Answers(choices=read.choices))
        return "multichoice", question, list(read.explanations)
    if not given:
        raise RefusedEntry(_("The text in braces has no answers: they begin with = or ~."))
    if all("->" in one.text for one in given):
        return "matching", _read_pairs(given, form, reader), []
    texts = [
        Weighted(_words(one.text, form, reader), _weight(one), _read_block(one.feedback, form, reader)) for one in given
    ]
    answers, explanations = text_answers(reader, texts)
    return "shortanswer", ParsedQuestion(kind=Kind.TEXT, prompt="", answers=answers), explanations


def _read_truth(
    is_true: bool,  # noqa: FBT001 (private)
    feedbacks: str,
    form: str,
    reader: TextReader,
) -> tuple[ParsedQuestion, list[str]]:
    """Read true or false. The first feedback is for a wrong answer, the second for the right one."""
    if_wrong, _hash, if_right = feedbacks.partition("#")
    remark = _read_block(if_wrong, form, reader)
    answers = Answers(truth=is_true, remarks={str(not is_true).lower(): remark} if remark else {})
    explanation = _read_block(if_right, form, reader)
    return ParsedQuestion(kind=Kind.TRUTH, prompt="", answers=answers), [explanation] if explanation else []


def _read_numeric(inside: str, form: str, reader: TextReader) -> tuple[Answers, list[str]]:
    given = _split_answers(inside if inside[:1] in ("=", "~") else f"={inside}")
    intervals: list[Interval] = []
    for one in given:
        feedback = _read_block(one.feedback, form, reader)
        text = unescape(one.text).strip()
        if not text or text == "*" or one.mark == "~":
            if feedback:
                reader.note(_("Feedback on every other answer is lost: “%s”") % excerpt_of(feedback, 200))
            continue
        intervals.append(read_interval(text, _weight(one), feedback))
    return numeric_answers(reader, intervals)


def _read_pairs(given: list[_Answer], form: str, reader: TextReader) -> ParsedQuestion:
    read = []
    for one in given:
        left, _arrow, right = one.text.partition("->")
        read.append((_read_phrase(left, form, reader), _read_phrase(right, form, reader)))
        if one.feedback.strip():
            reader.note(_("Feedback is lost: “%s”") % excerpt_of(unescape(one.feedback), 200))
    return ParsedQuestion(kind=Kind.MATCHING, prompt="", answers=pairs(read))


def _split_answers(inside: str) -> list[_Answer]:
    check_answer_count(inside.count("=") + inside.count("~"))
    answers = []
    for found in re.finditer(r"([=~])([^=~]*)", inside):
        text, _hash, feedback = found[2].partition("#")
        weight = _WEIGHT.match(text)
        if weight is not None:
            text = text[weight.end() :]
        answers.append(_Answer(found[1], weight[1] if weight else None, text.strip(), feedback.strip()))
    start = re.split("[=~]", inside, maxsplit=1)[0].strip()
    if start and answers:
        raise RefusedEntry(_("Before the first answer stands “%s”. Answers begin with = or ~.") % unescape(start)[:40])
    return answers


def _weight(answer: _Answer) -> Fraction:
    if answer.weight_text is not None:
        return read_percent(answer.weight_text)
    return FULL if answer.mark == "=" else Fraction(0)


def _read_block(text: str, form: str, reader: TextReader) -> str:
    form, text = _split_format(text, form)
    return reader.block(unescape(text), form)


def _read_phrase(text: str, form: str, reader: TextReader) -> str:
    form, text = _split_format(text, form)
    return reader.phrase(unescape(text), form)


def _words(text: str, form: str, reader: TextReader) -> str:
    """Return what learners type. An escaped backslash before an asterisk makes it one; here that is ``\\*``."""
    form, text = _split_format(text, form)
    plain = unescape(text)
    return reader.words(plain, form) if not has_wildcard(plain) else " ".join(plain.split())


def _split_format(text: str, form: str) -> tuple[str, str]:
    match = _FORMAT.match(text)
    return (FORMATS[match[1].lower()], text[match.end() :]) if match else (form, text)
