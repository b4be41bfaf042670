"""Background work of learning."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course
from apps.learning import services
from studyplatform.kit import jobs


@jobs.job("learning.recount_course", label=_("Recalculate progress"))
def recount_course(running: jobs.Running, *, course_id: int) -> None:
    """Count every seat of a course anew. Twice is harmless: it counts what is there."""
    course = Course.objects.filter(pk=course_id).first()
    if course is not None:
        services.recount_course(course=course, now=timezone.now(), keep=running.keep)


@jobs.job("learning.tell_of_lesson", label=_("Notify learners about a new lesson"))
def tell_of_lesson(running: jobs.Running, *, lesson_id: int) -> None:
    services.tell_of_lesson(lesson_id=lesson_id, keep=running.keep)
