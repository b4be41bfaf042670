"""What a user has read, and what they follow."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.forum.models.boards import Board
from apps.forum.models.topics import Tag, Topic


class Visit(models.Model):
    """How far a user has read a topic."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="topic_visits")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="visits")
    last_number = models.PositiveIntegerField(help_text="The number of the last post that was shown to the user.")
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "topic"], name="one_visit_per_topic")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.topic_id}: {self.last_number}"


class ReadMark(models.Model):
    """Everything that is older counts as read by the user: since the first visit, or since "Mark all read"."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="forum_mark")
    read_until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user_id}: {self.read_until}"


class Level(models.TextChoices):
    WATCHING = "watching", _("Every post")
    FOLLOWING = "following", _("Replies to me and accepted answers")
    MUTED = "muted", _("Nothing")


class Follow(models.Model):
    """How closely a user follows a topic, a board or a tag."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="forum_follows")
    topic = models.ForeignKey(Topic, models.CASCADE, null=True, related_name="follows")
    board = models.ForeignKey(Board, models.CASCADE, null=True, related_name="follows")
    tag = models.ForeignKey(Tag, models.CASCADE, null=True, related_name="follows")
    level = models.CharField(max_length=10, choices=Level.choices)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "topic"], name="one_follow_per_topic"),
            models.UniqueConstraint(fields=["user", "board"], name="one_follow_per_board"),
            models.UniqueConstraint(fields=["user", "tag"], name="one_follow_per_tag"),
            models.CheckConstraint(
                condition=(
                    Q(topic__isnull=False, board=None, tag=None)
                    | Q(topic=None, board__isnull=False, tag=None)
                    | Q(topic=None, board=None, tag__isnull=False)
                ),
                name="follows_exactly_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.level} {self.topic_id or self.board_id or self.tag_id}"
