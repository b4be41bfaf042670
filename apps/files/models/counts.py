"""Counts that triggers keep, and the storage that an admin allows one user."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class StorageCount(models.Model):
    """A change of what one user stores under a key: the sums of its rows are the present files and bytes.

    Only triggers write it (apps/files/counts.py), and they fold many rows of a key into one. Rows, not
    one row that everyone updates: no transaction ever waits for another one to count.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_constraint=False)
    key = models.CharField(max_length=32, help_text="What is counted, see apps/files/counts.py.")
    files = models.BigIntegerField()
    bytes = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["owner", "key"], name="storage_count")]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.key} {self.files:+} {self.bytes:+}"


class StorageAccount(models.Model):
    """What one user's storage has of its own: an allowance that an admin set, and the warnings that were sent."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    allowance = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Bytes. Empty: that of the user's role."
    )
    warned = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="The percentage of the last warning; 0 after the use fell below all."
    )
    warnings = models.PositiveIntegerField(default=0, editable=False, help_text="How many warnings were sent.")

    class Meta:
        verbose_name = _("storage allowance")
        verbose_name_plural = _("storage allowances")

    def __str__(self) -> str:
        return str(self.user)
