"""Shares: a file or a folder of a library that its owner opens to others, and who opened it."""

import uuid
from typing import Self, cast

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.files.models.library import File, Folder


class ShareQuerySet(models.QuerySet["Share"]):
    def of(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)


class Share(models.Model):
    """Opens one file, or one folder with all it contains, to the people of a course or to anyone with a link.

    The address of a link is derived from ``uid`` and the site's secret key, so the database holds no key to it.
    """

    class Kind(models.TextChoices):
        COURSE = "course", _("Course")
        LINK = "link", _("Link")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="shares")
    file = models.ForeignKey(File, models.CASCADE, null=True, related_name="shares")
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, related_name="shares")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    course = models.UUIDField(null=True, help_text="The uid of the course; its app is to the right of this one.")
    password = models.CharField(max_length=128, blank=True, help_text="A hash; empty: the link needs no password.")
    expires_at = models.DateTimeField(null=True)
    max_downloads = models.PositiveIntegerField(null=True)
    downloads = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    objects = ShareQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(file=None, folder__isnull=False) | Q(file__isnull=False, folder=None),
                name="share_of_one_file_or_folder",
            ),
            models.CheckConstraint(
                condition=Q(kind="course", course__isnull=False, expires_at=None, max_downloads=None, password="")
                | Q(kind="link", course=None, expires_at__isnull=False),
                name="share_has_what_its_kind_needs",
            ),
            models.CheckConstraint(
                condition=Q(max_downloads=None) | Q(downloads__lte=F("max_downloads")), name="share_downloads_limited"
            ),
            models.UniqueConstraint(
                fields=["file", "course"], condition=Q(revoked_at=None, kind="course"), name="file_shared_once"
            ),
            models.UniqueConstraint(
                fields=["folder", "course"], condition=Q(revoked_at=None, kind="course"), name="folder_shared_once"
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-created_at"], name="share_recent"),
            models.Index(fields=["course"], condition=Q(revoked_at=None, kind="course"), name="share_of_course"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.uid}"

    @property
    def entry(self) -> File | Folder:
        """What is shared."""
        return self.file or cast(Folder, self.folder)  # a constraint: exactly one

    @property
    def is_used_up(self) -> bool:
        return self.max_downloads is not None and self.downloads >= self.max_downloads


class ShareOpening(models.Model):
    """Someone opened a share. One row per user and hour, so reloading a page does not fill the table.

    ``user`` null: someone with the link who was not signed in.
    """

    class What(models.TextChoices):
        VIEW = "view", _("Opened")
        DOWNLOAD = "download", _("Downloaded")

    share = models.ForeignKey(Share, models.CASCADE, related_name="openings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="share_openings")
    what = models.CharField(max_length=8, choices=What.choices)
    opened_at = models.DateTimeField()
    hour = models.DateTimeField(help_text="The hour of opened_at.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["share", "what", "hour", "user"], condition=Q(user__isnull=False), name="opening_of_user"
            ),
            models.UniqueConstraint(
                fields=["share", "what", "hour"], condition=Q(user=None), name="opening_of_visitors"
            ),
        ]
        indexes = [models.Index(fields=["share", "-opened_at"], name="opening_recent")]

    def __str__(self) -> str:
        return f"{self.share_id} {self.what} {self.opened_at:%Y-%m-%d %H:%M}"
