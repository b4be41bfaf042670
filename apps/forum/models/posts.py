"""Posts, their earlier texts, votes and reactions."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum.models.boards import readable_boards
from apps.forum.models.topics import State as PostState
from apps.forum.models.topics import Topic, moderated_boards

PAGE = 25  # numbers of posts on a page of a topic


def page_of(number: int | None, last_number: int) -> int:
    """The page of a topic on which a post is; a held one is at the end."""
    return max(1, -(-(number or last_number) // PAGE))


class PostQuerySet(models.QuerySet["Post"]):
    def public(self) -> Self:
        """Visible posts of visible topics, whatever their board."""
        return self.filter(state=PostState.VISIBLE, topic__state=PostState.VISIBLE)

    def listed_for(self, user: AnyUser) -> Self:
        """The visible posts of visible topics on the boards that a user may read."""
        return self.public().filter(readable_boards(user, "topic__board__"))

    def seen_by(self, user: AnyUser) -> Self:
        """The posts whose text a user may read: visible ones, their own, and all of the boards that they moderate."""
        shown = Q(state=PostState.VISIBLE, topic__state=PostState.VISIBLE)
        if isinstance(user, User):
            own_topic = Q(topic__author=user) & (~Q(topic__state=PostState.DELETED) | Q(topic__changed_by=user))
            shown |= Q(author=user) & (Q(topic__state=PostState.VISIBLE) | own_topic)
            moderated = moderated_boards(user, "topic__board__")
            if moderated is not None:
                shown = shown | moderated if moderated else Q()
        return self.filter(readable_boards(user, "topic__board__")).filter(shown)


class Post(models.Model):
    """A post of a topic.

    ``number`` is its place in the topic, 1 for the opening post. A post gets it when it first becomes visible and keeps
    it: while it is held it has none, so it is counted nowhere and leaves no gap.
    """

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="posts")
    number = models.PositiveIntegerField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="posts")
    source = models.TextField(help_text="Markdown.")
    html = models.TextField(help_text="Rendered from the source when it was written.")
    state = models.CharField(max_length=8, choices=PostState.choices)
    state_before = models.CharField(
        max_length=8, choices=PostState.choices, blank=True, help_text="It was hidden or deleted; restored to this."
    )
    held_for = models.JSONField(default=list, blank=True, help_text="Why it was held: names of reasons.")
    reply_to = models.ForeignKey("self", models.SET_NULL, null=True, related_name="replies")
    score = models.PositiveIntegerField(default=0, help_text="How many found it helpful.")
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True)
    edited_at = models.DateTimeField(null=True)
    edit_count = models.PositiveIntegerField(default=0)
    stamp = models.PositiveIntegerField(default=0, help_text="The stamp of its topic when the post last changed.")
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text="Who hid or deleted it."
    )
    is_opening = models.BooleanField(default=False, help_text="The first post of its topic.")

    objects = PostQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "number"], name="one_post_per_number"),
            models.UniqueConstraint(fields=["topic"], condition=Q(is_opening=True), name="one_opening_post"),
            models.CheckConstraint(
                condition=~Q(state="visible") | Q(number__isnull=False), name="visible_posts_have_a_number"
            ),
        ]
        indexes = [
            models.Index("author", F("created_at").desc(), name="post_of_author"),
            models.Index("topic", name="post_held", condition=Q(state="held")),
            models.Index("created_at", name="post_queue", condition=Q(state="held")),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} in {self.topic_id}"

    @property
    def is_visible(self) -> bool:
        return self.state == PostState.VISIBLE

    @property
    def path(self) -> str:
        """Its address on this site."""
        return f"/forum/posts/{self.pk}"


class Revision(models.Model):
    """The text of a post before an edit."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="revisions")
    source = models.TextField()
    editor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", help_text="Who replaced this text."
    )
    created_at = models.DateTimeField(help_text="When it was replaced.")
    was_shown = models.BooleanField(default=False, help_text="It was visible to readers; they may see it later too.")

    class Meta:
        indexes = [models.Index(fields=["post", "-created_at"], name="revision_of_post")]

    def __str__(self) -> str:
        return f"{self.post_id} until {self.created_at}"


class Vote(models.Model):
    """A user found a post helpful."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="votes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="post_votes")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post", "user"], name="one_vote_per_post")]

    def __str__(self) -> str:
        return f"{self.user_id}→{self.post_id}"


class Reaction(models.Model):
    """How a user reacted to a post; each kind at most once."""

    class Kind(models.TextChoices):
        THANKS = "thanks", _("Thank you")
        INSIGHT = "insight", _("New to me")
        CELEBRATE = "celebrate", _("Well done")

    post = models.ForeignKey(Post, models.CASCADE, related_name="reactions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="post_reactions")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post", "user", "kind"], name="one_reaction_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}→{self.post_id}"


__all__ = ["PAGE", "Post", "PostState", "Reaction", "Revision", "Vote", "page_of"]
