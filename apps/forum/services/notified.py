"""What users were told about posts, and how it changes and disappears with them."""

from collections.abc import Callable, Iterable

from django.db.models import QuerySet

from apps.accounts import services as people
from apps.accounts.models import User
from apps.forum import text
from apps.forum.models import NotificationRun, Post, Topic
from apps.forum.models.boards import readers_of

MENTION, REPLY, NEW_TOPIC = "forum.mention", "forum.reply", "forum.followed"
ACCEPTED, SOLVED = "forum.accepted", "forum.solved"
KINDS = {
    NotificationRun.What.POST.value: (MENTION, REPLY, NEW_TOPIC),
    NotificationRun.What.ANSWER.value: (ACCEPTED, SOLVED),
}
BATCH = 200
QUOTE = 300  # characters of a post


def key_of(what: str, post_id: int) -> str:
    """The key of the notifications of a post, or of its acceptance."""
    return f"{what}-{post_id}"


def forget_post(post: Post) -> None:
    """Delete what users were told about a post that is no longer visible: its text is in there."""
    _forget([post.pk])


def forget_topic(*, topic_id: int, extend_lease: Callable[[], None]) -> None:
    """Delete what users were told about the posts of a topic that is no longer visible."""
    last = 0
    while not Topic.objects.public().filter(pk=topic_id).exists():
        found = _posts_after(last, topic_id)
        if not found:
            return
        _forget(found)
        last = found[-1]
        extend_lease()


def forget_unreadable(*, topic_id: int, extend_lease: Callable[[], None]) -> None:
    """Delete what users were told about the posts of a topic that is now on a board that they may not read."""
    last = 0
    while True:
        topic = Topic.objects.select_related("board__course").filter(pk=topic_id).first()
        if topic is None or topic.board.is_open:
            return
        found = _posts_after(last, topic_id)
        if not found:
            return
        _forget(found, except_of=User.objects.filter(readers_of(topic.board)))
        last = found[-1]
        extend_lease()


def _posts_after(pk: int, topic_id: int) -> list[int]:
    posts = Post.objects.filter(topic=topic_id, pk__gt=pk).order_by("pk")
    return list(posts.values_list("pk", flat=True)[:BATCH])


def follow_edit(post: Post, *, title: str | None = None) -> None:
    """Bring the text of an edited post up to date in what users were told about it.

    :param title: of its topic, if it may have changed: it is in what users were told about every post of the topic.
    """
    words = text.excerpt(post.source, QUOTE)
    _change([post.pk], words=words)
    last = 0
    while title is not None and (found := _posts_after(last, post.topic_id)):
        _change(found, topic=title)
        last = found[-1]


def _change(posts: Iterable[int], **params: str) -> None:
    for what, kinds in KINDS.items():
        people.change_notifications(kinds=kinds, keys=[key_of(what, pk) for pk in posts], **params)


def _forget(posts: Iterable[int], except_of: QuerySet[User] | None = None) -> None:
    for what, kinds in KINDS.items():
        keys = [key_of(what, pk) for pk in posts]
        people.delete_notifications(kinds=kinds, keys=keys, except_of=except_of)
