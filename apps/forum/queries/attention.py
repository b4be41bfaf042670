"""What waits for those who teach a course: reported posts, unanswered questions, unread messages."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet, Sum, Window

from apps.accounts.models import User
from apps.courses.models import Right, taught_by
from apps.forum.models import Board, Conversation, Topic
from apps.forum.queries.moderation import reported_on
from apps.forum.queries.teaching import waiting_for_answer

MAX_NAMES = 3


@dataclass(frozen=True)
class Asked:
    """How many there are, since when the oldest has waited, and on which board that one is."""

    count: int = 0
    oldest: datetime | None = None
    board: str = ""


def _boards_of(user: User) -> QuerySet[Board]:
    return Board.objects.filter(taught_by(user.pk, Right.TEACH, "course__")).order_by()


def reported_for(user: User) -> Asked:
    """Return the reported posts on the boards of the courses that the user teaches. One query."""
    posts = reported_on(_boards_of(user))
    found = posts.order_by().aggregate(count=Count("pk"), oldest=Min("reported_at"))
    return Asked(found["count"], found["oldest"])


def unanswered_for(user: User) -> Asked:
    """Return the questions to which nobody has replied. One query."""
    topics = Topic.objects.public().filter(waiting_for_answer(user), board__in=_boards_of(user))
    first = topics.annotate(total=Window(Count("pk"))).order_by("published_at", "pk")
    found = first.values_list("total", "published_at", "board__title")[:1]
    return Asked(*found[0]) if found else Asked()


@dataclass(frozen=True)
class Unread:
    """How many messages of learners are unread, of how many people, and the names of those who wrote last."""

    count: int = 0
    people: int = 0
    oldest: datetime | None = None
    names: tuple[str, ...] = ()


def unread_for(user: User) -> Unread:
    """Return the messages that those who teach a course have not read. One query."""
    rows = Conversation.objects.as_instructor(user.pk).filter(unread_by_instructor__gt=0).select_related("learner")
    counted = rows.annotate(
        unread=Window(Sum("unread_by_instructor")), people=Window(Count("pk")), oldest=Window(Min("last_message_at"))
    )
    found = list(counted.order_by("-last_message_at", "-pk")[:MAX_NAMES])
    if not found:
        return Unread()
    names = tuple(row.learner.first_name or row.learner.display_name for row in found)
    return Unread(found[0].unread, found[0].people, found[0].oldest, names)  # type: ignore[attr-defined]  # annotated


def newest_questions(user: User, *, most: int) -> list[Topic]:
    """Return the newest questions on the boards of the courses that the user may read (`Right.VIEW`). One query."""
    taught = taught_by(user.pk, Right.VIEW, "board__course__")
    topics = Topic.objects.public().filter(taught, kind=Topic.Kind.QUESTION).exclude(author=user)
    return list(topics.select_related("board__course", "author").order_by("-published_at", "-pk")[:most])
