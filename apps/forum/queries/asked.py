"""What one learner asked on the boards of some courses."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q

from apps.accounts.models import User
from apps.forum.models import Topic

MAX_TOPICS_SHOWN = 10


@dataclass(frozen=True)
class Asked:
    """The latest topics of a learner, how many there are, and how many are without an answer."""

    topics: tuple[Topic, ...]
    count: int
    unanswered: int


def asked_in(learner: User, courses: Collection[int], viewer: User) -> Asked:
    """Return what the learner asked about courses, by primary key, of what the viewer may read. Two queries."""
    rows = Topic.objects.listed_for(viewer).filter(author=learner, board__course__in=courses)
    rows = rows.filter(kind=Topic.Kind.QUESTION)
    counted = rows.aggregate(count=Count("pk"), unanswered=Count("pk", filter=Q(first_reply_at=None)))
    shown = rows.select_related("lesson", "board").defer("lesson__body").order_by("-pk")[:MAX_TOPICS_SHOWN]
    return Asked(tuple(shown), counted["count"], counted["unanswered"])
