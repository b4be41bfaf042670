"""Links with which experts outside review a course without an account."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.courses.models.course import Course
from studyplatform.kit.names import NameField


class ReviewLink(models.Model):
    """Opens one version of a course to an expert until it expires or is revoked.

    Its address has a random token of which only a hash is stored, so it is shown once. What it opens is
    ``shown_course``: the course itself or its working copy, which is gone once the next version is published.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="review_links")
    shown_course = models.ForeignKey(Course, models.SET_NULL, null=True, related_name="+")
    shown_digest = models.CharField(max_length=64, help_text="Of what the course said when it was made.")
    version_name = NameField(max_length=80, help_text="What it opens, in words.")
    token_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal digits.")
    recipient = NameField(max_length=80, help_text="For whom it was made.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")), name="review_link_expires_after_it_was_made"
            ),
        ]
        indexes = [models.Index(fields=["course", "-created_at"], name="review_links_of_course")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.recipient}"


class ReviewGuest(models.Model):
    """A browser in which a name was entered at a link. Without one, a link shows nothing of the course."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    link = models.ForeignKey(ReviewLink, models.CASCADE, related_name="guests")
    name = NameField(max_length=80)
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
