"""Moodle XML (https://docs.moodle.org/en/Moodle_XML_format): questions with categories, tags and embedded files."""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.imports import moodle_kinds
from apps.courses.imports.categories import MAX_TAG, tags_of_category
from apps.courses.imports.choices import percent
from apps.courses.imports.entries import (
    MAX_ENTRIES,
    Entry,
    ParsedQuestion,
    RefusedEntry,
    UnreadableFile,
    check_answer_count,
)
from apps.courses.imports.moodle_source import MoodleQuestion
from apps.courses.imports.texts import excerpt_of
from apps.courses.imports.xml_tree import content_of, line_of, parse_xml

MAX_POINTS = 100
_USUAL_FEEDBACK = re.compile(r"(?:<[^>]*>|\s)*Your answer is (?:partially )?(?:in)?correct\.?(?:<[^>]*>|\s)*")


def read_moodle_xml(text: str) -> Iterator[Entry]:
    """Yield the questions of a file.

    :raises UnreadableFile: it is no such file, or has too many questions.
    """
    root = parse_xml(text)
    if root.tag != "quiz":
        raise UnreadableFile(_("This XML isn't from Moodle: it begins with <%s>.") % str(root.tag)[:40])
    category: tuple[str, ...] = ()
    number = 0
    for element in root.iter("question"):
        if element.get("type") == "category":
            category = tags_of_category(content_of(element.find("category/text")))
            continue
        number += 1
        if number > MAX_ENTRIES:
            raise UnreadableFile(_("The file has more than %d questions. Split it.") % MAX_ENTRIES)
        yield _read(element, number, category)


def _read(element: Element, number: int, category: tuple[str, ...]) -> Entry:
    source = MoodleQuestion(element)
    tags = [" ".join(content_of(tag).replace(",", " ").split())[:MAX_TAG] for tag in element.findall("tags/tag/text")]
    entry = Entry(
        number=number,
        line=line_of(element),
        source_type=source.type_name[:40],
        name=excerpt_of(content_of(element.find("name/text")), 200),
        excerpt=excerpt_of(content_of(element.find("questiontext/text"))),
        tags=tuple(dict.fromkeys([*category, *filter(None, tags)])),
    )
    try:
        if source.type_name == "description":
            intro = source.block("questiontext")
            source.note_lost("generalfeedback")
            return replace(entry, intro=intro, notes=tuple(source.reader.notes), files=source.reader.used)
        question = _question(source)
    except RefusedEntry as refusal:
        return replace(entry, problem=str(refusal), notes=tuple(source.reader.notes))
    return replace(entry, question=question, notes=tuple(source.reader.notes), files=source.reader.used)


def _question(source: MoodleQuestion) -> ParsedQuestion:
    read = moodle_kinds.READERS.get(source.type_name)
    if read is None:
        raise RefusedEntry(_("Questions of the type “%s” have no counterpart here.") % source.type_name[:40])
    check_answer_count(sum(child.tag in _ANSWERS for child in source.element))
    question, explanations = read(source)
    general = source.block("generalfeedback")
    _note_what_is_lost(source)
    is_withdrawn = source.value("hidden") == "1"
    if is_withdrawn:
        source.reader.note(_("It was hidden; here it is withdrawn."))
    return replace(
        question,
        prompt=question.prompt or source.block("questiontext"),
        points=_points(source) if question.kind != "gaps" else 1,
        explanation="\n\n".join(one for one in [general, *explanations] if one),
        is_withdrawn=is_withdrawn,
    )


def _points(source: MoodleQuestion) -> int:
    """Return whole points from 1 to 100."""
    text = source.value("defaultgrade") or "1"
    try:
        exact = Fraction(text)
    except (ValueError, ZeroDivisionError):
        exact = Fraction(1)
    points = min(max(int(exact + Fraction(1, 2)), 1), MAX_POINTS)
    if exact != points:
        source.reader.note(
            _("It was worth %(before)s points; here it is worth %(now)d.")
            % {"before": percent(exact / 100)[:-1], "now": points}
        )
    return points


def _note_what_is_lost(source: MoodleQuestion) -> None:
    element = source.element
    results = [content_of(element.find(f"{name}/text")) for name in _FEEDBACK_BY_RESULT]
    for text in results:
        if text.strip() and not _USUAL_FEEDBACK.fullmatch(text):
            source.reader.note(_("Feedback on the whole answer is lost: “%s”") % excerpt_of(text, 200))
    hints = [one for one in (content_of(hint.find("text")) for hint in element.findall("hint")) if one.strip()]
    if hints:
        texts = " · ".join(excerpt_of(one, 120) for one in hints[:5])
        source.reader.note(
            ngettext("A hint is lost: %(texts)s", "%(count)d hints are lost: %(texts)s", len(hints))
            % {"count": len(hints), "texts": texts}
        )
    if identifier := source.value("idnumber"):
        source.reader.note(_("The ID number “%s” is lost.") % identifier[:40])


_ANSWERS = {"answer", "subquestion", "selectoption", "dragbox"}
_FEEDBACK_BY_RESULT = ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback")
