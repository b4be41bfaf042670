"""The log of moderation: one line for each change that a moderator made."""

from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.forum.models import Board, ModerationAction, Post, Topic

Kind = ModerationAction.Kind


def log(
    kind: Kind,
    *,
    actor: User | None,
    now: datetime,
    post: Post | None = None,
    topic: Topic | None = None,
    board: Board | None = None,
    user: User | None = None,
    reason: str = "",
    undoes: ModerationAction | None = None,
    **details: Any,
) -> ModerationAction:
    """Add a line. What belongs to a post is added by itself: its topic, board and author.

    :param details: what is needed to undo it.
    """
    topic = post.topic if post is not None else topic
    return ModerationAction.objects.create(
        kind=kind,
        actor=actor,
        post=post,
        topic=topic,
        board=topic.board if topic is not None else board,
        user=user or (post.author if post is not None else topic.author if topic is not None else None),
        reason=reason,
        details=details,
        undoes=undoes,
        at=now,
    )
