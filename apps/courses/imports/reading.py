"""Recognize a file of questions and read it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from django.utils.translation import gettext as _

from apps.courses.imports import spreadsheet
from apps.courses.imports.aiken import is_answer_line, is_choice_line, read_aiken
from apps.courses.imports.entries import MAX_ENTRIES, Entry, ParsedFile, UnreadableFile
from apps.courses.imports.gift import read_gift
from apps.courses.imports.moodle_xml import read_moodle_xml

FORMATS = {"gift": "GIFT", "aiken": "Aiken", "moodle_xml": "Moodle XML", "csv": "CSV"}
_SAMPLE = 200_000  # characters by which a format is recognized
_GIFT = re.compile(r"^\s*(?:::|\$CATEGORY:|//)|(?<!\\)\{\s*(?:[=~#}]|T(?:RUE)?\s*[#}]|F(?:ALSE)?\s*[#}])", re.MULTILINE)
# Controls and characters that Unicode assigns to nobody: databases and XML refuse some, readers here use others.
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufdd0-\ufdef\ufffe\uffff]")
_MOODLE_QUESTION = re.compile(r"<question\b(?![^<>]{0,100}[\"']category[\"'])")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_UNSUPPORTED = (
    (re.compile(r"<(?:\w+:)?(?:questestinterop|assessmentItem|assessmentTest|qti-assessment-item)\b"), "IMS QTI"),
    (re.compile(r"<(?:\w+:)?manifest\b"), "IMS"),
)


def read_questions(text: str, form: str = "", *, on_entry: Callable[[], None] = lambda: None) -> ParsedFile:
    """Return all entries of a file. ``form`` is one of ``FORMATS``; without it, it is recognized.

    ``on_entry`` is called after each entry: a long file takes seconds.

    :raises UnreadableFile: it is empty, of a format that isn't read here, broken as a whole, or has too many questions.
    """
    text = clean_text(text)
    if not text.strip():
        raise UnreadableFile(_("The file is empty."))
    form = form or recognize(text)
    notes: Sequence[str] = ()
    match form:
        case "moodle_xml":
            entries: Iterable[Entry] = read_moodle_xml(text)
        case "aiken":
            entries = read_aiken(text)
        case "csv":
            entries, notes = spreadsheet.read_csv(text)
        case "gift":
            entries = read_gift(text)
        case _:
            raise UnreadableFile(_("Choose a format."))
    found = []
    for entry in entries:
        found.append(entry)
        on_entry()
    placed = _with_intros(found)
    if not placed:
        raise UnreadableFile(_("The file has no questions."))
    return ParsedFile(format=form, entries=placed, notes=tuple(notes))


def count_questions(text: str, form: str) -> int:
    """Return about how many questions a file has, at least 1, without reading them."""
    match form:
        case "moodle_xml":
            count = len(_MOODLE_QUESTION.findall(text))
        case "aiken":
            count = sum(map(is_answer_line, text.split("\n")))
        case "csv":
            count = sum(map(bool, map(str.strip, text.split("\n")))) - 1
        case _:
            count = sum("{" in paragraph for paragraph in _EMPTY_LINE.split(text))
    return min(max(count, 1), MAX_ENTRIES)


def clean_text(text: str) -> str:
    """Return the text with line feeds only, without a byte order mark; controls become U+FFFD, so nothing vanishes."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _FORBIDDEN.sub("\ufffd", text)


def recognize(text: str) -> str:
    """Return the format of a text.

    :raises UnreadableFile: it is none of ours.
    """
    sample = text.lstrip()[:_SAMPLE]
    if sample.startswith("<"):
        if re.search(r"<quiz\b", sample):
            return "moodle_xml"
        for pattern, name in _UNSUPPORTED:
            if pattern.search(sample):
                problem = _("%s files can't be imported here yet. Export the questions as Moodle XML or GIFT.")
                raise UnreadableFile(problem % name)
        if re.match(r"<\?xml|<!DOCTYPE", sample):
            return "moodle_xml"
    if sample.startswith(("PK\x03\x04", "PK\ufffd\ufffd", "%PDF")):
        raise UnreadableFile(_("This is an archive or a document. Upload the file of questions itself, as text."))
    lines = sample.split("\n")
    has_answers = any(is_answer_line(line) for line in islice(lines, 5_000))
    if has_answers and any(is_choice_line(line) for line in islice(lines, 5_000)):
        return "aiken"
    if spreadsheet.has_header(sample):
        return "csv"
    if _GIFT.search(sample):
        return "gift"
    if len([line for line in lines if spreadsheet.delimiter_of(sample) in line]) * 2 > len(lines):
        return "csv"
    raise UnreadableFile(_("The format wasn't recognized. Choose it, or compare the file with the examples."))


def _with_intros(entries: list[Entry]) -> list[Entry]:
    """Put texts that ask nothing before the question that follows them."""
    placed: list[Entry] = []
    waiting: list[int] = []
    for entry in entries:
        if entry.question is None:
            if entry.intro:
                waiting.append(len(placed))
            elif not entry.problem:
                entry = replace(entry, problem=_("The question is empty."))
            placed.append(entry)
            continue
        intros = [placed[at] for at in waiting]
        if intros:
            prompt = "\n\n".join([*(one.intro for one in intros), entry.question.prompt])
            files = {address: file for one in (*intros, entry) for address, file in one.files.items()}
            for at in waiting:
                note = _("This text now stands before question %d.") % entry.number
                placed[at] = replace(placed[at], notes=(*placed[at].notes, note))
            entry = replace(entry, question=replace(entry.question, prompt=prompt), files=files)
            waiting = []
        placed.append(entry)
    for at in waiting:
        problem = _("This text asks nothing, and no question follows that it could introduce.")
        placed[at] = replace(placed[at], problem=problem, intro="")
    return placed
