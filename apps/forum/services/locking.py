"""Locks of topics. Who changes a topic or a post of it holds the lock of the topic until the transaction ends."""

import time

from apps.forum.models import Post, Topic
from studyplatform.kit.errors import NotFound

PATIENCE = 5.0  # seconds to try for a lock that can't be waited for
PAUSE = 0.02


def lock_topic(pk: int, *, if_free: bool = False) -> Topic:
    """Lock a topic until the transaction ends. Who locks several begins with the lowest id (:func:`lock_topics`).

    :param if_free: don't wait for another transaction that has locked it.
    :raises NotFound: there is none, or it is not free.
    """
    topics = Topic.objects.select_for_update(of=("self",), skip_locked=if_free)
    found = topics.select_related("board__course").filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def lock_topics(*pks: int) -> dict[int, Topic]:
    """Lock several topics, in the one order in which everybody does, so that two transactions never block each other.

    :raises NotFound: one of them does not exist.
    """
    return {pk: lock_topic(pk) for pk in sorted(set(pks))}


def lock_post(pk: int) -> Post:
    """Lock the topic of a post and read the post as it is then.

    If a merge or a split has moved the post while this waited, the topic in which it is now is locked as well. Where
    waiting for that lock could block both transactions for ever, this tries again instead.

    :raises NotFound: there is none, or its topic was not free for `PATIENCE` seconds.
    """
    highest, deadline = 0, time.monotonic() + PATIENCE
    while True:
        topic_id = Post.objects.filter(pk=pk).values_list("topic_id", flat=True).first() or 0
        try:
            topic = lock_topic(topic_id, if_free=topic_id < highest)
        except NotFound:
            if not 0 < topic_id < highest or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE)
            continue
        post = Post.objects.select_related("author").filter(pk=pk, topic=topic).first()
        if post is not None:
            post.topic = topic
            return post
        highest = max(highest, topic_id)
