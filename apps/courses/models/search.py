"""What full-text search reads."""

from django.db import models

from apps.courses.models.course import Course


class SearchDocument(models.Model):
    """The text of a course that full-text search reads. Only ``services.search`` writes it.

    All text is folded (lower case, no accents), so that both databases find "resume" in "résumé". The migration adds
    what the ORM doesn't describe: on SQLite a full-text table, updated by triggers on this table (a migration that
    rebuilds this table must create them again), on PostgreSQL a generated column.
    """

    course = models.OneToOneField(Course, models.CASCADE, primary_key=True, related_name="search_document")
    title = models.TextField()
    terms = models.TextField(help_text="Subject, instructor and outcomes.")
    lessons = models.TextField(help_text="The titles of sections and lessons.")
    body = models.TextField(help_text="Summary and description.")

    def __str__(self) -> str:
        return self.title
