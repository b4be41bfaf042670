"""A page of a topic."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from django.db.models import BigIntegerField, Exists, IntegerField, OuterRef, Q, Value

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum import policies
from apps.forum.models import Post, PostState, Reaction, Topic, Vote
from apps.forum.models.posts import PAGE, page_of
from apps.forum.queries.shown import Shown, flat, nested, show_posts
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery


@dataclass
class TopicPage:
    """A page of a topic: what to show, and what the reader may do."""

    topic: Topic
    posts: list[Shown]
    number: int
    pages: int
    accepted_elsewhere: Post | None
    is_moderator: bool
    is_author: bool
    is_member: bool
    is_banned: bool
    can_report: bool
    level: str | None
    last_shown: int
    seen: int | None

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What the HTML of a post depends on, besides the post itself: see ``Shown.key``."""
        topic = self.topic
        return (
            (topic.pk, topic.accepted_id, topic.is_locked, topic.reply_count > 0, self.number),
            (self.is_moderator, self.is_member, self.is_banned),
            (self.can_vote, self.can_write, self.can_accept, self.can_report),
        )

    @property
    def upto(self) -> int:
        """The last number for which this page has a place."""
        return self.number * PAGE

    @property
    def can_write(self) -> bool:
        """Whether the reader may reply."""
        return self.can_vote and (self.is_moderator or not self.topic.is_locked)

    @property
    def can_vote(self) -> bool:
        """Whether the reader may vote, also in a closed topic."""
        return self.is_member and not self.is_banned and self.topic.is_visible

    @property
    def can_accept(self) -> bool:
        """Whether the reader may accept a reply as the answer."""
        return self.topic.is_question and (self.is_moderator or (self.is_author and not self.is_banned))

    @property
    def can_rename(self) -> bool:
        """Whether the reader may change the title and the tags: moderators, and the author of an open topic."""
        if self.topic.state == PostState.DELETED:
            return False
        return self.is_moderator or (
            self.is_author and self.is_member and not self.is_banned and not self.topic.is_locked
        )

    @property
    def has_tools(self) -> bool:
        """Whether the reader may pin, close, move, merge and split the topic."""
        return self.is_moderator and self.topic.state != PostState.DELETED

    @property
    def reaction_kinds(self) -> list[Reaction.Kind]:
        return list(Reaction.Kind)

    @property
    def authors(self) -> list[User]:
        """Who wrote the visible posts of this page, each once."""
        found: dict[int, User] = {}
        for one in flat(self.posts):
            if not one.is_stub:
                found.setdefault(one.post.author_id, one.post.author)
        return list(found.values())


def entries(page: TopicPage) -> Iterable[tuple[Shown, Shown | None]]:
    """All posts of a page in their order, each with the post under which it is."""
    for one in page.posts:
        yield one, None
        yield from ((reply, one) for reply in one.replies)


def topic_page(topic: Topic, user: AnyUser, number: int) -> TopicPage:
    """A page of the topic for a reader. ``topic`` comes from ``finding.find_topic``. Two to four queries."""
    is_moderator = policies.moderates(user, topic.board)
    pages = page_of(topic.last_number, topic.last_number)
    number = min(max(1, number), pages)
    held = "none" if number < pages else "all" if is_moderator else "own"
    posts = _posts_for(user.pk is None, held)(
        topic=topic.pk, user=user.pk, first=(number - 1) * PAGE + 1, last=number * PAGE
    )
    rows = sorted(posts, key=lambda post: (post.number is None, post.number or 0, post.pk))
    shown = show_posts(rows, topic, user, is_moderator)
    accepted = next((one for one in shown if one.post.pk == topic.accepted_id), None)
    elsewhere = None
    if accepted is None and number == 1 and topic.accepted_id:
        elsewhere = Post.objects.select_related("author").defer("source").filter(pk=topic.accepted_id).first()
    return TopicPage(
        topic=topic,
        posts=nested(shown, accepted if number == 1 else None),
        number=number,
        pages=pages,
        accepted_elsewhere=elsewhere,
        is_moderator=is_moderator,
        is_author=topic.author_id == user.pk,
        is_member=_is_member(user, topic, is_moderator=is_moderator),
        is_banned=is_banned(topic) and not is_moderator,
        can_report=isinstance(user, User) and bool(user.email_verified_at) and not is_banned(topic),
        level=getattr(topic, "level", None),
        last_shown=max((post.number or 0 for post in rows), default=0),
        seen=getattr(topic, "seen", None),
    )


def is_banned(topic: Topic) -> bool:
    """Whether the reader, for whom ``finding.find_topic`` has read the topic, is banned from its board."""
    return bool(getattr(topic, "is_banned", False))


def _is_member(user: AnyUser, topic: Topic, *, is_moderator: bool) -> bool:
    """Like ``policies.write_on``, from what ``finding.find_topic`` has read."""
    if not isinstance(user, User) or not user.email_verified_at:
        return False
    return is_moderator or topic.board.course_id is None or bool(getattr(topic, "is_enrolled", False))


@cache
def _posts_for(is_visitor: bool, held: str) -> PreparedQuery[Post]:  # noqa: FBT001 (the key of a cache)
    """The posts with some numbers, and the held ones of ``held``: none, the reader's own, all."""
    wanted = Q(number__gte=Param("first", IntegerField()), number__lte=Param("last", IntegerField()))
    reader = Param("user", BigIntegerField())
    if held == "all":
        wanted |= Q(number=None)
    elif held == "own" and not is_visitor:
        wanted |= Q(number=None, author=reader)
    votes = Exists(Vote.objects.filter(user=reader, post=OuterRef("pk")))
    posts = Post.objects.filter(wanted, topic=Param("topic", BigIntegerField()))
    posts = posts.annotate(is_voted=Value(value=False) if is_visitor else votes)
    return PreparedQuery(lambda: posts.select_related("author").defer("source"))
