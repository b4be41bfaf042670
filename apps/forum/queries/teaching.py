"""The boards of an instructor's courses: which questions wait, and one of them with its replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, OuterRef, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Right, taught_by
from apps.forum import search
from apps.forum.models import Board, Follow, Level, Post, PostState, Topic
from apps.forum.queries.figures import answered_by_learners
from apps.forum.queries.moderation import held_on, reported_on
from apps.forum.queries.searching import LONGEST
from apps.forum.queries.shown import staff_among
from apps.learning.models import Enrollment

TABS = ("unanswered", "pending", "reported", "accept", "all", "log")
ORDERS = ("waiting", "newest")
MOST_REPLIES = 10
WEEK = timedelta(days=7)
LATE = timedelta(days=1)  # a question that has waited longer is marked


def boards_of(instructor: User) -> list[Board]:
    """The boards of the courses that a user teaches, by title. One query."""
    taught = taught_by(instructor.pk, Right.TEACH, "course__")
    return list(Board.objects.filter(taught).select_related("course").order_by("title"))


def waiting_for_answer(instructor: User | OuterRef) -> Q:
    """The condition that a visible topic is an open question of someone else to which nobody but its author replied."""
    open_question = Q(kind=Topic.Kind.QUESTION, state=PostState.VISIBLE, accepted=None, locked_at=None)
    return open_question & Q(first_reply_at=None) & ~Q(author=instructor)


def waiting_for_acceptance() -> Q:
    """The condition that a question has replies by others, none of which is accepted."""
    return Q(kind=Topic.Kind.QUESTION, accepted=None, first_reply_at__isnull=False)


def topics_of(tab: str, boards: Sequence[Board], instructor: User, *, words: str = "", order: str) -> QuerySet[Topic]:
    """The topics of a tab with what their rows show. One query, with ``words`` two."""
    topics = Topic.objects.public().filter(board__in=boards)
    if tab == "unanswered":
        topics = topics.filter(waiting_for_answer(instructor))
    elif tab == "accept":
        topics = topics.filter(waiting_for_acceptance())
    if words:
        posts = Post.objects.public().filter(topic__board__in=boards)
        found = search.search(posts, search.words_of(words[:LONGEST]))
        topics = topics.filter(pk__in={topic for _, topic in found})
    topics = topics.select_related("board__course", "author", "lesson")
    return topics.order_by("published_at", "pk") if order == "waiting" else topics.order_by("-published_at", "-pk")


@dataclass(frozen=True)
class Counts:
    """The numbers beside the tabs, and what the line above them says. ``week``: questions that others than the
    instructor answered first within the last seven days."""

    unanswered: int
    pending: int
    reported: int
    accept: int
    all: int
    week: int
    oldest: datetime | None


def counts(boards: Sequence[Board], instructor: User, *, now: datetime) -> Counts:
    """Four queries."""
    topics = Topic.objects.public().filter(board__in=boards)
    waiting = waiting_for_answer(instructor)
    numbers = topics.aggregate(
        unanswered=Count("pk", filter=waiting),
        oldest=Min("published_at", filter=waiting),
        accept=Count("pk", filter=waiting_for_acceptance()),
        all=Count("pk"),
    )
    answered = topics.filter(answered_by_learners(), kind=Topic.Kind.QUESTION, first_reply_at__gt=now - WEEK)
    return Counts(
        **numbers,
        pending=held_on(boards).order_by().count(),
        reported=reported_on(boards).order_by().values("pk").count(),
        week=answered.count(),
    )


@dataclass(frozen=True)
class Question:
    """A topic with its first replies. ``more``: how many there are after them. ``percent``: the author's progress."""

    topic: Topic
    opening: Post
    replies: Sequence[Post]
    more: int
    followers: int
    percent: int | None
    staff: set[int]
    """The ids of those authors of replies who teach the course."""

    @property
    def best(self) -> Post | None:
        """The reply of another user that most found helpful, which an instructor may accept while answering."""
        if not self.topic.is_question or self.topic.accepted_id:
            return None
        replies = [one for one in self.replies if one.author_id != self.topic.author_id]
        return max(replies, key=lambda one: one.score, default=None)


def question(topic: Topic) -> Question:
    """A topic as its instructor reads it before answering. Four queries."""
    posts = list(
        topic.posts.filter(state=PostState.VISIBLE)
        .select_related("author")
        .order_by("-is_opening", "number")[: MOST_REPLIES + 1]
    )
    taken = Enrollment.objects.active().of(topic.author_id).filter(course=topic.board.course_id)
    return Question(
        topic=topic,
        opening=posts[0],
        replies=posts[1:],
        more=max(0, topic.reply_count - MOST_REPLIES),
        followers=Follow.objects.filter(topic=topic).exclude(level=Level.MUTED).count(),
        percent=taken.values_list("percent", flat=True).first(),
        staff=staff_among(posts, topic),
    )
