"""Notes and moments of learners."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course, Lesson
from studyplatform.kit.names import NameField


class NoteQuerySet(models.QuerySet["Note"]):
    def kept(self) -> Self:
        """Those that are not deleted."""
        return self.filter(is_deleted=False)

    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Note(models.Model):
    """A learner's note about a second of a video or about a whole lesson, or a moment: a second with a label.

    ``content`` is the truth (see ``notes.merging``); ``text`` and ``is_deleted`` follow from it. The row of a deleted
    note stays without its text, as another device may still hold an older copy.
    """

    class Kind(models.TextChoices):
        NOTE = "note"
        MOMENT = "moment"

    uid = models.UUIDField(help_text="Chosen by the learner's browser.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notes")
    course = models.ForeignKey(Course, models.CASCADE, related_name="notes")
    lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="notes")
    lesson_title = NameField(max_length=200, help_text="For a note whose lesson was deleted.")
    kind = models.CharField(max_length=8, choices=Kind)
    second = models.PositiveIntegerField(null=True, help_text="Of the lesson's video; null: the whole lesson.")
    content = models.JSONField(default=dict, help_text='{"edits": […], "replaced": […]}')
    text = models.TextField(blank=True)
    is_deleted = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(default=0, help_text="Raised by each save: no save is lost to another.")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = NoteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "uid"], name="one_note_per_uid"),
            models.CheckConstraint(condition=Q(kind="note") | Q(second__isnull=False), name="moment_has_a_second"),
        ]
        indexes = [
            models.Index("user", "lesson", "second", name="note_of_lesson", condition=Q(is_deleted=False)),
            models.Index("user", "course", name="note_of_course"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.user_id} at {self.second}"

    @property
    def shown_lesson(self) -> Lesson | None:
        """The lesson to lead to; None if its author deleted it."""
        return self.lesson if self.lesson is not None and not self.lesson.is_removed else None


class NotebookDocument(models.Model):
    """A PDF of all notes of a learner in a course, made in the background and deleted after a day.

    ``fingerprint`` tells whether the notes have changed since.
    """

    class State(models.TextChoices):
        PREPARING = "preparing", _("Being prepared")
        READY = "ready", _("Ready")
        FAILED = "failed", _("Failed")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notebook_documents")
    course = models.ForeignKey(Course, models.CASCADE, related_name="notebook_documents")
    fingerprint = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=State.choices, default=State.PREPARING)
    progress = models.PositiveSmallIntegerField(default=0, help_text="Percent.")
    file = models.FileField(upload_to="notebooks/", blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "course"], name="one_document_per_notebook"),
            models.CheckConstraint(condition=Q(progress__lte=100), name="document_progress_in_percent"),
        ]
        indexes = [models.Index(fields=["expires_at"], condition=Q(state="ready"), name="document_expiry")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.course_id}: {self.state}"
