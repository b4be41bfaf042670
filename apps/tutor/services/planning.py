"""When courses are indexed. Nothing here loads the language model."""

from datetime import UTC, datetime, timedelta

from apps.courses.models import Course
from apps.tutor.models import IndexedCourse
from studyplatform.kit import jobs

PERIOD = timedelta(seconds=30)


def index_course_later(*, course_id: int, now: datetime) -> None:
    """Bring the passages of a course up to date in the background. Call it in the transaction that changed the course.

    Changes of the same :data:`PERIOD` share a job. It starts when the period is over, so that it misses none of them.
    """
    period = int(now.timestamp() // PERIOD.total_seconds()) + 1
    start = datetime.fromtimestamp(period * PERIOD.total_seconds(), UTC)
    jobs.enqueue("tutor.index_course", key=f"{course_id} {period}", priority=-5, delay=start - now, course_id=course_id)


def index_published(*, now: datetime) -> int:
    """Index the published courses that were never indexed, in the background; return how many."""
    known = IndexedCourse.objects.values("course")
    missing = Course.objects.filter(published_at__isnull=False).exclude(pk__in=known).values_list("pk", flat=True)
    for course_id in missing:
        index_course_later(course_id=course_id, now=now)
    return len(missing)
