"""What moderators decide about posts and their authors. Each decision is one line of the log, and can be undone.

A decision locks the topic of the post and checks that the post is still as the moderator saw it, so of two moderators
who decide at once the second one sees the first one's decision.
"""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.forum import moderation_notices as notices
from apps.forum import policies
from apps.forum.errors import AlreadyDecided, ReasonMissing
from apps.forum.models import Post, PostState, Report
from apps.forum.services.locking import lock_post
from apps.forum.services.moderation_log import Kind, log
from apps.forum.services.posts import show, withdraw
from studyplatform.kit.policies import enforce

LONGEST_REASON = 500


def approve(*, post: Post, by: User, edits: int | None = None, now: datetime) -> Post:
    """Make a held post visible to all.

    :param edits: how often the text that the moderator has read was edited.
    :raises AlreadyDecided: it is not held any longer, or was edited meanwhile.
    """
    with transaction.atomic():
        post = to_decide(post, by, {PostState.HELD}, edits)
        reports = _close_reports(post, Report.State.DISMISSED, now)
        show(post, post.topic, now=now)
        log(Kind.APPROVED, actor=by, post=post, was=PostState.HELD, reports=reports, now=now)
        if post.author_id != by.pk:
            notices.tell_approved(post, now=now)
    return post


def reject(*, post: Post, by: User, reason: str, now: datetime) -> Post:
    """Keep a held post from being published. Its author reads the reason, and can edit the post for another review.

    :raises AlreadyDecided: it is not held any longer.
    :raises ReasonMissing: there is no reason.
    """
    reason = clean_reason(reason, is_required=True)
    with transaction.atomic():
        post = to_decide(post, by, {PostState.HELD})
        withdraw(post, post.topic, PostState.HIDDEN, by=by)
        reports = _close_reports(post, Report.State.UPHELD, now)
        action = log(Kind.REJECTED, actor=by, post=post, reason=reason, was=PostState.HELD, reports=reports, now=now)
        if post.author_id != by.pk:
            notices.tell_rejected(action, post)
    return post


def hide(*, post: Post, by: User, reason: str = "", now: datetime) -> Post:
    """Hide a post from everyone but its author and the moderators, and uphold the reports of it.

    One that reports have hidden stays hidden.

    :raises AlreadyDecided: a moderator has hidden or the author deleted it.
    """
    return _take_away(post, by, PostState.HIDDEN, Kind.HIDDEN, reason, now)


def remove(*, post: Post, by: User, reason: str = "", now: datetime) -> Post:
    """Delete a post so that its author can't restore it, and uphold the reports of it.

    :raises AlreadyDecided: it is deleted already.
    """
    return _take_away(post, by, PostState.DELETED, Kind.REMOVED, reason, now)


def _take_away(post: Post, by: User, state: PostState, kind: Kind, reason: str, now: datetime) -> Post:
    reason = clean_reason(reason)
    with transaction.atomic():
        post = to_decide(post, by, {PostState.VISIBLE, PostState.HELD, PostState.HIDDEN})
        was, is_waiting = post.state, post.reports.filter(state=Report.State.OPEN).exists()
        if state == was and not (post.changed_by_id is None and is_waiting):
            raise AlreadyDecided
        is_accepted = post.topic.accepted_id == post.pk
        withdraw(post, post.topic, state, by=by)
        reports = _close_reports(post, Report.State.UPHELD, now)
        action = log(
            kind,
            actor=by,
            post=post,
            reason=reason,
            was=was,
            reports=reports,
            is_accepted=is_accepted,
            now=now,
        )
        if post.author_id != by.pk:
            notices.tell_hidden(action, post)
    return post


def keep(*, post: Post, by: User, edits: int | None = None, now: datetime) -> Post:
    """Dismiss the reports of a post. One that they have hidden becomes visible again.

    :param edits: how often the text that the moderator has read was edited.
    :raises AlreadyDecided: no report of it waits, or it was edited meanwhile.
    """
    with transaction.atomic():
        post = to_decide(post, by, {PostState.VISIBLE, PostState.HIDDEN, PostState.HELD}, edits)
        reports = _close_reports(post, Report.State.DISMISSED, now)
        if not reports:
            raise AlreadyDecided
        was = post.state
        if was == PostState.HIDDEN and post.changed_by_id is None and post.number is not None:
            show(post, post.topic, now=now)
        log(Kind.KEPT, actor=by, post=post, was=was, reports=reports, now=now)
    return post


def to_decide(post: Post, by: User, states: set[PostState], edits: int | None = None) -> Post:
    """Lock a post for a decision.

    :raises AlreadyDecided: it is in another state by now, or has another text than the one that was read.
    """
    post = lock_post(post.pk)
    enforce(policies.moderate(by, post.topic.board))
    if post.state not in states or (edits is not None and edits != post.edit_count):
        raise AlreadyDecided
    return post


def _close_reports(post: Post, state: Report.State, now: datetime) -> list[int]:
    """Decide the waiting reports of a post; tell the reporters if they were right. Their ids."""
    reports = list(post.reports.filter(state=Report.State.OPEN).select_related("user"))
    pks = [one.pk for one in reports]
    Report.objects.filter(pk__in=pks).update(state=state, decided_at=now)
    if state == Report.State.UPHELD and reports:
        notices.tell_reporters([one.user for one in reports], post, now=now)
    return pks


def clean_reason(reason: str, *, is_required: bool = False) -> str:
    """A reason without spaces around it, cut to its greatest length.

    :raises ReasonMissing: there is none.
    """
    reason = reason.strip()[:LONGEST_REASON]
    if is_required and not reason:
        raise ReasonMissing
    return reason
