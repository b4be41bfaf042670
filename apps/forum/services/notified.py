"""What users were told about posts, and how it disappears with them."""

from collections.abc import Callable, Iterable

from apps.accounts import services as people
from apps.forum.models import NotificationRun, Post, Topic

MENTION, REPLY, NEW_TOPIC = "forum.mention", "forum.reply", "forum.followed"
ACCEPTED, SOLVED = "forum.accepted", "forum.solved"
KINDS = {
    NotificationRun.What.POST.value: (MENTION, REPLY, NEW_TOPIC),
    NotificationRun.What.ANSWER.value: (ACCEPTED, SOLVED),
}
BATCH = 200


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
        posts = Post.objects.filter(topic=topic_id, pk__gt=last).order_by("pk")
        found = list(posts.values_list("pk", flat=True)[:BATCH])
        if not found:
            return
        _forget(found)
        last = found[-1]
        extend_lease()


def _forget(posts: Iterable[int]) -> None:
    for what, kinds in KINDS.items():
        people.delete_notifications(kinds=kinds, keys=[key_of(what, pk) for pk in posts])
