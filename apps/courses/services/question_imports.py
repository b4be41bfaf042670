"""Import files of questions into a quiz or a question bank: check first, import in one transaction, undo."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import QuestionFileInvalid
from apps.courses.imports.entries import EmbeddedFile, Entry, ParsedFile, UnreadableFile
from apps.courses.imports.fingerprints import state_of
from apps.courses.imports.reading import read_questions
from apps.courses.models import Course, Question, QuestionImport, Quiz
from apps.courses.services.bank import add_tags, open_bank
from apps.courses.services.course_files import upload_course_file
from apps.courses.services.question_checks import Columns, QuestionChecker, Row
from apps.courses.services.quiz_counts import finish_change
from apps.courses.services.quizzes import delete_questions
from apps.files.errors import FileEmpty, FileInfected, FileMisnamed, FileTooLarge, FileUnsuitable
from apps.files.services import decode_text
from studyplatform.kit.policies import enforce
from studyplatform.kit.text import content
from studyplatform.kit.text.sizes import as_size

MAX_QUESTION_FILE_BYTES = 20 * 2**20
MAX_PICTURES = 300  # of a file
CHECK_RETENTION = timedelta(days=1)  # of what was checked and not imported
UNDO_PERIOD = timedelta(days=30)
_WESTERN = "fr"
"""Stands for the Western European encodings: in an English course, letters beyond ASCII are most often of them."""


@dataclass(frozen=True, kw_only=True)
class QuestionFile:
    """A file as somebody sent it. ``form``: one of ``FORMATS``; "" for recognizing it. ``tags``: for all questions."""

    raw: bytes
    name: str = ""
    form: str = ""
    encoding: str = ""
    tags: Sequence[str] = ()
    uses_categories: bool = True


def check_questions(*, quiz: Quiz, by: User, file: QuestionFile, now: datetime) -> QuestionImport:
    """Read a file of questions for a quiz or a bank, and store its report. No question is written.

    :raises QuestionFileInvalid: the file as a whole can't be read; ``problem`` says why.
    """
    course = quiz.of_course
    enforce(policies.edit_course(by, course))
    if len(file.raw) > MAX_QUESTION_FILE_BYTES:
        problem = _("The file is larger than %s. Split it.") % as_size(MAX_QUESTION_FILE_BYTES)
        raise QuestionFileInvalid(problem=problem)
    language = course.language if course.language[:2] != "en" else _WESTERN
    decoded = decode_text(file.raw, language=language, encoding=file.encoding)
    parsed = _parse(decoded.text, file.form)
    notes = list(parsed.notes)
    if decoded.is_guess or not decoded.encoding.startswith("utf"):
        notes.insert(0, _("The file was read as %s. If letters look wrong, save it as UTF-8.") % decoded.encoding)
    if any(entry.name for entry in parsed.entries):
        notes.append(_("Questions here have no names. Those of the file are in this report only."))
    rows = [row for row, _columns in QuestionChecker(quiz).rows(parsed, repeats=False)]
    return QuestionImport.objects.create(
        course=course,
        quiz=quiz,
        by=by,
        created_at=now,
        file_name=file.name[:255],
        format=parsed.format,
        source=zlib.compress(decoded.text.encode(errors="replace"), 1),
        tags=[tag for tag in file.tags if tag.strip()],
        uses_categories=file.uses_categories,
        notes=notes,
        rows=rows,
    )


def import_questions(*, checked: QuestionImport, by: User, repeats: bool = False, now: datetime) -> QuestionImport:
    """Write the questions of a checked file: all that can be, in one transaction. Doing it twice does nothing more.

    ``repeats``: those that are already there are imported once more.

    :raises QuestionFileInvalid: its file is no longer stored.
    """
    enforce(policies.edit_course(by, checked.course))
    if checked.state != QuestionImport.State.CHECKED:
        return checked
    if not checked.source:
        raise QuestionFileInvalid(problem=_("The file is no longer stored. Upload it again."))
    parsed = _parse(zlib.decompress(bytes(checked.source)).decode(), checked.format)
    quiz = Quiz.objects.select_related("lesson__course", "course").get(pk=checked.quiz_id)
    addresses, failed = _store_files(
        parsed, QuestionChecker(quiz).rows(parsed, repeats=repeats), by, checked.course, now
    )
    parsed = replace(parsed, entries=[_with_files(entry, addresses, failed) for entry in parsed.entries])
    with transaction.atomic():
        locked = QuestionImport.objects.select_for_update().get(pk=checked.pk)
        if locked.state != QuestionImport.State.CHECKED:
            return locked
        course = Course.objects.select_for_update().get(pk=checked.course_id)
        enforce(policies.edit_course(by, course))
        rows, made = [], []
        for row, columns in QuestionChecker(quiz).rows(parsed, repeats=repeats):
            if columns is not None:
                row["state"] = "imported"
                made.append((columns, row["tags"] if locked.uses_categories else []))
            rows.append(row)
        created = _create(quiz, made, locked.tags)
        locked.rows = rows
        locked.created = {str(one.uid): state_of(one) for one in created}
        locked.state, locked.imported_at, locked.source = QuestionImport.State.IMPORTED, now, b""
        locked.save(update_fields=["rows", "created", "state", "imported_at", "source"])
        if created:
            finish_change(quiz, course, by, now)
    return locked


def undo_import(*, done: QuestionImport, by: User, now: datetime) -> tuple[int, int]:
    """Delete the questions that an import made, and that nobody has changed or linked to a quiz.

    Return how many were deleted, and how many stay.

    :raises QuestionFileInvalid: it was longer ago than `UNDO_PERIOD`, or is undone already.
    """
    with transaction.atomic():
        locked = QuestionImport.objects.select_for_update().get(pk=done.pk)
        enforce(policies.edit_course(by, locked.course))
        if locked.state != QuestionImport.State.IMPORTED or locked.imported_at is None:
            raise QuestionFileInvalid(problem=_("There is nothing to undo: this import isn't in force."))
        if locked.imported_at < now - UNDO_PERIOD:
            raise QuestionFileInvalid(problem=_("This import is too old to be undone. Delete its questions instead."))
        made = Question.objects.filter(quiz=locked.quiz, uid__in=list(locked.created))
        found = list(made.prefetch_related("tags", "draws"))
        same = [one for one in found if state_of(one) == locked.created[str(one.uid)] and not one.draws.all()]
        delete_questions(quiz=locked.quiz, chosen=same, by=by, now=now)
        locked.state, locked.undone_at = QuestionImport.State.UNDONE, now
        locked.save(update_fields=["state", "undone_at"])
    return len(same), len(found) - len(same)


def clean_question_imports(*, now: datetime) -> None:
    """Delete what was checked and not imported, and reports that can't be undone anymore."""
    checked = QuestionImport.objects.filter(state=QuestionImport.State.CHECKED, created_at__lt=now - CHECK_RETENTION)
    checked.delete()
    QuestionImport.objects.filter(imported_at__lt=now - UNDO_PERIOD).delete()


def _parse(text: str, form: str) -> ParsedFile:
    try:
        return read_questions(text, form)
    except UnreadableFile as problem:
        raise QuestionFileInvalid(problem=str(problem)) from None


def _store_files(
    parsed: ParsedFile,
    rows: Iterator[tuple[Row, Columns | None]],
    by: User,
    course: Course,
    now: datetime,
) -> tuple[dict[str, str], dict[str, str]]:
    """Store the files of what will be imported; return their new addresses, and those that can't be used with a reason.

    What is stored and then not used, because the import fails, is cleaned up as any unused file of a course.
    """
    wanted: dict[str, EmbeddedFile] = {}
    for entry, (_row, columns) in zip(parsed.entries, rows, strict=True):
        if columns is not None:
            wanted |= entry.files
    if len(wanted) > MAX_PICTURES:
        raise QuestionFileInvalid(problem=_("The file has more than %d pictures. Split it.") % MAX_PICTURES)
    addresses: dict[str, str] = {}
    failed: dict[str, str] = {}
    for address, file in wanted.items():
        try:
            stored = upload_course_file(
                course=course, by=by, file=ContentFile(file.raw, file.name), name=file.name, now=now
            )
        except (FileEmpty, FileInfected, FileMisnamed, FileTooLarge, FileUnsuitable) as refusal:
            failed[address] = _("The file “%(name)s” can't be used: %(reason)s") % {
                "name": file.name[:80],
                "reason": refusal.detail,
            }
        else:
            addresses[address] = f"{content.COURSE_FILES}{stored.uid}"
    return addresses, failed


def _with_files(entry: Entry, addresses: Mapping[str, str], failed: Mapping[str, str]) -> Entry:
    """Return the entry with the addresses of its stored files; where one could not be stored, its text says so."""
    if entry.question is None or not entry.files:
        return entry

    def put(text: str) -> str:
        for placeholder in entry.files:
            text = text.replace(placeholder, addresses.get(placeholder, placeholder))
        return text

    question, answers = entry.question, entry.question.answers
    answers = replace(
        answers,
        choices=[
            replace(one, text=put(one.text), partner=put(one.partner), remark=put(one.remark))
            for one in answers.choices
        ],
        remarks={wrong: put(remark) for wrong, remark in answers.remarks.items()},
        gaps=[replace(gap, lines=[put(line) for line in gap.lines]) for gap in answers.gaps],
    )
    question = replace(question, prompt=put(question.prompt), explanation=put(question.explanation), answers=answers)
    notes = [*entry.notes, *(reason for address, reason in failed.items() if address in entry.files)]
    return replace(entry, question=question, notes=tuple(notes))


def _create(quiz: Quiz, made: Sequence[tuple[Columns, Sequence[str]]], tags: Sequence[str]) -> list[Question]:
    last = quiz.questions.aggregate(last=Max("position"))["last"] or 0
    created = Question.objects.bulk_create(
        [Question(quiz=quiz, position=place, **columns) for place, (columns, _tags) in enumerate(made, start=last + 1)]
    )
    names = [[*tags, *own] for _columns, own in made]
    if any(names):
        bank = quiz if quiz.course_id else open_bank(course=quiz.of_course)
        add_tags(bank, dict(zip((one.pk for one in created), names, strict=True)))
    return list(Question.objects.filter(pk__in=[one.pk for one in created]).prefetch_related("tags"))
