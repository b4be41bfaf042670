"""What a topic knows about its visible posts, counted from them."""

from datetime import datetime

from apps.forum.models import Post, PostState, Topic

COUNTED = ["reply_count", "first_reply_at", "last_post_at", "last_poster"]


def newest_post(topic: Topic) -> Post | None:
    """The visible post that appeared last. After a merge it is not always the one with the highest number."""
    return topic.posts.filter(state=PostState.VISIBLE).order_by("-published_at", "-number").first()


def first_reply_at(topic: Topic) -> datetime | None:
    """When the first visible reply by someone else appeared.

    A reply that is older than the topic, which a merge can bring, counts from the moment when the topic appeared.
    """
    replies = topic.posts.filter(state=PostState.VISIBLE, is_opening=False).exclude(author=topic.author_id)
    first = replies.order_by("published_at").values_list("published_at", flat=True).first()
    return max(first, topic.published_at) if first and topic.published_at else first


def recount(topic: Topic) -> None:
    """Correct what a locked topic knows about its posts, after some of them came or went."""
    topic.reply_count = topic.posts.filter(state=PostState.VISIBLE, is_opening=False).count()
    topic.first_reply_at = first_reply_at(topic)
    newest = newest_post(topic)
    if newest is not None and newest.published_at is not None:
        topic.last_post_at, topic.last_poster_id = newest.published_at, newest.author_id
    topic.save(update_fields=COUNTED)
