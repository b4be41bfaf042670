"""How many learners watch each second of a video, with the moments that stand out, and what is usual."""

from dataclasses import dataclass

from apps.courses.models import Lesson
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.moments import Moments, find_moments
from apps.learning.analytics.retention import at_each_percent, find_band, to_percents, unpack_counts
from apps.learning.analytics.smallest_group import SMALLEST_GROUP
from apps.learning.models import LessonRollup

MAX_CURVES_COMPARED = 200


@dataclass(frozen=True)
class Retention:
    """The retention of a video. ``percents``: for each second, how many percent of the learners watched it."""

    learners: int
    percents: tuple[float, ...]
    moments: Moments

    @property
    def seconds(self) -> int:
        return len(self.percents)


def retention_of(lesson: Lesson) -> Retention | None:
    """Return the retention of the lesson's present video; None for no video, or fewer than five learners. One query."""
    row = LessonRollup.objects.filter(lesson=lesson.pk, retention_learners__gte=SMALLEST_GROUP).first()
    if row is None or not row.retention or lesson.kind != Lesson.Kind.VIDEO:
        return None
    percents = to_percents(unpack_counts(row.retention), row.retention_learners)
    return Retention(row.retention_learners, tuple(percents), find_moments(percents))


def usual_band(scope: Scope, *, besides: Lesson | None = None) -> list[tuple[float, float]] | None:
    """Return between which percents the middle half of the instructor's own videos lies. One query.

    At each percent of the length, from 0 to 100. None with fewer than three videos that enough learners watched. Of
    many, those with most learners count. ``besides``: the lesson with which it is compared.
    """
    rows = LessonRollup.objects.filter(
        lesson__course__in=scope.pks, lesson__removed_at=None, retention_learners__gte=SMALLEST_GROUP
    )
    rows = rows.exclude(lesson=besides.pk) if besides is not None else rows
    rows = rows.order_by("-retention_learners", "pk")[:MAX_CURVES_COMPARED]
    found = rows.values_list("retention", "retention_learners")
    curves = (to_percents(unpack_counts(packed), learners) for packed, learners in found if packed)
    return find_band([at_each_percent(curve) for curve in curves])
