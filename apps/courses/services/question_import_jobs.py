"""Check and import by jobs the files of questions that are too long for a request. Nothing is lost with a worker."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import QuestionFileInvalid
from apps.courses.imports.reading import count_questions
from apps.courses.models import QuestionImport, Quiz
from apps.courses.services.question_imports import (
    QuestionFile,
    import_questions,
    read_report,
    receive_file,
    recognize_format,
    require_text,
)
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

MAX_CHARACTERS_IN_REQUEST = 250_000  # read in 0.2 s as Moodle exports questions, in 1.5 s at worst
MAX_STEP_TIME = timedelta(minutes=1)  # for one percent of a file, or one question of thirty long texts
READING_PERCENT = 80  # of an import; the rest is for its transaction, which tells nothing
State = QuestionImport.State


def start_check(*, quiz: Quiz, by: User, file: QuestionFile, now: datetime) -> QuestionImport:
    """As `check_questions`; a job does it if the file is long. Then the import is CHECKING, and has no report yet.

    :raises QuestionFileInvalid: the file as a whole can't be read; ``problem`` says why.
    """
    found, text = receive_file(quiz, by, file, now)
    if len(text) <= MAX_CHARACTERS_IN_REQUEST:
        read_report(found, text)
        found.save()
        return found
    found.format = found.format or recognize_format(text)
    found.state, found.question_count = State.CHECKING, count_questions(text, found.format)
    with transaction.atomic():
        found.save()
        jobs.enqueue("courses.check_questions", key=found.uid.hex, uid=found.uid.hex, language=get_language())
    return found


def continue_check(running: jobs.Running, *, uid: str, language: str) -> None:
    """Check a long file. Safe to run again after a kill: it writes all of its report or nothing."""
    rows = QuestionImport.objects.filter(uid=UUID(uid), state=State.CHECKING)
    found = rows.select_related("course", "quiz__lesson__course", "quiz__course").first()
    if found is None:
        return
    with translation.override(language):
        try:
            read_report(found, require_text(found), _Progress(running, found, most=99))
        except QuestionFileInvalid as refusal:
            rows.update(state=State.FAILED, problem=refusal.problem)
        else:
            rows.update(
                state=State.CHECKED,
                notes=found.notes,
                rows=found.rows,
                question_count=found.question_count,
                progress=100,
            )


def mark_check_failed(*, uid: str, language: str) -> None:
    """Tell its author that a file could not be checked."""
    with translation.override(language):
        problem = _("The file could not be checked. Try again later.")
    QuestionImport.objects.filter(uid=UUID(uid), state=State.CHECKING).update(state=State.FAILED, problem=problem)


def reopen_check(*, uid: str, **_payload: str) -> None:
    """Let a job that failed check the file again."""
    rows = QuestionImport.objects.filter(uid=UUID(uid), state=State.FAILED)
    rows.update(state=State.CHECKING, problem="", progress=0)


def start_import(*, checked: QuestionImport, by: User, repeats: bool = False, now: datetime) -> QuestionImport:
    """As `import_questions`; a job does it if the file is long. Then the import is IMPORTING.

    :raises QuestionFileInvalid: its file is no longer stored.
    """
    enforce(policies.edit_course(by, checked.course))
    if checked.state != State.CHECKED:
        return checked
    if len(require_text(checked)) <= MAX_CHARACTERS_IN_REQUEST:
        return import_questions(checked=checked, by=by, repeats=repeats, now=now)
    with transaction.atomic():
        rows = QuestionImport.objects.filter(pk=checked.pk, state=State.CHECKED)
        if rows.update(state=State.IMPORTING, progress=0, problem=""):  # of two requests, one
            uid, language = checked.uid.hex, get_language()
            jobs.enqueue("courses.import_questions", key=uid, uid=uid, by=by.pk, repeats=repeats, language=language)
    checked.refresh_from_db(fields=["state", "progress", "problem"])
    return checked


def continue_import(running: jobs.Running, *, uid: str, by: int, repeats: bool, language: str) -> None:
    """Import a long file. Safe to run again after a kill: its questions are written in one transaction."""
    found = QuestionImport.objects.select_related("course").filter(uid=UUID(uid), state=State.IMPORTING).first()
    user = User.objects.filter(pk=by).first()
    if found is None:
        return
    if user is None:
        raise jobs.GiveUp("who imports is no longer here")
    with translation.override(language):
        progress = _Progress(running, found, most=READING_PERCENT)
        import_questions(checked=found, by=user, repeats=repeats, now=timezone.now(), on_step=progress)


def mark_import_failed(error: Exception, *, uid: str, language: str, **_payload: object) -> None:
    """Let its author try again, and tell what is wrong."""
    with translation.override(language):
        problem = str(error.detail) if isinstance(error, AppError) else _("The import failed. Nothing was imported.")
    QuestionImport.objects.filter(uid=UUID(uid), state=State.IMPORTING).update(state=State.CHECKED, problem=problem)


def reopen_import(*, uid: str, **_payload: object) -> None:
    """Let a job that failed import the file again."""
    rows = QuestionImport.objects.filter(uid=UUID(uid), state=State.CHECKED)
    rows.update(state=State.IMPORTING, problem="", progress=0)


class _Progress:
    """Tells the page how far a job is, at each percent, and keeps the job's lease. Called after each entry."""

    def __init__(self, running: jobs.Running, found: QuestionImport, *, most: int) -> None:
        self.running, self.most = running, most
        self.rows = QuestionImport.objects.filter(pk=found.pk, state=found.state)
        self.total, self.done, self.percent = max(found.question_count, 1), 0, 0

    def __call__(self) -> None:
        self.done += 1
        percent = min(self.most * self.done // self.total, self.most)
        if percent != self.percent or self.done > self.total:
            self.percent = percent
            self.rows.update(progress=percent)
            self.running.extend_lease_by(MAX_STEP_TIME)
