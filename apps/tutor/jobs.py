"""Background jobs of the tutor."""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course
from apps.tutor import services
from studyplatform.kit import jobs

STEP = timedelta(minutes=3)
"""How long a step of indexing may take until another worker starts again."""


@jobs.job("tutor.index_course", label=_("Index a course for the tutor"))
def index_course(running: jobs.Running, *, course_id: int) -> None:
    """Idempotent: what is up to date stays."""
    index = import_string("apps.tutor.services.indexing.index_course")  # not above: it loads NumPy
    # Each step takes seconds; on a busy machine many more, and then another worker would do the same once more.
    index(course_id=course_id, now=timezone.now(), extend_lease=lambda: running.extend_lease_by(STEP))


@jobs.job("tutor.embed_course", label=_("Send the passages of a course to the embedding address"))
def embed_course(running: jobs.Running, *, course_id: int) -> None:
    """Idempotent: passages that have their vectors stay."""
    embed = import_string("apps.tutor.services.embedding.embed_course")  # not above: it loads NumPy
    longest = timedelta(seconds=import_string("apps.tutor.retrieval.embeddings.LONGEST"))
    embed(course_id=course_id, before_batch=lambda: running.extend_lease_by(longest))


@jobs.job("tutor.forget_chat", label=_("Erase a deleted chat with the tutor"))
def forget_chat(running: jobs.Running, *, chat_id: int) -> None:
    """Idempotent."""
    services.forget_chat(chat_id=chat_id, now=timezone.now())


@jobs.job("tutor.count_todos", label=_("Count unanswered questions to the tutor"))
def count_todos(running: jobs.Running, *, course_id: int) -> None:
    """Idempotent."""
    course = Course.objects.filter(pk=course_id).first()
    if course is not None:
        services.count_todos(course=course, now=timezone.now())


@jobs.job("tutor.answer", label=_("Answer a question to the tutor"))
def answer(running: jobs.Running, *, uid: str) -> None:
    """For browsers without a websocket. Idempotent: an answer is claimed once."""
    generate = import_string("apps.tutor.streaming.alone.generate")  # not above: it loads NumPy
    generate(UUID(uid), extend_lease=running.extend_lease)
