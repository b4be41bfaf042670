"""What instructors write about and for their list of learners (docs/adr/0070)."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from apps.courses.models import Course
from studyplatform.kit.names import NameField

MAX_FILTER_NAME_LENGTH = 60  # code points
MAX_FILTER_QUERY_LENGTH = 1_000  # characters of an address
MAX_SAVED_FILTERS = 20  # of one person
MAX_STAFF_NOTE_LENGTH = 2_000  # code points


class SavedFilter(models.Model):
    """A filter of the list of learners, under a name of its user's own."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="learner_filters")
    name = NameField(max_length=MAX_FILTER_NAME_LENGTH)
    query = models.CharField(
        max_length=MAX_FILTER_QUERY_LENGTH, help_text="As in the address of the list: `LearnerFilter.query`."
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint("user", Lower("name"), name="one_saved_filter_per_name")]

    def __str__(self) -> str:
        return self.name


class StaffNote(models.Model):
    """What those who teach a course write each other about a learner. The learner reads it in a copy of their data."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.UUIDField(
        default=uuid.uuid4, unique=True, help_text="Made by the form: the same form sent twice is one note."
    )
    learner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="staff_notes")
    course = models.ForeignKey(Course, models.CASCADE, related_name="staff_notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    text = models.TextField(max_length=MAX_STAFF_NOTE_LENGTH)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["learner", "course", "-created_at"], name="staff_notes_newest")]

    def __str__(self) -> str:
        return f"#{self.pk} about {self.learner_id} in {self.course_id}"
