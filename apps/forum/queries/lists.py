"""Lists of topics: latest, unanswered, solved, followed, own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BooleanField, Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.functional import cached_property

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.forum.models import Board, Follow, Level, Post, ReadMark, Tag, Topic, Visit
from apps.forum.models.topics import tagged
from apps.learning.models import Enrollment

PER_PAGE = 20
MOST_PAGES = 50  # more are reached by date: counting all topics of a large forum would cost more than the page
REPLIES, REPLIES_FOR = 3, timedelta(days=30)
TABS = ("latest", "unanswered", "solved", "following", "mine")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which topics a list shows. ``before`` limits it to topics whose last post is older."""

    tab: str = "latest"
    board: Board | None = None
    tag: Tag | None = None
    before: datetime | None = None
    is_own_courses: bool = False


@dataclass(frozen=True)
class TopicList:
    """A page of topics. ``is_cut``: there are more than :data:`MOST_PAGES` pages."""

    topics: list[Topic]
    number: int
    pages: int
    total: int
    is_cut: bool

    @cached_property
    def last_at(self) -> datetime | None:
        return self.topics[-1].last_post_at if self.topics else None


def topics_of(choice: Choice, user: AnyUser) -> QuerySet[Topic]:
    """The topics of a list, newest activity first, without their order of pinned ones."""
    topics = Topic.objects.listed_for(user)
    if choice.tab == "mine" and isinstance(user, User):
        topics = Topic.objects.seen_by(user).filter(author=user)
    if choice.tab == "unanswered":
        topics = topics.filter(kind=Topic.Kind.QUESTION, accepted=None, reply_count=0)
    elif choice.tab == "solved":
        topics = topics.filter(accepted__isnull=False)
    elif choice.tab == "following" and isinstance(user, User):
        topics = topics.filter(_followed(user))
    if isinstance(user, User) and choice.tab in {"latest", "unanswered"} and choice.board is None:
        muted = Follow.objects.filter(user=user, level=Level.MUTED)
        topics = topics.exclude(Exists(muted.filter(topic=OuterRef("pk")))).exclude(
            Exists(muted.filter(board=OuterRef("board")))
        )
    if choice.board is not None:
        topics = topics.filter(board=choice.board)
    if choice.tag is not None:
        topics = topics.filter(tagged(choice.tag.slug))
    if choice.is_own_courses and isinstance(user, User):
        topics = topics.filter(board__in=own_boards(user).values("pk"))
    if choice.before is not None:
        topics = topics.filter(last_post_at__lt=choice.before)
    return topics.order_by("-last_post_at", "-pk")


def _followed(user: User) -> Q:
    followed = Follow.objects.filter(user=user).exclude(level=Level.MUTED)
    through = Topic.tags.through.objects.filter(topic=OuterRef("pk"))
    return (
        Q(Exists(followed.filter(topic=OuterRef("pk"))))
        | Q(Exists(followed.filter(board=OuterRef("board"))))
        | Q(Exists(through.filter(tag__in=followed.exclude(tag=None).values("tag"))))
    )


def page_of_topics(choice: Choice, user: AnyUser, number: int) -> TopicList:
    """A page of a list with what its rows show. Three queries: a count that stops early, the rows, their tags."""
    topics = topics_of(choice, user)
    limit = PER_PAGE * MOST_PAGES
    total = topics.order_by()[: limit + 1].count()
    pages = max(1, min(MOST_PAGES, -(-total // PER_PAGE)))
    number = min(max(1, number), pages)
    rows = list(with_marks(topics, user)[(number - 1) * PER_PAGE : number * PER_PAGE])
    return TopicList(rows, number, pages, min(total, limit), is_cut=total > limit)


def with_marks(topics: QuerySet[Topic], user: AnyUser) -> QuerySet[Topic]:
    """Add the board, the author, the tags, and as ``is_new`` whether something in it is new to the user."""
    topics = topics.select_related("board__course", "author").prefetch_related("tags")
    if not isinstance(user, User):
        return topics.annotate(is_new=Value(value=False))
    seen = Visit.objects.filter(user=user, topic=OuterRef("pk")).values("last_number")
    read_until = ReadMark.objects.filter(user=user).values("read_until")
    return topics.annotate(seen=Subquery(seen), read_until=Subquery(read_until)).annotate(
        is_new=Case(
            # The newest posts may have been hidden or deleted since: then nothing is new.
            When(seen__isnull=False, last_number__lte=F("seen"), then=False),
            When(seen__isnull=False, then=Exists(posts_beyond(OuterRef("pk"), OuterRef("seen")))),
            When(last_poster=user, then=False),
            When(read_until__isnull=True, then=False),
            When(last_post_at__gt=F("read_until"), then=True),
            default=False,
            output_field=BooleanField(),
        )
    )


def pinned_topics(choice: Choice, user: AnyUser) -> list[Topic]:
    """The pinned topics above the first page: of a board its own, of all boards the announcements. Two queries."""
    topics = Topic.objects.listed_for(user).filter(pinned_at__isnull=False)
    topics = topics.filter(board=choice.board) if choice.board else topics.filter(board__course=None)
    return list(with_marks(topics, user).order_by("-pinned_at")[:5])


def own_boards(user: User) -> QuerySet[Board]:
    """The boards of the courses in which the user is enrolled or which they teach."""
    enrolled = Enrollment.objects.active().of(user.pk).values("course")
    taught = Course.objects.taught_by(user.pk).values("pk") if user.can_teach else Course.objects.none().values("pk")
    return Board.objects.filter(Q(course__in=enrolled) | Q(course__in=taught))


@dataclass(frozen=True)
class Boards:
    own: Sequence[Board]
    general: Sequence[Board]


def boards_for(user: AnyUser) -> Boards:
    """The boards beside the list: general ones and those of own courses with ``unread``. One or two queries."""
    general = Q(course=None)
    if not isinstance(user, User):
        return Boards([], list(Board.objects.filter(general)))
    own = list(
        own_boards(user).select_related("course").annotate(unread=Subquery(_unread_topics(user))).order_by("title")[:12]
    )
    return Boards(own, list(Board.objects.filter(general)))


def posts_beyond(topic: Any, number: Any) -> QuerySet[Post]:
    """The visible posts of a topic after a number."""
    return Post.objects.public().filter(topic=topic, number__gt=number)


def _unread_topics(user: User) -> QuerySet[Any]:
    """How many topics of a board have something new to the user, at most those since their last "Mark all read"."""
    mark = ReadMark.objects.filter(user=user).values("read_until")
    seen = Visit.objects.filter(user=user, topic=OuterRef("pk"))
    seen = seen.exclude(Exists(posts_beyond(OuterRef("topic"), OuterRef("last_number"))))
    unread = Topic.objects.public().filter(board=OuterRef("pk"), last_post_at__gt=Subquery(mark)).exclude(Exists(seen))
    return unread.exclude(last_poster=user).order_by().values("board").annotate(n=Count("pk")).values("n")


def replies_to(user: User, *, now: datetime) -> list[Topic]:
    """The user's topics in which somebody else wrote the newest post, newest first: at most ``REPLIES``. One query.

    Only those of the last ``REPLIES_FOR``. ``unread``: how many posts the user has not seen.
    """
    seen = Visit.objects.filter(user=user, topic=OuterRef("pk")).values("last_number")
    topics = Topic.objects.listed_for(user).filter(author=user, reply_count__gt=0, last_post_at__gt=now - REPLIES_FOR)
    topics = topics.exclude(last_poster=user).select_related("last_poster")
    topics = topics.annotate(unread=F("last_number") - Coalesce(Subquery(seen), 1))
    return list(topics.order_by("-last_post_at", "-pk")[:REPLIES])


def counts_for(user: AnyUser) -> dict[str, int]:
    """How many topics the tabs with a number have, each counted up to 100. One query for each."""
    tabs = ["unanswered"] + (["following", "mine"] if isinstance(user, User) else [])
    return {tab: topics_of(Choice(tab=tab), user).order_by()[:100].count() for tab in tabs}
