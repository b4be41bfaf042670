"""Files of questions that are checked or imported, so that their reports can be read and imports be undone."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from apps.courses.models.quiz import Quiz


class QuestionImport(models.Model):
    """One file of questions for a quiz or a question bank: checked first, then imported at once, then perhaps undone.

    A job checks and imports a long file, and tells its ``progress``. What can't be checked is "failed", with a
    ``problem``; an import that fails is "checked" again.

    ``rows`` is its report, one for each entry of the file: {"number", "line", "name", "excerpt", "source", "kind",
    "state", "notes", "problem", "tags"}; ``state`` is "ready", "known", "intro" or "refused", later "imported".
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("Being checked")
        FAILED = "failed", _("Can't be imported")
        CHECKED = "checked", _("Checked")
        IMPORTING = "importing", _("Being imported")
        IMPORTED = "imported", _("Imported")
        UNDONE = "undone", _("Undone")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="question_imports")
    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="question_imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=9, choices=State.choices, default=State.CHECKED)
    created_at = models.DateTimeField()
    imported_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    file_name = models.CharField(max_length=255, blank=True)
    format = models.CharField(max_length=12)
    source = models.BinaryField(default=bytes, help_text="Its text in UTF-8, compressed, until it is imported.")
    question_count = models.PositiveSmallIntegerField(default=0, help_text="About how many, before it is checked.")
    progress = models.PositiveSmallIntegerField(default=0, help_text="Of the job that checks or imports, in percent.")
    problem = models.TextField(blank=True, help_text="Why the file can't be checked, or its last import failed.")
    tags = models.JSONField(default=list, help_text="For all its questions, beside those of the file.")
    uses_categories = models.BooleanField(default=True, help_text="Categories of the file become tags.")
    notes = models.JSONField(default=list, help_text="About the file as a whole.")
    rows: "models.JSONField[list[dict[str, Any]], list[dict[str, Any]]]" = models.JSONField(default=list)
    created = models.JSONField(default=dict, help_text="By uid of a question: its contents as they were imported.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["checking", "failed", "checked", "importing"], imported_at=None)
                | Q(state="imported", imported_at__isnull=False, undone_at=None)
                | Q(state="undone", imported_at__isnull=False, undone_at__isnull=False),
                name="question_import_state",
            ),
            models.CheckConstraint(condition=Q(progress__lte=100), name="question_import_progress_in_percent"),
        ]
        indexes = [models.Index(fields=["course", "created_at"], name="question_imports_by_time")]

    def __str__(self) -> str:
        return f"{self.file_name or self.format} ({self.state})"
