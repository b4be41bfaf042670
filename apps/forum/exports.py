"""The forum's part of a user's data archive."""

from collections.abc import Iterator

from django.db.models import Case, F, Value, When
from django.db.models.expressions import Combinable

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.forum.models import (
    Announcement,
    AnnouncementCopy,
    Ban,
    Block,
    BulkMessage,
    Draft,
    Follow,
    Message,
    MessageReport,
    ModerationAction,
    Post,
    Reaction,
    Report,
    Revision,
    Topic,
    Visit,
    Vote,
)


@register_export("forum")
def of_forum(user: User) -> Iterator[Part]:
    yield from _of_topics(user)
    yield from _of_messages(user)
    yield from _of_moderation(user)


def _of_messages(user: User) -> Iterator[Part]:
    """What the user wrote. What others wrote to them is in the archives of those."""
    written = Message.objects.filter(author=user).order_by("pk")
    yield Part("forum/messages.json", written.values("conversation__course__title", "created_at", "source").iterator())
    sent = Announcement.objects.filter(sender=user).order_by("pk")
    yield Part(
        "forum/announcements_sent.json",
        sent.values("course__title", "created_at", "audience", "subject", "source", "sent_count").iterator(),
    )
    to_many = BulkMessage.objects.filter(sender=user).order_by("pk")
    yield Part(
        "forum/messages_to_many.json", to_many.values("created_at", "source", "expected", "sent_count").iterator()
    )
    received = AnnouncementCopy.objects.filter(user=user).order_by("pk")
    yield Part(
        "forum/announcements.json",
        received.values(
            "announcement__course__title", "announcement__subject", "announcement__created_at", "read_at"
        ).iterator(),
    )
    blocks = Block.objects.filter(blocker=user).order_by("pk")
    yield Part("forum/blocks.json", blocks.values("blocked__username", "created_at").iterator())
    reports = MessageReport.objects.filter(reporter=user).order_by("pk")
    yield Part("forum/message_reports.json", reports.values("reason", "note", "created_at", "state").iterator())


def _of_topics(user: User) -> Iterator[Part]:
    """What the user wrote, voted for and follows."""
    topics = Topic.objects.filter(author=user).order_by("pk")
    yield Part(
        "forum/topics.json",
        topics.values("id", "board__title", "kind", "title", "state", "created_at", "published_at"),
    )
    posts = Post.objects.filter(author=user).order_by("pk").annotate(title=_title_for(user))
    yield Part(
        "forum/posts.json",
        posts.values("id", "topic", "title", "source", "state", "score", "created_at", "published_at", "edited_at"),
    )
    revisions = Revision.objects.filter(post__author=user).order_by("pk")
    yield Part("forum/earlier-texts.json", revisions.values("post", "source", "created_at"))
    votes = Vote.objects.filter(user=user).order_by("pk")
    yield Part("forum/votes.json", votes.values("post", "created_at"))
    reactions = Reaction.objects.filter(user=user).order_by("pk")
    yield Part("forum/reactions.json", reactions.values("post", "kind", "created_at"))
    follows = Follow.objects.filter(user=user).order_by("pk").annotate(title=_title_for(user))
    yield Part(
        "forum/follows.json", follows.values("topic", "title", "board__title", "tag__name", "level", "created_at")
    )
    visits = Visit.objects.filter(user=user).order_by("pk").annotate(title=_title_for(user))
    yield Part("forum/visits.json", visits.values("topic", "title", "last_number", "seen_at"))
    drafts = Draft.objects.filter(user=user).order_by("pk")
    yield Part("forum/drafts.json", drafts.values("key", "source", "fields", "saved_at"))


def _title_for(user: User) -> Combinable:
    """The title of the topic of a row; empty if the user may not read it (any longer)."""
    return Case(When(topic__in=Topic.objects.seen_by(user), then=F("topic__title")), default=Value(""))


def _of_moderation(user: User) -> Iterator[Part]:
    """What the user reported, and what moderators decided about their posts and about them. Others are not named."""
    reports = Report.objects.filter(user=user).order_by("pk")
    yield Part("forum/reports.json", reports.values("post", "reason", "comment", "created_at", "state").iterator())
    decisions = ModerationAction.objects.filter(user=user).order_by("pk")
    yield Part("forum/decisions.json", decisions.values("kind", "post", "reason", "at").iterator())
    bans = Ban.objects.filter(user=user).order_by("pk")
    yield Part("forum/bans.json", bans.values("board__title", "reason", "created_at", "until", "lifted_at").iterator())
