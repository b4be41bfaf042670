"""How far users were told of something."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.forum.models.posts import Post


class NotificationRun(models.Model):
    """What users were told about a post. A job that was interrupted continues where it stopped."""

    class What(models.TextChoices):
        POST = "post", _("New post")
        ANSWER = "answer", _("Accepted answer")

    post = models.ForeignKey(Post, models.CASCADE, related_name="notification_runs")
    what = models.CharField(max_length=6, choices=What.choices)
    expected = models.PositiveIntegerField(default=0, help_text="Follows when it began.")
    sent_count = models.PositiveIntegerField(default=0, help_text="Follows that were handled.")
    last_follow = models.PositiveBigIntegerField(default=0, help_text="The id of the last one of them.")
    done_at = models.DateTimeField(null=True)
    edited_at = models.DateTimeField(null=True, help_text="The last edit of the post whose mentions were told.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post", "what"], name="one_run_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.what} {self.post_id}: {self.sent_count}/{self.expected}"
