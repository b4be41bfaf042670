"""Merging topics and splitting posts off. A post keeps its id, and so its address, votes, reports and notifications.

Numbers are never reused (docs/adr/0026): merged posts come after those of the other topic, and split posts leave a gap.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery

from apps.accounts.models import User
from apps.forum import tool_policies
from apps.forum.errors import AlreadyDecided, MergeWithItself, NothingToSplit, PostNotVisible, TextBecomesPublic
from apps.forum.events import TopicChanged
from apps.forum.models import Draft, Follow, Level, Post, PostState, Topic, Visit
from apps.forum.models.boards import readers_of
from apps.forum.services.counting import recount
from apps.forum.services.drafts import MOST_SOURCE
from apps.forum.services.indexing import index_post
from apps.forum.services.locking import lock_topics
from apps.forum.services.moderation_log import Kind, log
from apps.forum.services.naming import clean_title
from apps.forum.services.posts import stamp
from apps.forum.services.rendering import excerpt_of
from apps.forum.services.topic_tools import lock_for_tools
from studyplatform.kit import jobs
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

BATCH = 200
MOST_CHOSEN = 200  # posts that are chosen one by one


def merge(*, topic: Topic, into: Topic, by: User, is_public_ok: bool = False, now: datetime) -> Topic:
    """Append all posts of a topic to another one; its address leads there. The other topic keeps what it has of title,
    tags, lesson and accepted answer. Returns it.

    Held, hidden and deleted posts stay as they are. Who has read both topics to the end has read the merged one.

    :param is_public_ok: the moderator knows that more people can read the posts then.
    :raises MergeWithItself: both are the same.
    :raises PostNotVisible: one of them is held or hidden.
    :raises TextBecomesPublic: more people could read the posts then.
    """
    if topic.pk == into.pk:
        raise MergeWithItself
    with transaction.atomic():
        locked = lock_topics(topic.pk, into.pk)
        source, target = locked[topic.pk], locked[into.pk]
        for one in (source, target):
            enforce(tool_policies.use_tools(by, one))
            if not one.is_visible:
                raise PostNotVisible
        if tool_policies.opens_up(source.board, target.board) and not is_public_ok:
            raise TextBecomesPublic
        _merge_reading(source, target)
        _merge_follows(source, target)
        _merge_drafts(source, target)
        opening = source.posts.get(is_opening=True)
        source.posts.update(
            topic=target, number=F("number") + target.last_number, stamp=target.stamp + 1, is_opening=False
        )
        opening.refresh_from_db()
        index_post(opening, target)
        _join(source, target)
        log(Kind.MERGED, actor=by, topic=target, now=now, source=source.pk, was=source.title)
        if source.board_id != target.board_id:
            jobs.enqueue("forum.forget_unreadable", key=str(target.pk), topic_id=target.pk)
        for one in (source, target):
            publish(TopicChanged(topic_id=one.pk))
    return target


def _join(source: Topic, target: Topic) -> None:
    """Correct both topics once the posts have moved."""
    if target.accepted_id is None and target.is_question:
        target.accepted_id = source.accepted_id
    if target.lesson_id is None and source.lesson is not None and source.lesson.course_id == target.board.course_id:
        target.lesson, target.second = source.lesson, source.second
    target.last_number += source.last_number
    target.save(update_fields=["accepted", "lesson", "second", "last_number"])
    recount(target)
    source.state, source.changed_by, source.merged_into = PostState.DELETED, None, target
    source.accepted, source.pinned_at, source.reply_count = None, None, 0
    source.save(update_fields=["state", "changed_by", "merged_into", "accepted", "pinned_at", "reply_count"])
    Topic.objects.filter(merged_into=source).update(merged_into=target)
    stamp(source)
    stamp(target)


def _merge_reading(source: Topic, target: Topic) -> None:
    seen = Visit.objects.filter(topic=source, user=OuterRef("user")).values("last_number")
    up_to_date = Visit.objects.filter(topic=target, last_number__gte=target.last_number)
    up_to_date.filter(Exists(seen)).update(last_number=target.last_number + Subquery(seen))
    Visit.objects.filter(topic=source).delete()


def _merge_follows(source: Topic, target: Topic) -> None:
    """Who follows one of the topics follows the merged one, as closely as before, unless they muted it."""
    watching = Follow.objects.filter(topic=source, level=Level.WATCHING, user=OuterRef("user"))
    Follow.objects.filter(Exists(watching), topic=target, level=Level.FOLLOWING).update(level=Level.WATCHING)
    readers = User.objects.filter(readers_of(target.board))
    missing = Follow.objects.filter(topic=source, user__in=readers).exclude(level=Level.MUTED)
    _copy_follows(missing.values_list("user", "level", "created_at"), target)
    Follow.objects.filter(topic=source).delete()


def _copy_follows(rows: Collection[tuple[int, str, datetime]], topic: Topic) -> None:
    """Add follows of a topic for users who have none."""
    copies = [Follow(user_id=user, topic=topic, level=level, created_at=at) for user, level, at in rows]
    Follow.objects.bulk_create(copies, ignore_conflicts=True, batch_size=BATCH)


def _merge_drafts(source: Topic, target: Topic) -> None:
    """Bring what users have begun to write in one topic to the other, after what they have begun there."""
    old, new = f"topic-{source.pk}", f"topic-{target.pk}"
    for draft in Draft.objects.filter(key=old):
        other = Draft.objects.filter(key=new, user=draft.user_id).first()
        if other is None:
            draft.key = new
            draft.save(update_fields=["key"])
        elif len(other.source) + len(draft.source) + 2 <= MOST_SOURCE:
            other.source = f"{other.source}\n\n{draft.source}".strip()
            other.saved_at = max(other.saved_at, draft.saved_at)
            other.save(update_fields=["source", "saved_at"])
            draft.delete()


def split(
    *, topic: Topic, posts: Collection[int], title: str, by: User, kind: str = "", with_later: bool = False,
    now: datetime,
) -> Topic:  # fmt: skip
    """Make posts of a topic a new topic on the same board. Its opening post is the first visible one of them.

    The new topic has the tags and the lesson of the old one; who follows the old one follows the new one too.

    :param posts: ids of replies.
    :param kind: of the new topic; empty: that of the old one, or a discussion if that was an announcement.
    :param with_later: all posts after the first of these as well.
    :raises AlreadyDecided: one of the posts is no longer a reply of this topic.
    :raises NothingToSplit: none of the posts is visible.
    :raises PostNotVisible: the topic is held or hidden.
    :raises ValidationFailed: there is no such kind, or the title is empty or too long.
    """
    title = clean_title(title)
    if kind not in {"", *Topic.Kind} or kind == Topic.Kind.ANNOUNCEMENT or len(posts) > MOST_CHOSEN:
        raise ValidationFailed
    with transaction.atomic():
        topic = lock_for_tools(topic.pk, by)
        if not topic.is_visible:
            raise PostNotVisible
        moved = _chosen(topic, posts, with_later=with_later)
        new = _new_topic(topic, moved[0], title, kind)
        read_up_to = sorted(post.number for post in moved if post.number is not None)
        _carry(topic, new, moved)
        _divide(topic, new, {post.pk for post in moved})
        _copy_follows(Follow.objects.filter(topic=topic).values_list("user", "level", "created_at"), new)
        _copy_reading(topic, new, read_up_to)
        log(Kind.SPLIT, actor=by, topic=new, now=now, count=len(moved), source=topic.pk, was=topic.title)
        for one in (topic, new):
            publish(TopicChanged(topic_id=one.pk))
    return new


def _chosen(topic: Topic, posts: Collection[int], *, with_later: bool) -> list[Post]:
    """The posts to move: the one that opens the new topic first, then by number, then those without one."""
    replies = topic.posts.filter(is_opening=False).defer("html")
    found = list(replies.filter(pk__in=posts))
    if len(found) != len(set(posts)):
        raise AlreadyDecided
    if with_later and found:
        numbers = [post.number for post in found if post.number is not None]
        since = min(post.created_at for post in found)
        later = Q(number__gte=min(numbers)) if numbers else Q(pk=None)
        known = {post.pk for post in found}
        found += replies.filter(later | Q(number=None, created_at__gte=since)).exclude(pk__in=known)
    found.sort(key=lambda post: (post.number is None, post.number or 0, post.pk))
    opening = next((post for post in found if post.is_visible), None)
    if opening is None:
        raise NothingToSplit
    return [opening, *(post for post in found if post is not opening)]


def _new_topic(topic: Topic, opening: Post, title: str, kind: str) -> Topic:
    is_announcement = topic.kind == Topic.Kind.ANNOUNCEMENT
    new = Topic.objects.create(
        board=topic.board,
        kind=kind or (Topic.Kind.DISCUSSION if is_announcement else topic.kind),
        title=title,
        excerpt=excerpt_of(opening.source),
        author_id=opening.author_id,
        lesson=topic.lesson,
        state=PostState.VISIBLE,
        score=opening.score,
        created_at=opening.created_at,
        published_at=opening.published_at,
        last_post_at=opening.published_at or opening.created_at,
        last_poster_id=opening.author_id,
    )
    new.tags.set(topic.tags.all())
    return new


def _carry(topic: Topic, new: Topic, moved: Sequence[Post]) -> None:
    """Give the posts their places in the new topic."""
    together = {post.pk for post in moved}
    for place, post in enumerate(moved):
        post.is_opening = place == 0
        if post.number is not None:
            new.last_number += 1
            post.number = new.last_number
        if post.is_opening or post.reply_to_id not in together:
            post.reply_to_id = None
        post.topic, post.stamp = new, new.stamp + 1
    fields = ["topic", "number", "is_opening", "reply_to", "stamp"]
    Post.objects.bulk_update(moved, fields, batch_size=BATCH)
    index_post(moved[0], new)


def _divide(topic: Topic, new: Topic, moved: set[int]) -> None:
    """Correct both topics once the posts have moved."""
    topic.posts.filter(reply_to__topic=new).update(reply_to=None, stamp=topic.stamp + 1)
    if topic.accepted_id in moved:
        opening = new.posts.get(is_opening=True).pk
        new.accepted_id = topic.accepted_id if new.is_question and topic.accepted_id != opening else None
        topic.accepted = None
        topic.save(update_fields=["accepted"])
    new.save(update_fields=["accepted", "last_number"])
    recount(topic)
    recount(new)
    stamp(topic)
    stamp(new)


def _copy_reading(topic: Topic, new: Topic, numbers: Sequence[int]) -> None:
    """Who has read the posts in the old topic has read them in the new one. ``numbers``: those they had there."""
    seen = Visit.objects.filter(topic=topic, last_number__gte=numbers[0])
    rows = seen.values_list("user", "last_number", "seen_at")
    visits = [
        Visit(user_id=user, topic=new, last_number=bisect_right(numbers, last), seen_at=at) for user, last, at in rows
    ]
    Visit.objects.bulk_create(visits, ignore_conflicts=True, batch_size=BATCH)
