"""Votes and reactions."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.forum import policies
from apps.forum.events import PostChanged
from apps.forum.models import Post, Reaction, Vote
from apps.forum.services.locking import lock_post
from apps.forum.services.posts import stamp
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits


def vote(*, post: Post, user: User, on: bool, now: datetime) -> int:
    """Say that a post was helpful, or take it back. Returns how many found it helpful. Idempotent."""
    with transaction.atomic():
        post = lock_post(post.pk)
        enforce(policies.vote(user, post))
        if on:
            _, changed = Vote.objects.get_or_create(post=post, user=user, defaults={"created_at": now})
        else:
            changed = bool(Vote.objects.filter(post=post, user=user).delete()[0])
        if changed:
            rate_limits.consume("forum_vote", str(user.pk), now=now)
            post.score += 1 if on else -1
            post.save(update_fields=["score"])
            if post.is_opening:
                post.topic.score = post.score
                post.topic.save(update_fields=["score"])
            stamp(post.topic, post)
            publish(PostChanged(post_id=post.pk, topic_id=post.topic_id))
    return post.score


def react(*, post: Post, user: User, kind: str, on: bool, now: datetime) -> None:
    """React to a post, or take it back. Idempotent.

    :raises ValidationFailed: there is no such reaction.
    """
    with transaction.atomic():
        post = lock_post(post.pk)
        enforce(policies.vote(user, post))
        if kind not in Reaction.Kind:
            raise ValidationFailed
        if on:
            _, changed = Reaction.objects.get_or_create(post=post, user=user, kind=kind, defaults={"created_at": now})
        else:
            changed = bool(Reaction.objects.filter(post=post, user=user, kind=kind).delete()[0])
        if changed:
            rate_limits.consume("forum_vote", str(user.pk), now=now)
            stamp(post.topic, post)
            publish(PostChanged(post_id=post.pk, topic_id=post.topic_id))
