"""Notifications of what moderators decided, and of what waits for them."""

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import Role, User
from apps.accounts.services import Mail
from apps.courses.policies import teachers_of
from apps.forum.models import Board, ModerationAction, Post

APPROVED = services.register_kind(
    services.Kind(
        name="forum.approved",
        group="learning",
        title=_("Your posts are approved"),
        headline=_("Your post in “%(topic)s” is published"),
        action=_("Read it"),
        icon="check",
        mail=Mail.OFF,
    )
)
REJECTED = services.register_kind(
    services.Kind(
        name="forum.rejected",
        group="learning",
        title=_("Your posts are not approved"),
        headline=_("Your post in “%(topic)s” wasn't published"),
        text=_("Only you and the moderators can see it. Edit it and they'll review it again."),
        quote="reason",
        action=_("See your post"),
        icon="eye-off",
    )
)
HIDDEN = services.register_kind(
    services.Kind(
        name="forum.hidden",
        group="learning",
        title=_("Your posts are hidden or removed"),
        headline=_("%(what)s"),
        quote="reason",
        action=_("View"),
        icon="eye-off",
    )
)
BANNED = services.register_kind(
    services.Kind(
        name="forum.banned",
        group="learning",
        title=_("You can't write in the discussions"),
        headline=_("You can read the discussions, but not write, %(until)s"),
        quote="reason",
        icon="lock",
    )
)
UPHELD = services.register_kind(
    services.Kind(
        name="forum.report",
        group="learning",
        title=_("Outcome of your reports"),
        headline=_("The moderators agreed with your report in “%(topic)s”"),
        text=_("The post is no longer shown. Thank you for helping to keep the discussions clean."),
        icon="flag",
        mail=Mail.OFF,
    )
)
WAITING = services.register_kind(
    services.Kind(
        name="forum.waiting",
        group="teaching",
        title=_("Posts waiting for a moderator"),
        headline=_("Posts are waiting for a moderator in “%(board)s”"),
        action=_("Open the queue"),
        icon="messages-square",
        hint=_("At most once a day for each board."),
        mail=Mail.DIGEST,
        is_for=lambda user: user.can_teach,
    )
)


def tell_approved(post: Post, *, now: datetime) -> None:
    """Tell the author that a post is visible to all; once, even if it was held several times."""
    services.notify(APPROVED.name, post.author, post.path, f"{post.pk}", topic=post.topic.title, now=now)


def tell_rejected(action: ModerationAction, post: Post) -> None:
    """Tell the author that a post was not published, and why."""
    title, reason = post.topic.title, action.reason
    services.notify(REJECTED.name, post.author, post.path, f"{action.pk}", topic=title, reason=reason, now=action.at)


def tell_hidden(action: ModerationAction, post: Post) -> None:
    """Tell the author that a moderator hid or removed a post, and why."""
    what = _now("A moderator removed your post in “%(topic)s”")
    link = "/forum/?tab=mine"
    if action.kind == ModerationAction.Kind.HIDDEN:
        what, link = _now("A moderator hid your post in “%(topic)s”"), post.path
    _tell_hidden(post, what, link, str(action.pk), action.reason, action.at)


def tell_hidden_by_reports(post: Post, *, now: datetime) -> None:
    """Tell the author that several readers reported a post."""
    what = _now("Your post in “%(topic)s” is hidden until a moderator has read it")
    count = ModerationAction.objects.filter(post=post).count()
    _tell_hidden(post, what, post.path, f"reports-{post.pk}-{count}", _now("Several readers reported it."), now)


def _tell_hidden(post: Post, what: str, link: str, key: str, reason: str, now: datetime) -> None:
    words = what % {"topic": post.topic.title}
    services.notify(HIDDEN.name, post.author, link, key, what=words, reason=reason, now=now)


def tell_banned(user: User, *, key: str, until: str, reason: str, now: datetime) -> None:
    """Tell a user that they may not write, until when and why."""
    services.notify(BANNED.name, user, "/forum/", key, until=until, reason=reason, now=now)


def tell_reporters(users: Iterable[User], post: Post, *, now: datetime) -> None:
    """Tell those who reported a post that the moderators agreed; each once per post.

    A topic that is no longer visible is not named: its title may have been edited since the reporters could read it.
    """
    where = post.topic.title if post.topic.is_visible else post.topic.board.title
    services.notify_all(UPHELD.name, users, "/forum/", f"{post.pk}", topic=where, now=now)


def tell_moderators(board: Board, *, tab: str, now: datetime) -> None:
    """Tell the moderators of a board that something waits; at most once a day.

    Of a course board: those who teach the course. If nobody of them may, and for other boards: the admins.

    :param tab: of the queue, ``pending`` or ``reported``.
    """
    key = f"{board.pk}-{now.date()}"
    teachers = list(teachers_of(board.course)) if board.course is not None else []
    if teachers:
        address = f"/dashboard/instructor/forum?tab={tab}"
        services.notify_all(WAITING.name, teachers, address, key, board=board.title, now=now)
        return
    admins = User.objects.filter(role=Role.ADMIN, is_active=True)
    address = f"/dashboard/admin/forum?tab={tab}"
    services.notify_all(WAITING.name, admins, address, key, board=board.title, now=now)
