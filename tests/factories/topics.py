"""Boards, topics and posts for tests. Rows of visible posts are consistent: numbers, counts and dates."""

from datetime import datetime
from typing import Any

import factory
from django.utils import timezone

from apps.accounts.models import User
from apps.forum.models import Board, Post, PostState, Topic
from tests.factories.accounts import UserFactory


class BoardFactory(factory.django.DjangoModelFactory[Board]):
    """A general board; with ``course=`` that of a course."""

    class Meta:
        model = Board

    slug = factory.Sequence(lambda n: f"board-{n}")
    title = factory.Sequence(lambda n: f"Board {n}")


def make_topic(
    *, board: Board | None = None, author: User | None = None, now: datetime | None = None, **fields: Any
) -> Topic:
    """A topic with its opening post, visible unless ``state`` says otherwise."""
    now, author = now or timezone.now(), author or UserFactory()
    state, source = fields.pop("state", PostState.VISIBLE), fields.pop("source", "What does *this* mean?")
    is_seen = state != PostState.HELD
    topic = Topic.objects.create(
        **{
            "board": board or BoardFactory(),
            "kind": Topic.Kind.QUESTION,
            "title": "What does this mean?",
            "excerpt": source[:240],
            "author": author,
            "state": state,
            "last_number": 1 if is_seen else 0,
            "created_at": now,
            "published_at": now if is_seen else None,
            "last_post_at": now,
            "last_poster": author,
            **fields,
        }
    )
    _post(topic, author, source, state, 1 if is_seen else None, now, is_opening=True)
    return topic


def make_post(
    topic: Topic,
    *,
    author: User | None = None,
    state: str = PostState.VISIBLE,
    source: str = "It means that.",
    now: datetime | None = None,
    **fields: Any,
) -> Post:
    """A reply."""
    now, author = now or timezone.now(), author or UserFactory()
    number = None
    if state != PostState.HELD:
        topic.last_number += 1
        number = topic.last_number
    if state == PostState.VISIBLE:
        topic.reply_count += 1
        topic.last_post_at, topic.last_poster = now, author
        if author != topic.author:
            topic.first_reply_at = topic.first_reply_at or now
    topic.save()
    return _post(topic, author, source, state, number, now, **fields)


def _post(
    topic: Topic, author: User, source: str, state: str, number: int | None, now: datetime, **fields: Any
) -> Post:
    return Post.objects.create(
        topic=topic,
        author=author,
        source=source,
        html=f"<p>{source}</p>",
        state=state,
        number=number,
        created_at=now,
        published_at=now if number else None,
        **fields,
    )


def fill_topic(topic: Topic, count: int, *, authors: list[User]) -> None:
    """Add many visible replies at once."""
    now, first = topic.last_post_at, topic.last_number + 1
    Post.objects.bulk_create(
        Post(
            topic=topic,
            author=authors[n % len(authors)],
            source=f"Reply {n}",
            html=f"<p>Reply {n}</p>",
            state=PostState.VISIBLE,
            number=n,
            created_at=now,
            published_at=now,
        )
        for n in range(first, first + count)
    )
    topic.last_number += count
    topic.reply_count += count
    topic.save()


__all__ = ["BoardFactory", "fill_topic", "make_post", "make_topic"]
