"""What a user follows, and how closely."""

from datetime import datetime

from apps.accounts.models import User
from apps.forum.models import Board, Follow, Tag, Topic
from studyplatform.kit.errors import NotFound

Target = Topic | Board | Tag


def follow(*, user: User, target: Target, level: str, now: datetime) -> None:
    """Follow a topic, a board or a tag. Idempotent.

    :raises NotFound: the user may not read it.
    """
    if isinstance(target, Topic):
        if not Topic.objects.seen_by(user).filter(pk=target.pk).exists():
            raise NotFound
        set_level(user=user, level=level, topic=target, now=now)
    elif isinstance(target, Board):
        if not Board.objects.seen_by(user).filter(pk=target.pk).exists():
            raise NotFound
        set_level(user=user, level=level, board=target, now=now)
    else:
        set_level(user=user, level=level, tag=target, now=now)


def set_level(
    *,
    user: User,
    level: str,
    topic: Topic | None = None,
    board: Board | None = None,
    tag: Tag | None = None,
    now: datetime,
) -> None:
    """Store how closely the user follows exactly one of them."""
    Follow.objects.update_or_create(
        user=user,
        topic=topic,
        board=board,
        tag=tag,
        defaults={"level": level},
        create_defaults={"level": level, "created_at": now},
    )


def unfollow(*, user: User, target: Target) -> None:
    """Follow it no longer. Idempotent."""
    key = {Topic: "topic", Board: "board", Tag: "tag"}[type(target)]
    Follow.objects.filter(user=user, **{key: target}).delete()
