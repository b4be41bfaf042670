"""Taking decisions of moderators back."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.forum import policies
from apps.forum.errors import AlreadyDecided, NotUndoable
from apps.forum.models import ModerationAction, Post, PostState, Report
from apps.forum.services.bans import end_ban, lock_ban
from apps.forum.services.locking import lock_post
from apps.forum.services.moderation_log import Kind, log
from apps.forum.services.posts import edit, show, withdraw
from studyplatform.kit.policies import enforce

Undo = Callable[[ModerationAction, User, datetime], None]
_UNDO: dict[str, Undo] = {}


def undoes(*kinds: Kind) -> Callable[[Undo], Undo]:
    """Register how actions of some kinds are undone. The function checks the policy and takes the locks."""

    def register(function: Undo) -> Undo:
        _UNDO.update(dict.fromkeys(kinds, function))
        return function

    return register


def can_undo(action: ModerationAction) -> bool:
    """Whether an action is of a kind that can be undone."""
    return action.kind in _UNDO


def undo(*, action: ModerationAction, by: User, now: datetime) -> None:
    """Take an action back.

    :raises AlreadyDecided: what it concerned has changed since.
    :raises NotUndoable: it was undone before, or can't be.
    """
    how = _UNDO.get(action.kind)
    if how is None:
        raise NotUndoable
    with transaction.atomic():
        how(action, by, now)
        if ModerationAction.objects.filter(undoes=action).exists():
            raise NotUndoable
        log(
            Kind.UNDONE,
            actor=by,
            post=action.post,
            topic=action.topic,
            board=action.board,
            user=action.user,
            undoes=action,
            now=now,
        )


_LEFT = {
    Kind.APPROVED: {PostState.VISIBLE},
    Kind.REJECTED: {PostState.HIDDEN},
    Kind.HIDDEN: {PostState.HIDDEN},
    Kind.HIDDEN_BY_REPORTS: {PostState.HIDDEN},
    Kind.REMOVED: {PostState.DELETED},
    Kind.RESTORED: {PostState.VISIBLE, PostState.HELD},
    Kind.KEPT: {PostState.VISIBLE, PostState.HIDDEN, PostState.HELD},
}


@undoes(*_LEFT)
def _undo_decision(action: ModerationAction, by: User, now: datetime) -> None:
    """Bring a post back to its state before the decision, and its reports back to the queue."""
    post = _of_action(action, by)
    if post.state not in _LEFT[Kind(action.kind)]:
        raise AlreadyDecided
    was = action.details["was"]
    if was != post.state:
        if was == PostState.VISIBLE:
            show(post, post.topic, now=now)
            if action.details.get("is_accepted") and post.topic.accepted_id is None:
                post.topic.accepted = post
                post.topic.save(update_fields=["accepted"])
        else:
            withdraw(post, post.topic, was, by=by if was == PostState.DELETED else None)
    waiting = Report.objects.filter(post=post, pk__in=action.details.get("reports", []))
    waiting.update(state=Report.State.OPEN, decided_at=None)


@undoes(Kind.EDITED)
def _undo_edit(action: ModerationAction, by: User, now: datetime) -> None:
    """Bring back the text before an edit."""
    post = _of_action(action, by)
    revision = post.revisions.order_by("-created_at", "-pk").first()
    if post.edit_count != action.details["edits"]:
        raise AlreadyDecided
    source = revision.source if revision is not None and revision.created_at == action.at else post.source
    edit(post=post, editor=by, source=source, title=action.details["title"], is_logged=False, now=now)


@undoes(Kind.BANNED)
def _undo_ban(action: ModerationAction, by: User, now: datetime) -> None:
    found = lock_ban(action.details["ban"])
    enforce(policies.ban(by, found.user, found.board))
    end_ban(found, now)


@undoes(Kind.BAN_LIFTED)
def _undoend_ban(action: ModerationAction, by: User, now: datetime) -> None:
    found = lock_ban(action.details["ban"])
    enforce(policies.ban(by, found.user, found.board))
    if found.lifted_at is None:
        raise AlreadyDecided
    found.lifted_at = None
    found.save(update_fields=["lifted_at"])


def _of_action(action: ModerationAction, by: User) -> Post:
    post = lock_post(action.post_id or 0)
    enforce(policies.moderate(by, post.topic.board))
    if ModerationAction.objects.filter(undoes=action).exists():
        raise NotUndoable
    return post
