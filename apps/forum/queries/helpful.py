"""Helpful answers about lessons, for those who search them."""

from collections.abc import Iterable, Iterator

from django.db.models import F, Q, QuerySet

from apps.forum.models import Post
from studyplatform.kit.extensions import HelpfulAnswer

VOTES = 2
"""An answer that was not accepted is helpful once this many readers have said so."""


def _helpful() -> "QuerySet[Post]":
    """Visible replies about a lesson of their board's course, accepted or with votes."""
    helpful = Q(topic__accepted=F("pk")) | Q(score__gte=VOTES)
    return Post.objects.public().filter(
        helpful, is_opening=False, topic__merged_into=None, topic__lesson__course=F("topic__board__course")
    )


def helpful_answers(course_id: int) -> Iterator[HelpfulAnswer]:
    """The helpful answers about the lessons of a course, the best first."""
    rows = _helpful().filter(topic__board__course=course_id).order_by("-score", "-pk")
    for pk, lesson, title, html in rows.values_list("pk", "topic__lesson", "topic__title", "html").iterator(500):
        yield HelpfulAnswer(key=pk, lesson=lesson or 0, question=title, html=html)


def still_helpful(keys: Iterable[int]) -> set[int]:
    """Those of the posts that are helpful answers at this moment."""
    return set(_helpful().filter(pk__in=list(keys)).values_list("pk", flat=True))
