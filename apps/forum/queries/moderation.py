"""What waits for moderators, what they need for a decision, and what they have decided."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, IntegerField, Min, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.models import User
from apps.forum.models import Ban, Board, MessageReport, ModerationAction, Post, PostState, Report, Topic
from apps.forum.models.topics import moderated_boards
from apps.forum.services.screening import REASONS
from apps.learning.queries.ratings import reported_ratings

PER_PAGE = 20
TABS = ("pending", "reported", "new", "bans", "log")
Kind = ModerationAction.Kind


def moderated_by(user: User, prefix: str) -> Q:
    """The boards that the user moderates."""
    found = moderated_boards(user, prefix)
    return Q(pk=None) if found is None else found


def held_posts(user: User) -> QuerySet[Post]:
    """The posts that wait for their review on the boards that the user moderates, longest first."""
    return _held(moderated_by(user, "topic__board__"))


def held_on(boards: Sequence[Board]) -> QuerySet[Post]:
    """The posts of some boards that wait for their review, longest first."""
    return _held(Q(topic__board__in=boards))


def _held(where: Q) -> QuerySet[Post]:
    posts = Post.objects.filter(where, state=PostState.HELD).exclude(topic__state=PostState.DELETED)
    return posts.order_by("created_at", "pk")


def reported_posts(user: User) -> QuerySet[Post]:
    """The posts with reports that nobody has decided, first reported first; ``reported_at``: since when."""
    return _reported(moderated_by(user, "topic__board__"))


def reported_on(boards: Sequence[Board] | QuerySet[Board]) -> QuerySet[Post]:
    """Like :func:`reported_posts`, of some boards."""
    return _reported(Q(topic__board__in=boards))


def _reported(where: Q) -> QuerySet[Post]:
    waiting = Report.objects.filter(post=OuterRef("pk"), state=Report.State.OPEN)
    since = waiting.order_by().values("post").annotate(first=Min("created_at")).values("first")
    posts = Post.objects.filter(where, Exists(waiting)).exclude(state=PostState.DELETED)
    return posts.annotate(reported_at=Subquery(since)).order_by("reported_at", "pk")


def with_rows(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Add what a row of the queue shows; ``waiting`` are the undecided reports. One more query."""
    reports = Report.objects.filter(state=Report.State.OPEN).select_related("user").order_by("created_at")
    return posts.select_related("author", "topic__board__course").prefetch_related(
        Prefetch("reports", reports, to_attr="waiting")
    )


def reported_messages() -> QuerySet[MessageReport]:
    """The reports of messages that nobody has decided, oldest first."""
    found = MessageReport.objects.filter(state=MessageReport.State.OPEN)
    return found.select_related("reporter", "message__author", "message__conversation__course").order_by("created_at")


def new_accounts(now: datetime) -> QuerySet[User]:
    """The accounts in their first days that have written something, newest first, with their number of posts."""
    since = now - timedelta(days=settings.FORUM_NEW_ACCOUNT_DAYS)
    posts = Post.objects.filter(author=OuterRef("pk"))
    counted = posts.order_by().values("author").annotate(n=Count("pk"))
    held = posts.filter(state=PostState.HELD).order_by().values("author").annotate(n=Count("pk"))
    users = User.objects.filter(Exists(posts), date_joined__gt=since, is_active=True, deleted_at=None)
    return users.annotate(
        post_count=Subquery(counted.values("n"), output_field=IntegerField()),
        held_count=Coalesce(Subquery(held.values("n"), output_field=IntegerField()), 0),
    ).order_by("-date_joined", "-pk")


def bans(user: User, now: datetime) -> QuerySet[Ban]:
    """All bans from the boards that the user moderates, those that hold first, then the newest."""
    return _bans(moderated_by(user, "board__"), now)


def bans_on(boards: Sequence[Board], now: datetime) -> QuerySet[Ban]:
    """The bans from some boards that hold, the newest first."""
    return _bans(Q(board__in=boards, pk__in=Ban.objects.active(now).values("pk")), now)


def _bans(where: Q, now: datetime) -> QuerySet[Ban]:
    holds = Ban.objects.active(now).filter(pk=OuterRef("pk"))
    found = Ban.objects.filter(where).annotate(holds=Exists(holds))
    return found.select_related("user", "board__course", "by").order_by("-holds", "-created_at")


@dataclass(frozen=True)
class Counts:
    """The numbers beside the tabs."""

    pending: int
    reported: int
    messages: int
    ratings: int  # reported reviews of courses
    new: int
    bans: int


def counts(user: User, now: datetime) -> Counts:
    """Six queries."""
    return Counts(
        pending=held_posts(user).order_by().count(),
        reported=_count(reported_posts(user)),
        messages=reported_messages().order_by().count(),
        ratings=reported_ratings().order_by().count() if user.is_admin else 0,
        new=new_accounts(now).order_by().count(),
        bans=Ban.objects.active(now).filter(moderated_by(user, "board__")).count(),
    )


def _count(posts: QuerySet[Post]) -> int:
    return posts.order_by().values("pk").count()


def page_of(rows: QuerySet, number: str | None, size: int = PER_PAGE) -> Page:  # type: ignore[type-arg]
    """A page of a list, the nearest one if there is none of this number."""
    return Paginator(rows, size).get_page(number)


@dataclass(frozen=True)
class History:
    """What is known about an author."""

    user: User
    posts: int
    accepted: int
    helpful: int
    decisions: Sequence[tuple[str, int]]
    ban: Ban | None

    @property
    def decided(self) -> str:
        """The earlier decisions about them in words, the most frequent first."""
        named = (_("%(count)s× %(what)s") % {"count": n, "what": DONE[kind]} for kind, n in self.decisions)
        return ", ".join(named) or _("none")


DONE: dict[str, str | Promise] = {
    Kind.APPROVED: gettext_lazy("approved"),
    Kind.REJECTED: gettext_lazy("rejected"),
    Kind.HIDDEN: gettext_lazy("hidden"),
    Kind.HIDDEN_BY_REPORTS: gettext_lazy("hidden after reports"),
    Kind.REMOVED: gettext_lazy("removed"),
    Kind.EDITED: gettext_lazy("edited by a moderator"),
    Kind.BANNED: gettext_lazy("banned"),
}


def history(author: User, viewer: User, now: datetime) -> History:
    """An author's posts, accepted answers, votes, earlier decisions and ban. Four queries.

    The ban is one from all boards, else the newest from a board that the viewer moderates.
    """
    bans = Ban.objects.active(now).filter(user=author).select_related("board")
    if not viewer.is_admin:
        bans = bans.filter(Q(board=None) | moderated_by(viewer, "board__"))
    posts = Post.objects.filter(author=author, state=PostState.VISIBLE)
    sums = posts.aggregate(n=Count("pk"), helpful=Sum("score"))
    decided = ModerationAction.objects.filter(user=author, kind__in=DONE, undone_by=None).order_by()
    rows = decided.values_list("kind").annotate(n=Count("pk")).order_by("-n")
    return History(
        user=author,
        posts=sums["n"],
        accepted=Topic.objects.filter(accepted__author=author, state=PostState.VISIBLE).count(),
        helpful=sums["helpful"] or 0,
        decisions=list(rows),
        ban=bans.order_by(F("board_id").asc(nulls_first=True), "-created_at").first(),
    )


@dataclass(frozen=True)
class Case:
    """A post with everything that a decision needs."""

    post: Post
    context: Post | None
    reports: Sequence[Report]
    why: Sequence[tuple[str | Promise, str | Promise]]
    history: History

    @property
    def is_held(self) -> bool:
        return self.post.state == PostState.HELD


def case(post: Post, viewer: User, now: datetime) -> Case:
    """The post comes from :func:`with_rows`. Five queries."""
    context = None
    if not post.is_opening:
        around = Q(pk=post.reply_to_id) if post.reply_to_id else Q(is_opening=True)
        context = Post.objects.filter(around, topic=post.topic_id).select_related("author").first()
    reports: list[Report] = getattr(post, "waiting", [])
    why = [REASONS.get(name, (name, "")) for name in post.held_for] if post.state == PostState.HELD else []
    return Case(post, context, reports, why, history(post.author, viewer, now))


def reasons_of(posts: Iterable[Post]) -> dict[int, str]:
    """Why posts are reported, by post. They come from :func:`with_rows`."""
    found: dict[int, str] = {}
    for post in posts:
        labels = dict.fromkeys(str(Report.Reason(one.reason).label) for one in getattr(post, "waiting", []))
        found[post.pk] = ", ".join(labels)
    return found
