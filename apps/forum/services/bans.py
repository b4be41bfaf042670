"""Bans: a user may read, but not write."""

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts.models import User
from apps.forum import moderation_notices as notices
from apps.forum import policies
from apps.forum.errors import AlreadyDecided
from apps.forum.models import Ban, Board
from apps.forum.services.moderation import clean_reason
from apps.forum.services.moderation_log import Kind, log
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

MOST_DAYS = 3650


def ban(*, user: User, by: User, board: Board | None, days: int | None, reason: str, now: datetime) -> Ban:
    """Keep a user from writing: on a board (None: everywhere), for some days (None: until it is lifted).

    :raises ModeratorNotBanned: the user moderates the board.
    :raises ReasonMissing: there is no reason.
    :raises ValueError: the number of days is out of range.
    """
    enforce(policies.ban(by, user, board))
    reason = clean_reason(reason, is_required=True)
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise ValueError(days)
    until = now + timedelta(days=days) if days is not None else None
    with transaction.atomic():
        # Of two moderators who ban at once, the second one finds the ban of the first.
        User.objects.select_for_update().get(pk=user.pk)
        same = Ban.objects.active(now).filter(user=user, board=board, until=until, reason=reason).first()
        if same is not None:
            return same
        found = Ban.objects.create(user=user, board=board, until=until, reason=reason, by=by, created_at=now)
        log(Kind.BANNED, actor=by, user=user, board=board, reason=reason, ban=found.pk, days=days, now=now)
        notices.tell_banned(user, key=str(found.pk), until=policies.end_of(found), reason=reason, now=now)
    return found


def lift_ban(*, ban: Ban, by: User, now: datetime) -> None:
    """End a ban.

    :raises AlreadyDecided: it is over or lifted.
    """
    with transaction.atomic():
        found = lock_ban(ban.pk)
        enforce(policies.ban(by, found.user, found.board))
        end_ban(found, now)
        log(Kind.BAN_LIFTED, actor=by, user=found.user, board=found.board, ban=found.pk, now=now)


def lock_ban(pk: int) -> Ban:
    found = Ban.objects.select_for_update(of=("self",)).select_related("user", "board__course").filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def end_ban(found: Ban, now: datetime) -> None:
    if found.lifted_at is not None or (found.until is not None and found.until <= now):
        raise AlreadyDecided
    found.lifted_at = now
    found.save(update_fields=["lifted_at"])
