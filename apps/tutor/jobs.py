"""Background jobs of the tutor."""

from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from studyplatform.kit import jobs


@jobs.job("tutor.index_course", label=_("Index a course for the tutor"))
def index_course(running: jobs.Running, *, course_id: int) -> None:
    """Idempotent: what is up to date stays."""
    index = import_string("apps.tutor.services.indexing.index_course")  # not above: it loads NumPy
    index(course_id=course_id, now=timezone.now(), extend_lease=running.extend_lease)
