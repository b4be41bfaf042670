"""The PDF of a long notebook, made by a job: typesetting hundreds of pages takes seconds."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone, translation

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning import policies
from apps.learning.errors import NotesTooLong
from apps.learning.models import Enrollment, Note, NotebookDocument
from apps.learning.notes import pdf
from apps.learning.queries.notes import group_by_lesson, notes_of_course
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

DOCUMENT_LIFETIME = timedelta(days=1)
MAX_TYPESETTING_TIME = timedelta(minutes=5)
READING_PERCENT = 80  # typesetting reports no progress, so it gets the rest
State = NotebookDocument.State


def request_document(
    *, user: User, course: Course, notes: list[Note], language: str, now: datetime
) -> NotebookDocument:
    """Return the document of these notes, which a job is making or has made. A failed one is deleted.

    :raises NotEnrolled: the user isn't enrolled.
    :raises NotesTooLong: there is too much for one document.
    :raises RateLimitExceeded: the user asked for too many documents.
    """
    is_enrolled = Enrollment.objects.active().of(user.pk).filter(course=course).exists()
    enforce(policies.take_notes(user, course, is_enrolled=is_enrolled))
    if pdf.estimate_cost(notes) > pdf.MAX_JOB_MICROSECONDS:
        raise NotesTooLong(slug=course.slug)
    fingerprint = _fingerprint_of(course, notes, language)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # of two requests, the second finds the first one
        found = NotebookDocument.objects.filter(user=user, course=course).first()
        if found is not None and found.fingerprint == fingerprint and found.state != State.FAILED:
            return found
        is_failed = found is not None and found.fingerprint == fingerprint
        if found is not None:
            _remove([found])
        if found is not None and is_failed:
            return found
        consume("notes-pdf", str(user.pk), now=now)
        document = NotebookDocument.objects.create(user=user, course=course, fingerprint=fingerprint, created_at=now)
        jobs.enqueue("learning.build_document", key=document.uid.hex, uid=document.uid.hex, language=language)
    return document


def build_document(running: jobs.Running, *, uid: str, language: str) -> None:
    """Make the PDF. Safe to run again after a kill: an unfinished file is deleted."""
    rows = NotebookDocument.objects.filter(uid=UUID(uid), state=State.PREPARING)
    document = rows.select_related("user", "course").first()
    if document is None:
        return
    notes = list(notes_of_course(document.user, document.course))
    done = 0

    def on_note() -> None:
        nonlocal done
        done += 1
        if done % 50 == 0:
            rows.update(progress=READING_PERCENT * done // len(notes))
            running.extend_lease()
        if done == len(notes):
            running.extend_lease_by(MAX_TYPESETTING_TIME)

    with translation.override(language):
        writer = document.user.display_name
        content = pdf.draw(document.course, group_by_lesson(notes), writer=writer, on_note=on_note)
    name = f"notebooks/{document.user.uid.hex}/{document.uid.hex}.pdf"
    default_storage.delete(name)  # a killed worker may have left it; no row refers to it
    name = default_storage.save(name, ContentFile(content))
    with transaction.atomic():
        expires_at = timezone.now() + DOCUMENT_LIFETIME
        is_wanted = rows.update(file=name, progress=100, state=State.READY, expires_at=expires_at)
        if is_wanted:
            jobs.enqueue("learning.expire_documents", key=uid, delay=DOCUMENT_LIFETIME)
    if not is_wanted and not NotebookDocument.objects.filter(file=name).exists():
        default_storage.delete(name)


def mark_document_failed(*, uid: str, **_payload: str) -> None:
    """Mark it as failed, so that the learner sees it and can try again."""
    NotebookDocument.objects.filter(uid=UUID(uid), state=State.PREPARING).update(state=State.FAILED)


def delete_expired_documents(*, now: datetime) -> None:
    """Delete documents after a day."""
    _remove(NotebookDocument.objects.filter(expires_at__lte=now))


def delete_documents(*, user_id: int) -> None:
    """Delete all documents of a user."""
    _remove(NotebookDocument.objects.filter(user_id=user_id))


def _remove(documents: Iterable[NotebookDocument]) -> None:
    for document in documents:
        if document.file:
            name = str(document.file.name)
            transaction.on_commit(lambda name=name: default_storage.delete(name))  # type: ignore[misc]
        NotebookDocument.objects.filter(pk=document.pk).delete()


def _fingerprint_of(course: Course, notes: list[Note], language: str) -> str:
    found = sha256(f"{language} {course.title}".encode())
    for note in notes:
        found.update(f"\n{note.uid} {note.second} {note.lesson_id} {note.lesson_title} {note.text}".encode())
    return found.hexdigest()
