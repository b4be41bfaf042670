"""Rows that are removed before they are deleted, so that it can be undone."""

from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import QuerySet

M = TypeVar("M", bound=models.Model)


class LiveManager(models.Manager[M]):
    """The rows that were not removed. What other rows refer to by a foreign key is found all the same."""

    def get_queryset(self) -> QuerySet[M]:
        return super().get_queryset().filter(removed_at=None)


class Removable(models.Model):
    """A row that can be removed and brought back; a job of the night deletes it after some time.

    ``objects`` and what belongs to another row (``course.lessons``) are the live rows, ``with_removed`` all of them.
    Joins know nothing of this: who filters by a column of a removable row asks for its ``removed_at`` too.
    """

    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        abstract = True

    @property
    def is_removed(self) -> bool:
        return self.removed_at is not None


class Versioned(models.Model):
    """A row that stands for one of the published course while its next version is edited (content_tree)."""

    origin = models.UUIDField(
        null=True,
        editable=False,
        db_index=True,
        help_text="In a working copy: the uid of the row of the published course that this one stands for.",
    )
    uid: "models.UUIDField[UUID, UUID]"

    class Meta:
        abstract = True

    @property
    def tree_uid(self) -> UUID:
        """The uid by which content trees name it: the same in the published course and in its working copy."""
        return self.origin or self.uid
