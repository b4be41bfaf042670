"""Moderators and writers who act on the same topics at once, on a real database with threads."""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import services
from apps.forum.models import Board, ModerationAction, Post, Topic
from studyplatform.kit.errors import AppError
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def test_two_topics_merged_into_each_other_become_one(general: Board, sam: User) -> None:
    one, other = (make_topic(board=general, author=sam) for _ in range(2))
    for topic in (one, other):
        make_post(topic, author=sam)

    def merge(topic: Topic, into: Topic) -> Any:
        return services.merge(topic=topic, into=into, by=sam, now=timezone.now())

    outcomes = run_simultaneously(*[lambda: merge(one, other), lambda: merge(other, one)] * 2)
    assert [isinstance(outcome, Topic) for outcome in outcomes].count(True) == 1
    assert all(isinstance(outcome, Topic | AppError) for outcome in outcomes), outcomes
    left = Topic.objects.get(state="visible")
    assert set(left.posts.values_list("number", flat=True)) == {1, 2, 3, 4}
    assert (left.reply_count, left.last_number, ModerationAction.objects.count()) == (3, 4, 1)


@pytest.mark.parametrize("is_older_first", [True, False])
def test_nothing_that_is_written_during_a_merge_is_lost(general: Board, sam: User, is_older_first: bool) -> None:
    topics = [make_topic(board=general, author=sam) for _ in range(2)]
    source, target = topics if is_older_first else topics[::-1]
    post = make_post(source, author=UserFactory())
    readers = UserFactory.create_batch(3)

    outcomes = run_simultaneously(
        lambda: services.merge(topic=source, into=target, by=sam, now=timezone.now()),
        lambda: services.edit(post=post, editor=post.author, source="Edited", now=timezone.now()),
        *[lambda user=user: services.vote(post=post, user=user, on=True, now=timezone.now()) for user in readers],
        lambda: services.reply(topic=target, author=readers[0], source="Another reply", now=timezone.now()),
    )
    assert not [one for one in outcomes if isinstance(one, BaseException)], outcomes
    found = Post.objects.get(pk=post.pk)
    assert (found.source, found.score, found.votes.count(), found.topic) == ("Edited", 3, 3, target)
    target.refresh_from_db()
    numbers = sorted(target.posts.values_list("number", flat=True))
    assert (numbers, target.reply_count, target.last_number) == ([1, 2, 3, 4], 3, 4)


def test_a_post_is_split_off_once(general: Board, sam: User) -> None:
    topic = make_topic(board=general, author=sam)
    post = make_post(topic)

    def split() -> Topic:
        return services.split(topic=topic, posts=[post.pk], title="Ink", by=sam, now=timezone.now())

    outcomes = run_simultaneously(*[split] * 3)
    assert [isinstance(one, Topic) for one in outcomes].count(True) == 1
    assert (Topic.objects.count(), ModerationAction.objects.count()) == (2, 1)
    topic.refresh_from_db()
    assert topic.reply_count == 0
