"""What moderators do with a whole topic: pin, close, rename, retag and move it. Each can be undone from the log.

Each function locks the topic, so of two moderators who act at once the second one finds what the first one has done.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.forum import policies, tool_policies
from apps.forum.errors import AlreadyDecided, EditNeedsModerator, TextBecomesPublic
from apps.forum.events import PostHeld, TopicChanged
from apps.forum.models import Board, ModerationAction, PostState, Topic
from apps.forum.services.indexing import index_post
from apps.forum.services.locking import lock_topic
from apps.forum.services.moderation_log import Kind, log
from apps.forum.services.naming import clean_tags, clean_title, tags_named
from apps.forum.services.posts import edit, stamp, withdraw
from apps.forum.services.screening import screen
from apps.forum.services.undoing import undoes
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits


def lock_for_tools(pk: int, by: User) -> Topic:
    """Lock a topic for a moderator.

    :raises NotFound: there is none, or the user doesn't moderate its board.
    """
    topic = lock_topic(pk)
    enforce(tool_policies.use_tools(by, topic))
    return topic


def pin(*, topic: Topic, by: User, on: bool, now: datetime) -> None:
    """Show a topic above the others of its board, or no longer. Idempotent."""
    with transaction.atomic():
        topic = lock_for_tools(topic.pk, by)
        if (topic.pinned_at is not None) != on:
            _change(topic, pinned_at=now if on else None)
            log(Kind.PINNED if on else Kind.UNPINNED, actor=by, topic=topic, now=now)


def close(*, topic: Topic, by: User, on: bool, now: datetime) -> None:
    """Close a topic to replies of everyone but the moderators, or open it again. Idempotent."""
    with transaction.atomic():
        topic = lock_for_tools(topic.pk, by)
        if topic.is_locked != on:
            _change(topic, locked_at=now if on else None)
            log(Kind.CLOSED if on else Kind.REOPENED, actor=by, topic=topic, now=now)


def rename(*, topic: Topic, by: User, title: str, now: datetime) -> None:
    """Give a topic another title: its author while it is open, and moderators. Idempotent.

    The author's change is an edit of the opening post: in the first week of an account it is reviewed.

    :raises ValidationFailed: the title is empty or too long.
    """
    title = clean_title(title)
    with transaction.atomic():
        topic = lock_topic(topic.pk)
        enforce(tool_policies.rename(by, topic))
        if title == topic.title:
            return
        if not policies.moderates(by, topic.board):
            opening = topic.posts.get(is_opening=True)
            edit(post=opening, editor=by, source=opening.source, title=title, now=now)
            return
        old = topic.title
        _change(topic, title=title)
        _index(topic)
        log(Kind.RENAMED, actor=by, topic=topic, now=now, was=old, title=title)


def retag(*, topic: Topic, by: User, tags: Iterable[str], now: datetime) -> None:
    """Replace the tags of a topic: its author while it is open, and moderators. Idempotent.

    :raises EditNeedsModerator: tags of new accounts are reviewed, for which a topic with replies can't disappear.
    :raises TooManyTags: more than five, or too long ones.
    """
    names = clean_tags(tags)
    with transaction.atomic():
        topic = lock_topic(topic.pk)
        enforce(tool_policies.rename(by, topic))
        old = _tags(topic)
        topic.tags.set(tags_named(names))
        new = _tags(topic)
        if old == new:
            return
        _index(topic)
        if policies.moderates(by, topic.board):
            log(Kind.RETAGGED, actor=by, topic=topic, now=now, was=old, tags=new)
        else:
            rate_limits.consume("forum_edit", str(by.pk), now=now)
            _review_tags(topic, by, new, now)
        _change(topic)


def rename_and_retag(*, topic: Topic, by: User, title: str, tags: Iterable[str], now: datetime) -> None:
    """:func:`rename` and :func:`retag`, both or neither."""
    with transaction.atomic():
        rename(topic=topic, by=by, title=title, now=now)
        retag(topic=topic, by=by, tags=tags, now=now)


def move(*, topic: Topic, board: Board, by: User, is_public_ok: bool = False, now: datetime) -> None:
    """Move a topic to another board that the moderator moderates as well. It is no longer pinned. Idempotent.

    A lesson to which it belongs stays with it only if the board is that of its course. What users who can't read the
    new board were told about it is deleted.

    :param is_public_ok: the moderator knows that more people can read it then.
    :raises TextBecomesPublic: they were not told.
    """
    with transaction.atomic():
        topic = lock_for_tools(topic.pk, by)
        enforce(policies.moderate(by, board))
        if board.pk == topic.board_id:
            return
        if tool_policies.opens_up(topic.board, board) and not is_public_ok:
            raise TextBecomesPublic
        old_board, old_lesson, old_second, pinned_at = topic.board_id, topic.lesson_id, topic.second, topic.pinned_at
        has_lesson = topic.lesson is not None and topic.lesson.course_id == board.course_id
        _place(topic, board, topic.lesson if has_lesson else None, topic.second if has_lesson else None, None)
        log(
            Kind.MOVED,
            actor=by,
            topic=topic,
            to=board.title,
            to_board=board.pk,
            from_board=old_board,
            lesson=old_lesson,
            second=old_second,
            pinned_at=pinned_at.isoformat() if pinned_at else None,
            now=now,
        )


def _place(topic: Topic, board: Board, lesson: Lesson | None, second: int | None, pinned_at: datetime | None) -> None:
    _change(topic, board=board, lesson=lesson, second=second, pinned_at=pinned_at)
    jobs.enqueue("forum.forget_unreadable", key=str(topic.pk), topic_id=topic.pk)


def _change(topic: Topic, **values: Any) -> None:
    for name, value in values.items():
        setattr(topic, name, value)
    if values:
        topic.save(update_fields=list(values))
    stamp(topic)
    publish(TopicChanged(topic_id=topic.pk))


def _index(topic: Topic) -> None:
    for opening in topic.posts.filter(is_opening=True):
        index_post(opening, topic)


def _tags(topic: Topic) -> list[str]:
    return sorted(topic.tags.values_list("name", flat=True))


def _review_tags(topic: Topic, by: User, tags: list[str], now: datetime) -> None:
    """Hold a topic whose author has changed its tags, if such a change is reviewed."""
    opening = topic.posts.get(is_opening=True)
    text = "\n\n".join([topic.title, opening.source, *tags])
    reasons = screen(author=by, board=topic.board, source=text, post=opening, now=now)
    if not reasons or not opening.is_visible:
        return
    if topic.reply_count:
        raise EditNeedsModerator
    opening.held_for = reasons
    opening.save(update_fields=["held_for"])
    withdraw(opening, topic, PostState.HELD, by=None)
    publish(PostHeld(post_id=opening.pk, topic_id=topic.pk))


def _of(action: ModerationAction, by: User) -> Topic:
    return lock_for_tools(action.topic_id or 0, by)


@undoes(Kind.PINNED, Kind.UNPINNED)
def _undo_pin(action: ModerationAction, by: User, now: datetime) -> None:
    topic, on = _of(action, by), action.kind == Kind.PINNED
    if (topic.pinned_at is not None) != on:
        raise AlreadyDecided
    _change(topic, pinned_at=None if on else now)


@undoes(Kind.CLOSED, Kind.REOPENED)
def _undo_close(action: ModerationAction, by: User, now: datetime) -> None:
    topic, on = _of(action, by), action.kind == Kind.CLOSED
    if topic.is_locked != on:
        raise AlreadyDecided
    _change(topic, locked_at=None if on else now)


@undoes(Kind.RENAMED)
def _undo_rename(action: ModerationAction, by: User, now: datetime) -> None:
    topic = _of(action, by)
    if topic.title != action.details["title"]:
        raise AlreadyDecided
    _change(topic, title=action.details["was"])
    _index(topic)


@undoes(Kind.RETAGGED)
def _undo_retag(action: ModerationAction, by: User, now: datetime) -> None:
    topic = _of(action, by)
    if _tags(topic) != action.details["tags"]:
        raise AlreadyDecided
    topic.tags.set(tags_named(action.details["was"]))
    _index(topic)
    _change(topic)


@undoes(Kind.MOVED)
def _undo_move(action: ModerationAction, by: User, now: datetime) -> None:
    """Move a topic back, unless that would show to more people what was written since."""
    topic, was = _of(action, by), action.details
    board = Board.objects.select_related("course").filter(pk=was["from_board"]).first()
    if board is None or topic.board_id != was["to_board"]:
        raise AlreadyDecided
    enforce(policies.moderate(by, board))
    if tool_policies.opens_up(topic.board, board) and topic.posts.filter(created_at__gt=action.at).exists():
        raise AlreadyDecided
    lesson = Lesson.objects.filter(pk=was["lesson"] or 0, course=board.course_id).first()
    pinned_at = parse_datetime(was["pinned_at"]) if was["pinned_at"] else None
    _place(topic, board, lesson, was["second"] if lesson else None, pinned_at)
