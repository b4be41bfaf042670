"""A page of a topic."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, Value

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum import policies
from apps.forum.models import Post, PostState, Reaction, Topic, Vote
from apps.forum.models.posts import PAGE, page_of


@dataclass
class Shown:
    """A post as a reader sees it, with the replies under it.

    ``is_stub``: it was deleted or hidden, and the reader may not see its text.
    """

    post: Post
    is_own: bool
    is_staff: bool
    is_stub: bool
    is_new: bool
    reactions: list[tuple[str, str, int, bool]] = field(default_factory=list)  # kind, label, count, is mine
    replies: "list[Shown]" = field(default_factory=list)
    parent: "Shown | None" = None  # of a reply to a post that isn't its neighbor


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


def flat(posts: Iterable[Shown]) -> Iterable[Shown]:
    """All posts, also those under others."""
    for one in posts:
        yield one
        yield from one.replies


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
    first, last = (number - 1) * PAGE + 1, number * PAGE
    wanted = Q(number__range=(first, last))
    if number == pages:
        wanted |= Q(number=None) & _own_held(user, is_moderator)
    posts = topic.posts.filter(wanted).select_related("author").defer("source")
    if isinstance(user, User):
        mine = Vote.objects.filter(user=user, post=OuterRef("pk"))
        posts = posts.annotate(is_voted=Exists(mine))
    else:
        posts = posts.annotate(is_voted=Value(value=False))
    rows = sorted(posts, key=lambda post: (post.number is None, post.number or 0, post.pk))
    shown = _shown(rows, topic, user, is_moderator)
    accepted = next((one for one in shown if one.post.pk == topic.accepted_id), None)
    elsewhere = None
    if accepted is None and number == 1 and topic.accepted_id:
        elsewhere = Post.objects.select_related("author").defer("source").filter(pk=topic.accepted_id).first()
    return TopicPage(
        topic=topic,
        posts=_nested(shown, accepted if number == 1 else None),
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


def shown_post(post: Post, user: AnyUser) -> Shown:
    """One post for a reader. It comes from ``finding.find_post``. Two queries."""
    post.is_voted = isinstance(user, User) and post.votes.filter(user=user).exists()  # type: ignore[attr-defined]
    return _shown([post], post.topic, user, policies.moderates(user, post.topic.board))[0]


def _shown(posts: list[Post], topic: Topic, user: AnyUser, is_moderator: bool) -> list[Shown]:  # noqa: FBT001
    reactions = _reactions(posts, user)
    seen: int | None = getattr(topic, "seen", None)
    read_until: datetime | None = getattr(topic, "read_until", None)
    return [
        Shown(
            post,
            is_own=post.author_id == user.pk,
            is_staff=_is_staff(post, topic),
            is_stub=_is_stub(post, user, is_moderator),
            is_new=_is_new(post, user, seen, read_until),
            reactions=reactions.get(post.pk, []),
        )
        for post in posts
    ]


def is_banned(topic: Topic) -> bool:
    """Whether the reader, for whom ``finding.find_topic`` has read the topic, is banned from its board."""
    return bool(getattr(topic, "is_banned", False))


def _own_held(user: AnyUser, is_moderator: bool) -> Q:  # noqa: FBT001 (two facts about the reader)
    if is_moderator:
        return Q()
    return Q(author=user) if isinstance(user, User) else Q(pk=None)


def _is_member(user: AnyUser, topic: Topic, *, is_moderator: bool) -> bool:
    """Like ``policies.write_on``, from what ``finding.find_topic`` has read."""
    if not isinstance(user, User) or not user.email_verified_at:
        return False
    return is_moderator or topic.board.course_id is None or bool(getattr(topic, "is_enrolled", False))


def _is_staff(post: Post, topic: Topic) -> bool:
    return topic.board.course is not None and post.author_id == topic.board.course.instructor_id


def _is_stub(post: Post, user: AnyUser, is_moderator: bool) -> bool:  # noqa: FBT001
    return post.state != PostState.VISIBLE and not is_moderator and post.author_id != user.pk


def _is_new(post: Post, user: AnyUser, seen: int | None, read_until: datetime | None) -> bool:
    if not isinstance(user, User) or post.author_id == user.pk or post.number is None:
        return False
    if seen is not None:
        return post.number > seen
    return read_until is not None and post.published_at is not None and post.published_at > read_until


def _nested(shown: list[Shown], accepted: Shown | None) -> list[Shown]:
    """Put replies under the post of this page that they answer, one level deep; the accepted answer comes second."""
    by_id = {one.post.pk: one for one in shown}
    roots: dict[int, Shown] = {}
    top: list[Shown] = []
    for one in shown:
        target = by_id.get(one.post.reply_to_id or 0)
        root = roots.get(target.post.pk, target) if target else None
        if target is None or root is None or root.post.is_opening:
            top.append(one)
            continue
        roots[one.post.pk] = root
        one.parent = target if target is not root else None
        root.replies.append(one)
    if accepted is not None:
        root = roots.get(accepted.post.pk)
        if root is not None:
            root.replies.remove(accepted)
        else:
            top.remove(accepted)
        top.insert(1 if top and top[0].post.is_opening else 0, accepted)
    return top


def _reactions(posts: list[Post], user: AnyUser) -> dict[int, list[tuple[str, str, int, bool]]]:
    """The reactions to some posts. One query."""
    found = (
        Reaction.objects.filter(post__in=posts)
        .values_list("post", "kind")
        .annotate(n=Count("pk"), mine=Count("pk", filter=Q(user=user.pk)))
        .order_by("post", "kind")
    )
    result: dict[int, list[tuple[str, str, int, bool]]] = {}
    for post, kind, count, mine in found:
        result.setdefault(post, []).append((kind, str(Reaction.Kind(kind).label), count, bool(mine)))
    return result
