"""Finding topics and posts for a reader."""

from datetime import datetime
from functools import cache, partial

from django.db.models import (
    BigIntegerField,
    DateTimeField,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    prefetch_related_objects,
)
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum import policies
from apps.forum.models import Ban, Follow, Post, PostState, ReadMark, Revision, Tag, Topic, Visit
from apps.forum.models.readers import Reader, reader_of
from apps.learning.models import Enrollment
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import NotFound

_TOPIC = Param("topic", BigIntegerField())
_USER = Param("user", BigIntegerField())
_NOW = Param("now", DateTimeField())


def find_topic(pk: int, user: AnyUser) -> Topic:
    """A topic that the user may open, with its board and what the user has to do with it. Two queries.

    :raises NotFound: there is none for this user.
    """
    reader = reader_of(user).with_pk(_USER)
    found = _topic_for(reader).first(topic=pk, user=user.pk, now=timezone.now())
    if found is None:
        raise NotFound
    prefetch_related_objects([found], "tags")
    return found


@cache
def _topic_for(reader: Reader) -> PreparedQuery[Topic]:
    """One query for each kind of reader."""
    return PreparedQuery(partial(_topics, reader))


def _topics(reader: Reader) -> QuerySet[Topic]:
    topics = Topic.objects.seen_by(reader).select_related("board__course__instructor", "author", "lesson__section")
    if not reader.is_visitor:
        mine = {"user": reader.pk, "topic": OuterRef("pk")}
        enrolled = Enrollment.objects.active().of(reader.pk).filter(course=OuterRef("board__course"))
        bans = Ban.objects.active(_NOW).filter(Q(board=None) | Q(board=OuterRef("board")), user=reader.pk)
        topics = topics.annotate(
            seen=Subquery(Visit.objects.filter(**mine).values("last_number")),
            level=Subquery(Follow.objects.filter(**mine).values("level")),
            read_until=Subquery(ReadMark.objects.filter(user=reader.pk).values("read_until")),
            is_enrolled=Exists(enrolled),
            is_banned=Exists(bans),
        )
    return topics.filter(pk=_TOPIC)


def revisions_of(post: Post, user: AnyUser) -> QuerySet[Revision]:
    """The earlier texts of a post, the newest first. What was replaced before it was published stays with the author
    and the moderators.
    """
    found = post.revisions.select_related("editor").order_by("-created_at", "-pk")
    if post.author_id == user.pk or policies.moderates(user, post.topic.board):
        return found
    return found.filter(was_shown=True)


def merged_into(pk: int) -> int | None:
    """The topic into which a topic was merged. One query."""
    topics = Topic.objects.filter(pk=pk, merged_into__isnull=False)
    return topics.values_list("merged_into", flat=True).first()


def present_topic(pk: int, user: AnyUser) -> Topic:
    """Like :func:`find_topic`; of a merged topic the one into which it was merged, for pages that were open meanwhile.

    :raises NotFound: there is none for this user.
    """
    try:
        return find_topic(pk, user)
    except NotFound:
        merged = merged_into(pk)
        if merged is None:
            raise
        return find_topic(merged, user)


def first_unread(topic: Topic, user: AnyUser) -> Post | None:
    """The oldest visible post of the topic that the user has not seen, if there is one. One query."""
    if not isinstance(user, User):
        return None
    posts = topic.posts.filter(state=PostState.VISIBLE).order_by("number")
    seen, read_until = getattr(topic, "seen", None), getattr(topic, "read_until", None)
    if seen is not None:
        return posts.filter(number__gt=seen).first()
    return posts.filter(published_at__gt=read_until).first() if read_until else None


def first_since(topic: Topic, moment: datetime) -> Post | None:
    """The first visible post since a date, or else the last one. One or two queries."""
    posts = topic.posts.filter(state=PostState.VISIBLE)
    found = posts.filter(published_at__gte=moment).order_by("number").first()
    return found or posts.order_by("-number").first()


def find_tag(slug: str, user: AnyUser) -> Tag:
    """A tag that the user follows, or of a topic that they may open. One query.

    :raises NotFound: there is none. So the address of a tag does not tell that something is held.
    """
    known = Q(Exists(Topic.objects.seen_by(user).filter(tags=OuterRef("pk"))))
    if isinstance(user, User):
        known |= Q(Exists(Follow.objects.filter(user=user, tag=OuterRef("pk"))))
    found = Tag.objects.filter(known, slug=slug).first()
    if found is None:
        raise NotFound
    return found


def find_post(pk: int, user: AnyUser) -> Post:
    """A post whose text the user may read. One query.

    :raises NotFound: there is none for this user.
    """
    posts = Post.objects.seen_by(user).select_related("topic__board__course", "author")
    found = posts.filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found
