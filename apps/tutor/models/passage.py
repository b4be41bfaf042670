"""What the tutor searches."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course, Lesson, Question


class Passage(models.Model):
    """A few sentences of a lesson, as they are searched, quoted and cited. Only ``services.indexing`` writes it.

    Rows are never changed: what was edited gets new rows.
    """

    class Kind(models.TextChoices):
        SUMMARY = "summary", _("Summary")
        TEXT = "text", _("Text")
        CAPTIONS = "captions", _("Captions")
        EXPLANATION = "explanation", _("Explanation of a quiz question")
        DOCUMENT = "document", _("Attached file")
        ANSWER = "answer", _("Helpful answer in the forum")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="passages")
    lesson = models.ForeignKey(Lesson, models.CASCADE, related_name="passages")
    question = models.ForeignKey(
        Question, models.CASCADE, null=True, related_name="+", help_text="Whose explanation this is."
    )
    answer = models.BigIntegerField(null=True, help_text="Of a forum answer: its key, see kit.extensions.answers.")
    kind = models.CharField(max_length=11, choices=Kind.choices)
    position = models.PositiveIntegerField(help_text="Counts within the lesson.")
    heading = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    second = models.FloatField(null=True, help_text="Of the video, where the passage is spoken.")
    words = models.TextField(help_text="Stems of the text, its heading and the lesson's title: what is searched.")
    vector = models.BinaryField(null=True, help_text="Meaning, as 16-bit floats; empty until it is computed.")
    encoder = models.CharField(max_length=80, blank=True, help_text="Which model computed the vector.")

    embedding = models.BinaryField(null=True, help_text="From TUTOR_EMBEDDINGS_URL, as 16-bit floats, of length 1.")
    embedded_by = models.CharField(max_length=120, blank=True, help_text="The model of the embedding and its size.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["lesson", "position"], name="one_passage_per_position")]
        indexes = [models.Index(fields=["course"], name="passages_of_course")]

    def __str__(self) -> str:
        return self.text[:60]


class IndexedCourse(models.Model):
    """A course whose passages are up to date with its lessons as of ``fingerprint``."""

    course = models.OneToOneField(Course, models.CASCADE, primary_key=True, related_name="+")
    fingerprint = models.CharField(max_length=64)
    indexed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Passages of {self.course_id}"
