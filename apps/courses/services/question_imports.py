"""Import files of questions into a quiz or a question bank: check first, import in one transaction, undo.

`question_import_jobs` does so with what is too long for a request.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import QuestionFileInvalid
from apps.courses.imports.entries import ParsedFile, UnreadableFile
from apps.courses.imports.fingerprints import digest_question
from apps.courses.imports.reading import clean_text, read_questions, recognize
from apps.courses.models import Question, QuestionImport, Quiz
from apps.courses.services.bank import add_tags, open_bank
from apps.courses.services.locking import lock_course_row
from apps.courses.services.question_checks import Columns, QuestionChecker
from apps.courses.services.question_import_files import store_files, with_files
from apps.courses.services.quiz_counts import finish_change
from apps.courses.services.quizzes import delete_questions
from apps.files.services import decode_text
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.sizes import as_size

MAX_QUESTION_FILE_BYTES = 20 * 2**20
CHECK_RETENTION = timedelta(days=1)  # of what was checked and not imported
UNDO_PERIOD = timedelta(days=30)
State = QuestionImport.State
_IMPORTABLE = {State.CHECKED, State.IMPORTING}
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
    found, text = receive_file(quiz, by, file, now)
    read_report(found, text)
    found.save()
    return found


def import_questions(
    *,
    checked: QuestionImport,
    by: User,
    repeats: bool = False,
    now: datetime,
    on_step: Callable[[], None] = lambda: None,
) -> QuestionImport:
    """Write the questions of a checked file: all that can be, in one transaction. Doing it twice does nothing more.

    ``repeats``: those that are already there are imported once more. ``on_step`` is called after each entry that is
    read, and each picture that is stored.

    :raises QuestionFileInvalid: its file is no longer stored.
    """
    enforce(policies.edit_course(by, checked.course))
    if checked.state not in _IMPORTABLE:
        return checked
    parsed = _parse(require_text(checked), checked.format, on_step)
    quiz = Quiz.objects.select_related("lesson__course", "course").get(pk=checked.quiz_id)
    present = QuestionChecker(quiz).rows(parsed, repeats=repeats)
    addresses, failed = store_files(parsed, present, by, checked.course, now, on_step)
    parsed = replace(parsed, entries=[with_files(entry, addresses, failed) for entry in parsed.entries])
    with transaction.atomic():
        locked = QuestionImport.objects.select_for_update().get(pk=checked.pk)
        if locked.state not in _IMPORTABLE:
            return locked
        course = lock_course_row(checked.course_id)
        enforce(policies.edit_course(by, course))
        rows, made = [], []
        for row, columns in QuestionChecker(quiz).rows(parsed, repeats=repeats):
            if columns is not None:
                row["state"] = "imported"
                made.append((columns, row["tags"] if locked.uses_categories else []))
            rows.append(row)
        created = _create(quiz, made, locked.tags)
        locked.rows = rows
        locked.created = {str(one.uid): digest_question(one) for one in created}
        locked.state, locked.imported_at, locked.source, locked.problem = State.IMPORTED, now, b"", ""
        locked.save(update_fields=["rows", "created", "state", "imported_at", "source", "problem"])
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
        if locked.state != State.IMPORTED or locked.imported_at is None:
            raise QuestionFileInvalid(problem=_("There is nothing to undo: this import isn't in force."))
        if locked.imported_at < now - UNDO_PERIOD:
            raise QuestionFileInvalid(problem=_("This import is too old to be undone. Delete its questions instead."))
        made = Question.objects.filter(quiz=locked.quiz, uid__in=list(locked.created))
        found = list(made.prefetch_related("tags", "draws"))
        same = [one for one in found if digest_question(one) == locked.created[str(one.uid)] and not one.draws.all()]
        delete_questions(quiz=locked.quiz, chosen=same, by=by, now=now)
        locked.state, locked.undone_at = State.UNDONE, now
        locked.save(update_fields=["state", "undone_at"])
    return len(same), len(found) - len(same)


def clean_question_imports(*, now: datetime) -> None:
    """Delete what was checked and not imported, and reports that can't be undone anymore."""
    checked = QuestionImport.objects.filter(imported_at=None, created_at__lt=now - CHECK_RETENTION)
    checked.exclude(state=State.IMPORTING).delete()
    QuestionImport.objects.filter(imported_at__lt=now - UNDO_PERIOD).delete()


def receive_file(quiz: Quiz, by: User, file: QuestionFile, now: datetime) -> tuple[QuestionImport, str]:
    """Return the import of a file, which is not saved and has no report yet, with the text of the file."""
    course = quiz.of_course
    enforce(policies.edit_course(by, course))
    if len(file.raw) > MAX_QUESTION_FILE_BYTES:
        problem = _("The file is larger than %s. Split it.") % as_size(MAX_QUESTION_FILE_BYTES)
        raise QuestionFileInvalid(problem=problem)
    language = course.language if course.language[:2] != "en" else _WESTERN
    decoded = decode_text(file.raw, language=language, encoding=file.encoding)
    notes = []
    if decoded.is_guess or not decoded.encoding.startswith("utf"):
        notes.append(_("The file was read as %s. If letters look wrong, save it as UTF-8.") % decoded.encoding)
    received = QuestionImport(
        course=course,
        quiz=quiz,
        by=by,
        created_at=now,
        file_name=file.name[:255],
        format=file.form,
        source=zlib.compress(decoded.text.encode(errors="replace"), 1),
        tags=[tag for tag in file.tags if tag.strip()],
        uses_categories=file.uses_categories,
        notes=notes,
    )
    return received, decoded.text


def read_report(found: QuestionImport, text: str, on_entry: Callable[[], None] = lambda: None) -> None:
    """Add its report to an import.

    :raises QuestionFileInvalid: the file as a whole can't be read.
    """
    parsed = _parse(text, found.format, on_entry)
    found.format = parsed.format
    found.notes = [*found.notes, *parsed.notes]
    if any(entry.name for entry in parsed.entries):
        found.notes.append(_("Questions here have no names. Those of the file are in this report only."))
    found.rows = [row for row, _columns in QuestionChecker(found.quiz).rows(parsed, repeats=False)]
    found.question_count = len(found.rows)


def stored_text(found: QuestionImport) -> str:
    """Return the text of a file that isn't imported yet; empty if it is no longer stored."""
    return zlib.decompress(bytes(found.source)).decode() if found.source else ""


def require_text(found: QuestionImport) -> str:
    """
    :raises QuestionFileInvalid: it is no longer stored.
    """
    if not found.source:
        raise QuestionFileInvalid(problem=_("The file is no longer stored. Upload it again."))
    return stored_text(found)


def recognize_format(text: str) -> str:
    """Return the format of a file.

    :raises QuestionFileInvalid: it is none of ours.
    """
    try:
        return recognize(clean_text(text))
    except UnreadableFile as problem:
        raise QuestionFileInvalid(problem=str(problem)) from None


def _parse(text: str, form: str, on_entry: Callable[[], None]) -> ParsedFile:
    try:
        return read_questions(text, form, on_entry=on_entry)
    except UnreadableFile as problem:
        raise QuestionFileInvalid(problem=str(problem)) from None


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
