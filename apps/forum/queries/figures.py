"""How fast questions are answered, and which ones a learner could answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from apps.accounts.models import User
from apps.forum.models import Board, Post, PostState, Topic
from apps.learning.models import LessonProgress

KEPT = 600  # seconds
PERIOD, DAY = timedelta(days=90), timedelta(days=1)
SAMPLE = 200  # replies that are typical
TO_ANSWER = 3


@dataclass(frozen=True)
class Figures:
    """Of the topics that everyone may read. ``asked``: how many questions of the last 90 days are older than a day.

    Of those ``quick`` is the percent with a reply within a day, ``typical`` the hours until the first reply, and
    ``by_learners`` the percent of first replies that are not by the course's instructor; None without any.
    """

    topics: int = 0
    asked: int = 0
    quick: int | None = None
    typical: int | None = None
    by_learners: int | None = None


def figures_of(board: Board | None, *, now: datetime) -> Figures:
    """The figures of a board, or of all that everyone may read; remembered for ten minutes. Two queries."""
    if board is not None:
        return figures_of_boards([board], now=now)[board.pk]
    key = "forum-figures"
    found: Figures | None = cache.get(key)
    if found is None:
        topics = Topic.objects.listed_for(AnonymousUser())
        found = _figures(topics.aggregate(**_counted(now)), _replied(topics, now)[:SAMPLE])
        cache.set(key, found, KEPT)
    return found


def figures_of_boards(boards: Sequence[Board], *, now: datetime) -> dict[int, Figures]:
    """The figures of boards by primary key, each remembered for ten minutes. Two queries, however many boards."""
    keys = {f"forum-figures-{board.pk}": board.pk for board in boards}
    found: dict[int, Figures] = {keys[key]: kept for key, kept in cache.get_many(keys).items()}
    missing = [pk for pk in keys.values() if pk not in found]
    if missing:
        topics = Topic.objects.public().filter(board__in=missing)
        rank = Window(RowNumber(), partition_by="board", order_by="-published_at")
        replied: dict[int, list[tuple[datetime, datetime, bool]]] = {}
        for board, *row in _replied(topics.alias(rank=rank).filter(rank__lte=SAMPLE), now, "board"):
            replied.setdefault(board, []).append((row[0], row[1], row[2]))
        counts: Any = topics.order_by().values("board").annotate(**_counted(now))
        fresh = {row["board"]: row for row in counts}
        for pk in missing:
            found[pk] = _figures(fresh.get(pk, {}), replied.get(pk, []))
        cache.set_many({key: found[pk] for key, pk in keys.items() if pk in missing}, KEPT)
    return found


def _counted(now: datetime) -> dict[str, Count]:
    recent = _recent(now)
    quick = Q(first_reply_at__lte=F("published_at") + DAY)
    return {
        "topics": Count("pk"),
        "asked": Count("pk", filter=recent),
        "quick": Count("pk", filter=recent & quick),
    }


def _recent(now: datetime) -> Q:
    return Q(kind=Topic.Kind.QUESTION, published_at__gt=now - PERIOD, published_at__lte=now - DAY)


def _replied(topics: QuerySet[Topic], now: datetime, *fields: str) -> QuerySet[Topic, Any]:
    """The recent questions with a reply: when they appeared, when the reply did, whether a learner wrote it."""
    found = topics.filter(_recent(now), first_reply_at__isnull=False).annotate(is_by_learner=answered_by_learners())
    return found.order_by("-published_at").values_list(*fields, "published_at", "first_reply_at", "is_by_learner")


def _figures(counts: dict[str, int], replied: Iterable[tuple[datetime, datetime, bool]]) -> Figures:
    times, learners = [], []
    for asked, reply, is_by_learner in replied:
        times.append((reply - asked).total_seconds())
        learners.append(is_by_learner)
    asked_count = counts.get("asked", 0)
    return Figures(
        topics=counts.get("topics", 0),
        asked=asked_count,
        quick=round(100 * counts["quick"] / asked_count) if asked_count else None,
        typical=max(1, round(median(times) / 3600)) if times else None,
        by_learners=round(100 * sum(learners) / len(learners)) if learners else None,
    )


def answered_by_learners() -> Q:
    """The condition that the first reply to a topic was by neither its author nor the course's instructor."""
    first = Post.objects.filter(topic=OuterRef("pk"), published_at=OuterRef("first_reply_at"), state=PostState.VISIBLE)
    instructor = F("topic__board__course__instructor")
    return Q(Exists(first.exclude(author=F("topic__author")).exclude(author=instructor)))


def to_answer(user: User) -> list[Topic]:
    """The questions without a reply about lessons that the user has completed, the longest waiting first. One query."""
    done = LessonProgress.objects.filter(
        enrollment__user=user, enrollment__revoked_at=None, lesson=OuterRef("lesson"), completed_at__isnull=False
    )
    waiting = Topic.objects.listed_for(user).filter(
        kind=Topic.Kind.QUESTION, accepted=None, reply_count=0, locked_at=None, lesson__isnull=False
    )
    return list(waiting.filter(Exists(done)).exclude(author=user).order_by("last_post_at")[:TO_ANSWER])
