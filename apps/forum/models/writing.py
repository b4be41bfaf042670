"""What belongs to writing: files attached to posts, and drafts."""

from django.conf import settings
from django.db import models

from apps.files.models import Upload
from apps.forum.models.posts import Post
from studyplatform.kit.names import NameField

MAX_KEY = 60  # characters


class PostFile(models.Model):
    """A file that the text of a post shows or links to. Its content stays as long as the row does."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="files")
    upload = models.ForeignKey(Upload, models.PROTECT, related_name="+")
    uid = models.UUIDField(db_index=True, help_text="Of the upload, as its address names it.")
    name = NameField(max_length=120)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post", "uid"], name="file_attached_once")]

    def __str__(self) -> str:
        return self.name


class Draft(models.Model):
    """A text that a user has not posted yet, for one place of writing: ``topic-42``, ``new``, ``edit-97``."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    key = models.CharField(max_length=MAX_KEY)
    source = models.TextField()
    fields = models.JSONField(default=dict, blank=True, help_text="Other fields of the form, by name.")
    saved_at = models.DateTimeField(help_text="When it was written, by the clock of the browser.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_draft_per_place")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.key}"
