"""One decision of a moderator about a post, by its name."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.forum.models import Post
from apps.forum.services.bans import ban
from apps.forum.services.moderation import approve, hide, keep, reject, remove

_SIMPLE: dict[str, Callable[..., Any]] = {"approve": approve, "keep": keep}
_WITH_REASON: dict[str, Callable[..., Any]] = {"reject": reject, "hide": hide, "remove": remove}
ACTIONS = (*_SIMPLE, *_WITH_REASON, "ban")


def decide(
    *,
    post: Post,
    by: User,
    action: str,
    reason: str = "",
    days: Any = 0,
    everywhere: bool = False,
    edits: int | None = None,
    now: datetime,
) -> None:
    """Decide about a post, or ban its author.

    :param action: one of `ACTIONS`.
    :param days: of a ban; 0: permanent.
    :param everywhere: a ban on all boards, if an admin decides.
    :param edits: how often the text that the moderator has read was edited; None: not known.
    :raises AppError: the moderator may not, or the post has changed.
    """
    if action in _SIMPLE:
        _SIMPLE[action](post=post, by=by, edits=edits, now=now)
    elif action in _WITH_REASON:
        _WITH_REASON[action](post=post, by=by, reason=reason, now=now)
    else:
        board = None if everywhere and by.is_admin else post.topic.board
        ban(user=post.author, by=by, board=board, days=int(days) or None, reason=reason, now=now)
