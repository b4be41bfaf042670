"""How fast questions are answered, and which ones a learner could answer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Count, Exists, F, OuterRef, Q

from apps.accounts.models import User
from apps.forum.models import Board, Topic
from apps.learning.models import LessonProgress

KEPT = 600  # seconds
PERIOD, DAY = timedelta(days=90), timedelta(days=1)
SAMPLE = 200  # replies that are typical
TO_ANSWER = 3


@dataclass(frozen=True)
class Figures:
    """Of the topics that everyone may read. ``quick``: percent of questions with a reply within a day; ``typical``:
    hours until the first reply. Both are of questions of the last 90 days that are older than a day, None without any.
    """

    topics: int
    quick: int | None
    typical: int | None


def figures_of(board: Board | None, *, now: datetime) -> Figures:
    """The figures of a board, or of all that everyone may read; remembered for ten minutes. Two queries."""
    key = f"forum-figures-{board.pk if board else 0}"
    found: Figures | None = cache.get(key)
    if found is None:
        found = _figures(board, now)
        cache.set(key, found, KEPT)
    return found


def _figures(board: Board | None, now: datetime) -> Figures:
    topics = Topic.objects.public().filter(board=board) if board else Topic.objects.listed_for(AnonymousUser())
    recent = Q(kind=Topic.Kind.QUESTION, published_at__gt=now - PERIOD, published_at__lte=now - DAY)
    quick = Q(first_reply_at__lte=F("published_at") + DAY)
    counts = topics.aggregate(
        all=Count("pk"), recent=Count("pk", filter=recent), quick=Count("pk", filter=recent & quick)
    )
    replied = topics.filter(recent, first_reply_at__isnull=False).order_by("-published_at")
    found = replied.values_list("published_at", "first_reply_at")[:SAMPLE]
    times = [reply - asked for asked, reply in found if asked and reply]
    hours = median(one.total_seconds() for one in times) / 3600 if times else None
    return Figures(
        topics=counts["all"],
        quick=round(100 * counts["quick"] / counts["recent"]) if counts["recent"] else None,
        typical=max(1, round(hours)) if hours is not None else None,
    )


def to_answer(user: User) -> list[Topic]:
    """The questions without a reply about lessons that the user has completed, the longest waiting first. One query."""
    done = LessonProgress.objects.filter(
        enrollment__user=user, enrollment__revoked_at=None, lesson=OuterRef("lesson"), completed_at__isnull=False
    )
    waiting = Topic.objects.listed_for(user).filter(
        kind=Topic.Kind.QUESTION, accepted=None, reply_count=0, locked_at=None, lesson__isnull=False
    )
    return list(waiting.filter(Exists(done)).exclude(author=user).order_by("last_post_at")[:TO_ANSWER])
