"""Background jobs of the tutor."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from studyplatform.kit import jobs


@jobs.job("tutor.index_course", label=_("Index a course for the tutor"))
def index_course(running: jobs.Running, *, course_id: int) -> None:
    """Idempotent: what is up to date stays."""
    from apps.tutor.services import indexing  # noqa: PLC0415 (loads NumPy)

    indexing.index_course(course_id=course_id, now=timezone.now(), extend_lease=running.extend_lease)
