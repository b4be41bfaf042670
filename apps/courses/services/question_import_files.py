"""Store the pictures and files within a file of questions with the course."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from django.core.files.base import ContentFile
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.errors import QuestionFileInvalid
from apps.courses.imports.entries import EmbeddedFile, Entry, ParsedFile
from apps.courses.models import Course
from apps.courses.services.course_files import upload_course_file
from apps.courses.services.question_checks import Columns, Row
from apps.files.errors import FileEmpty, FileInfected, FileMisnamed, FileTooLarge, FileUnsuitable
from studyplatform.kit.text import content

MAX_PICTURES = 300  # of a file


def store_files(
    parsed: ParsedFile,
    rows: Iterator[tuple[Row, Columns | None]],
    by: User,
    course: Course,
    now: datetime,
    on_file: Callable[[], None],
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
        on_file()
    return addresses, failed


def with_files(entry: Entry, addresses: Mapping[str, str], failed: Mapping[str, str]) -> Entry:
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
