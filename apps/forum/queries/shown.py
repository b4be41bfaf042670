"""Posts as a reader sees them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import BigIntegerField, Count, Q

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import CoInstructor, Right
from apps.forum import policies
from apps.forum.models import Post, PostState, Reaction, Topic
from apps.forum.models.posts import PAGE
from studyplatform.kit.db.prepared_queries import Param, PreparedRows


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

    @property
    def key(self) -> tuple[object, ...]:
        """What the HTML of the post depends on, besides the page: see ``TopicPage.key``. Without its replies."""
        post, author, parent = self.post, self.post.author, self.parent
        return (
            (post.pk, post.stamp, post.edit_count, post.score, post.reply_to_id, post.is_voted),  # type: ignore[attr-defined]
            (author.pk, author.display_name, author.initial, author.avatar.name, author.is_admin),
            (self.is_own, self.is_staff, self.is_new, tuple(self.reactions)),
            parent and (parent.post.pk, parent.is_stub, parent.post.author.display_name),
        )


def flat(posts: Iterable[Shown]) -> Iterable[Shown]:
    """All posts, also those under others."""
    for one in posts:
        yield one
        yield from one.replies


def shown_post(post: Post, user: AnyUser) -> Shown:
    """One post for a reader. It comes from ``finding.find_post``. Two queries."""
    post.is_voted = isinstance(user, User) and post.votes.filter(user=user).exists()  # type: ignore[attr-defined]
    return show_posts([post], post.topic, user, policies.moderates(user, post.topic.board))[0]


def show_posts(posts: list[Post], topic: Topic, user: AnyUser, is_moderator: bool) -> list[Shown]:  # noqa: FBT001
    """Posts of one topic for a reader. ``topic`` comes from ``finding.find_topic`` or with its board. Two queries."""
    reactions = _reactions(posts, user)
    staff = staff_among(posts, topic)
    seen: int | None = getattr(topic, "seen", None)
    read_until: datetime | None = getattr(topic, "read_until", None)
    return [
        Shown(
            post,
            is_own=post.author_id == user.pk,
            is_staff=post.author_id in staff,
            is_stub=_is_stub(post, user, is_moderator),
            is_new=_is_new(post, user, seen, read_until),
            reactions=reactions.get(post.pk, []),
        )
        for post in posts
    ]


def staff_among(posts: Iterable[Post], topic: Topic) -> set[int]:
    """Return the ids of those authors of posts who teach the topic's course now: its instructor and co-instructors.

    One query, none if no other author may teach.
    """
    course = topic.board.course
    if course is None:
        return set()
    asked = {post.author_id for post in posts if post.author.can_teach} - {course.instructor_id}
    rows = CoInstructor.objects.having(Right.TEACH).filter(course=course.pk, user__in=asked)
    return {course.instructor_id, *(rows.values_list("user", flat=True) if asked else ())}


def _is_stub(post: Post, user: AnyUser, is_moderator: bool) -> bool:  # noqa: FBT001
    return post.state != PostState.VISIBLE and not is_moderator and post.author_id != user.pk


def _is_new(post: Post, user: AnyUser, seen: int | None, read_until: datetime | None) -> bool:
    if not isinstance(user, User) or post.author_id == user.pk or post.number is None:
        return False
    if seen is not None:
        return post.number > seen
    return read_until is not None and post.published_at is not None and post.published_at > read_until


def nested(shown: list[Shown], accepted: Shown | None) -> list[Shown]:
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
    if not posts:
        return {}
    pks = [post.pk for post in posts]
    places = 1 if len(pks) == 1 else -(-len(pks) // PAGE) * PAGE
    padded = pks + pks[:1] * (places - len(pks))
    result: dict[int, list[tuple[str, str, int, bool]]] = {}
    for post, kind, count, mine in _reactions_to(places)(
        user=user.pk, **{f"post{n}": pk for n, pk in enumerate(padded)}
    ):
        result.setdefault(post, []).append((kind, str(Reaction.Kind(kind).label), count, bool(mine)))
    return result


@cache
def _reactions_to(places: int) -> PreparedRows:
    """The reactions to as many posts as there are places. Pages have few sizes, so there are few such queries."""
    posts: list[Any] = [Param(f"post{n}", BigIntegerField()) for n in range(places)]
    mine = Count("pk", filter=Q(user=Param("user", BigIntegerField())))
    return PreparedRows(
        lambda: (
            Reaction.objects.filter(post__pk__in=posts)
            .values_list("post", "kind")
            .annotate(n=Count("pk"), mine=mine)
            .order_by("post", "kind")
        )
    )
