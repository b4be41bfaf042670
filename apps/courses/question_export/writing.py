"""Write questions in a format, and say what it can't hold: by reading each one again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from apps.courses import questions
from apps.courses.errors import QuestionInvalid
from apps.courses.imports.entries import Entry, UnreadableFile
from apps.courses.imports.reading import clean_text, read_questions
from apps.courses.models import Question
from apps.courses.question_export.facts import (
    FILE,
    QuestionWithTags,
    describe_other_parts,
    describe_question,
    name_parts,
)
from apps.courses.question_export.gift import write_gift
from apps.courses.question_export.moodle_xml import BEGIN, END, EmbeddedContent, MoodleWriter
from apps.courses.question_export.spreadsheet import cells_of, write_rows

FORMATS = {"moodle_xml": "Moodle XML", "gift": "GIFT", "csv": "CSV"}
FILE_ENDINGS = {"moodle_xml": "xml", "gift": "gift.txt", "csv": "csv"}
MEDIA_TYPES = {"moodle_xml": "application/xml", "gift": "text/plain", "csv": "text/csv"}
Questions = Sequence[QuestionWithTags]


@dataclass(frozen=True)
class Loss:
    """What a file lacks of a question: names of its parts, or all of it."""

    question: Question
    parts: tuple[str, ...] = ()

    @property
    def is_left_out(self) -> bool:
        """Whether the question isn't in the file at all."""
        return not self.parts


@dataclass(frozen=True)
class QuestionsFile:
    """The contents of a file, with how many questions it has and what it lacks."""

    text: str
    count: int
    losses: Sequence[Loss]


def write_questions(
    given: Questions, form: str, *, language: str = "en", files: Mapping[str, EmbeddedContent] | None = None
) -> QuestionsFile:
    """Return the file of these questions; ``form``: one of ``FORMATS``. ``files`` are embedded in Moodle XML.

    A question is in the file only if our import reads the same from it: what it asks, and what is right.
    """
    writer = MoodleWriter(files or {})
    written: list[QuestionWithTags] = []
    losses: list[Loss] = []
    for one in map(_cleaned, given):
        text = _write([one], form, MoodleWriter({address: EmbeddedContent("f", b"f") for address in writer.files}))
        again = _read(text, form, language)
        if again is None or describe_question(again.question) != describe_question(one.question):
            losses.append(Loss(one.question))
            continue
        written.append(one)
        if lost := _lost(one, again, is_embedded=form == "moodle_xml", files=writer.files):
            losses.append(Loss(one.question, lost))
    return QuestionsFile(_write(written, form, writer), len(written), losses)


def _lost(
    one: QuestionWithTags, again: QuestionWithTags, *, is_embedded: bool, files: Mapping[str, EmbeddedContent]
) -> tuple[str, ...]:
    before, after = describe_other_parts(one), describe_other_parts(again)
    names = name_parts()
    lost = [names[key] for key in before if before[key] != after[key]]
    shown = addresses_in(one.question)
    if shown and not (is_embedded and shown <= files.keys()):
        lost.append(names["files"])
    return tuple(lost)


def addresses_in(question: Question) -> set[str]:
    """Return the addresses of the course's files that a question shows."""
    texts = [question.prompt, question.explanation, str(question.options), str(question.answer), str(question.remarks)]
    return {address for text in texts for address in FILE.findall(text)}


def _write(given: Questions, form: str, writer: MoodleWriter) -> str:
    match form:
        case "gift":
            return "".join(filter(None, map(write_gift, given)))
        case "csv":
            return write_rows([cells_of(one) for one in given]) if given else ""
        case "moodle_xml":
            return BEGIN + "".join(map(writer.write, given)) + END
    raise ValueError(form)


def _read(text: str, form: str, language: str) -> QuestionWithTags | None:
    """Return the question of a file with one, as our import would make it; None if it would refuse it."""
    try:
        [entry] = read_questions(text, form).entries
        return _made(entry, language)
    except (UnreadableFile, QuestionInvalid, ValueError):
        return None


def _made(entry: Entry, language: str) -> QuestionWithTags | None:
    """
    :raises QuestionInvalid: the question breaks a rule of ours.
    """
    given = entry.question
    if given is None:
        return None
    columns = questions.build(given.kind, replace(given.answers, language=language), prompt=given.prompt)
    question = Question(
        kind=given.kind,
        prompt=given.prompt,
        options=columns.options,
        answer=columns.answer,
        remarks=columns.remarks,
        points=columns.points or given.points,
        explanation=given.explanation,
        all_or_nothing=given.all_or_nothing,
        is_withdrawn=given.is_withdrawn,
    )
    return QuestionWithTags(question, entry.tags)


def _cleaned(one: QuestionWithTags) -> QuestionWithTags:
    """Return a question with line feeds only: browsers send two characters for one."""
    kept = one.question
    question = Question(
        uid=kept.uid,
        kind=kept.kind,
        position=kept.position,
        prompt=_clean_strings(kept.prompt),
        options=_clean_strings(kept.options),
        answer=_clean_strings(kept.answer),
        remarks=_clean_strings(kept.remarks or {}),
        points=kept.points,
        explanation=_clean_strings(kept.explanation),
        all_or_nothing=kept.all_or_nothing,
        is_withdrawn=kept.is_withdrawn,
        rewatch_lesson_id=kept.rewatch_lesson_id,
    )
    return QuestionWithTags(question, one.tags)


def _clean_strings(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {key: _clean_strings(one) for key, one in value.items()}
    return [_clean_strings(one) for one in value] if isinstance(value, list) else value
