"""Accepted answers."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.forum import policies
from apps.forum.events import AnswerAccepted, TopicChanged
from apps.forum.models import Post
from apps.forum.services.locking import lock_post
from apps.forum.services.posts import stamp
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce


def accept(*, post: Post, by: User, now: datetime) -> None:
    """Accept a reply as the answer of its question, instead of an earlier one. Idempotent."""
    with transaction.atomic():
        post = lock_post(post.pk)
        enforce(policies.accept(by, post))
        if post.topic.accepted_id == post.pk:
            return
        earlier = Post.objects.filter(pk=post.topic.accepted_id or 0)
        post.topic.accepted = post
        post.topic.save(update_fields=["accepted"])
        stamp(post.topic, post, *earlier)
        jobs.enqueue("forum.notify_of_answer", key=str(post.pk), post_id=post.pk, by_id=by.pk)
        publish(AnswerAccepted(post_id=post.pk, topic_id=post.topic_id, by_id=by.pk))
        publish(TopicChanged(topic_id=post.topic_id))


def unaccept(*, post: Post, by: User, now: datetime) -> None:
    """Take the acceptance back. Idempotent."""
    with transaction.atomic():
        post = lock_post(post.pk)
        enforce(policies.accept(by, post))
        if post.topic.accepted_id != post.pk:
            return
        post.topic.accepted = None
        post.topic.save(update_fields=["accepted"])
        stamp(post.topic, post)
        publish(TopicChanged(topic_id=post.topic_id))
