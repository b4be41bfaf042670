"""The log of moderation in words."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.forum.models import Board, ModerationAction
from apps.forum.queries.moderation import moderated_by
from apps.forum.services.undoing import can_undo

Kind = ModerationAction.Kind


def actions(user: User) -> QuerySet[ModerationAction]:
    """The log of the boards that the user moderates, newest first."""
    return _actions(moderated_by(user, "board__"))


def actions_on(boards: Sequence[Board]) -> QuerySet[ModerationAction]:
    """The log of some boards, newest first."""
    return _actions(Q(board__in=boards))


def _actions(where: Q) -> QuerySet[ModerationAction]:
    return (
        ModerationAction.objects.filter(where)
        .select_related("actor", "user", "topic", "post", "board__course", "undone_by", "undoes__user", "undoes__topic")
        .order_by("-at", "-pk")
    )


def sentence(action: ModerationAction, closed: Collection[int] = ()) -> str:
    """What happened, as a line of the log. ``closed``: the boards of moved topics that the reader may not read."""
    if action.kind == Kind.UNDONE and action.undoes is not None:
        return _("Undone: %(what)s") % {"what": sentence(action.undoes, closed)}
    user = action.user.display_name if action.user else _("a deleted user")
    topic = action.topic.title if action.topic else _("a deleted topic")
    if action.topic and action.topic.board_id in closed:
        topic = _("a topic that was moved")
    days = action.details.get("days")
    banned = (
        ngettext("Banned %(user)s for %(days)s day", "Banned %(user)s for %(days)s days", days)
        if days
        else _("Banned %(user)s permanently")
    )
    count = action.details.get("count", 0)
    words = {
        Kind.APPROVED: _("Approved a post by %(user)s in “%(topic)s”"),
        Kind.REJECTED: _("Rejected a post by %(user)s in “%(topic)s”"),
        Kind.HIDDEN: _("Hid a post by %(user)s in “%(topic)s”"),
        Kind.HIDDEN_BY_REPORTS: _("Hid a post by %(user)s in “%(topic)s” after reports"),
        Kind.KEPT: _("Kept a reported post by %(user)s in “%(topic)s”"),
        Kind.REMOVED: _("Removed a post by %(user)s in “%(topic)s”"),
        Kind.RESTORED: _("Restored a post by %(user)s in “%(topic)s”"),
        Kind.EDITED: _("Edited a post by %(user)s in “%(topic)s”"),
        Kind.BANNED: banned,
        Kind.BAN_LIFTED: _("Lifted the ban of %(user)s"),
        Kind.PINNED: _("Pinned “%(topic)s”"),
        Kind.UNPINNED: _("Unpinned “%(topic)s”"),
        Kind.CLOSED: _("Closed “%(topic)s”"),
        Kind.REOPENED: _("Reopened “%(topic)s”"),
        Kind.MOVED: _("Moved “%(topic)s” to %(to)s"),
        Kind.MERGED: _("Merged “%(was)s” into “%(topic)s”"),
        Kind.SPLIT: ngettext(
            "Split %(count)s post from “%(was)s” into “%(topic)s”",
            "Split %(count)s posts from “%(was)s” into “%(topic)s”",
            count,
        ),
        Kind.RENAMED: _("Renamed “%(was)s” to “%(topic)s”"),
        Kind.RETAGGED: _("Changed the tags of “%(topic)s”"),
    }
    given = {"was": "", "to": ""} | action.details
    said: str = words[Kind(action.kind)] % (given | {"user": user, "topic": topic, "days": days, "count": count})
    return said


@dataclass(frozen=True)
class Line:
    """A line of the log in words."""

    action: ModerationAction
    text: str
    is_undone: bool
    can_undo: bool


def lines(actions: Iterable[ModerationAction], user: User) -> list[Line]:
    """The lines of the log for a page that the user reads. The actions come from :func:`actions`.

    The title of a topic may have changed after the topic was moved. One more query if any was.
    """
    actions = list(actions)
    moved = {
        one.topic.board_id
        for action in actions
        for one in (action, action.undoes)
        if one is not None and one.topic is not None and one.topic.board_id != one.board_id
    }
    readable = Board.objects.seen_by(user).filter(pk__in=moved).values_list("pk", flat=True) if moved else ()
    closed = moved.difference(readable)
    return [Line(one, sentence(one, closed), hasattr(one, "undone_by"), can_undo(one)) for one in actions]
