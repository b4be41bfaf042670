"""Readers report posts. Enough reports hide a post until a moderator has looked at it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from apps.accounts.models import User
from apps.forum import moderation_notices as notices
from apps.forum import policies
from apps.forum.events import PostReported
from apps.forum.models import Post, PostState, Report
from apps.forum.services.locking import lock_post
from apps.forum.services.moderation_log import Kind, log
from apps.forum.services.posts import withdraw
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits


def report(*, post: Post, user: User, reason: str, comment: str = "", now: datetime) -> Report:
    """Report a post to its moderators.

    :raises NotFound: the user can't read it.
    :raises AlreadyReported: the user has reported it before.
    :raises OwnPostReported: the user wrote it.
    :raises ValueError: there is no such reason.
    """
    kind = Report.Reason(reason)
    with transaction.atomic():
        post = lock_post(post.pk)
        if not Post.objects.seen_by(user).filter(pk=post.pk).exists():
            raise NotFound
        enforce(policies.report(user, post))
        rate_limits.consume("forum_report", str(user.pk), now=now)
        found = Report.objects.create(post=post, user=user, reason=kind, comment=comment.strip()[:500], created_at=now)
        if (
            not policies.moderates(post.author, post.topic.board)
            and _weight(post, now) >= settings.FORUM_REPORTS_TO_HIDE
        ):
            withdraw(post, post.topic, PostState.HIDDEN, by=None)
            log(Kind.HIDDEN_BY_REPORTS, actor=None, post=post, was=PostState.VISIBLE, now=now)
            notices.tell_hidden_by_reports(post, now=now)
        publish(PostReported(post_id=post.pk, topic_id=post.topic_id))
    return found


def _weight(post: Post, now: datetime) -> int:
    """How many accounts that are not new have reported the post since the last decision."""
    oldest = now - timedelta(days=settings.FORUM_NEW_ACCOUNT_DAYS)
    return post.reports.filter(state=Report.State.OPEN, user__date_joined__lte=oldest).count()
