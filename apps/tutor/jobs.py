"""Background jobs of the tutor."""

from uuid import UUID

from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from apps.tutor import services
from studyplatform.kit import jobs


@jobs.job("tutor.index_course", label=_("Index a course for the tutor"))
def index_course(running: jobs.Running, *, course_id: int) -> None:
    """Idempotent: what is up to date stays."""
    index = import_string("apps.tutor.services.indexing.index_course")  # not above: it loads NumPy
    index(course_id=course_id, now=timezone.now(), extend_lease=running.extend_lease)


@jobs.job("tutor.forget_chat", label=_("Erase a deleted chat with the tutor"))
def forget_chat(running: jobs.Running, *, chat_id: int) -> None:
    """Idempotent."""
    services.forget_chat(chat_id=chat_id, now=timezone.now())


@jobs.job("tutor.answer", label=_("Answer a question to the tutor"))
def answer(running: jobs.Running, *, uid: str) -> None:
    """For browsers without a websocket. Idempotent: an answer is claimed once."""
    generate = import_string("apps.tutor.streaming.alone.generate")  # not above: it loads NumPy
    generate(UUID(uid), extend_lease=running.extend_lease)
