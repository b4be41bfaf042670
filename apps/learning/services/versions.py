"""What a version of a course that goes live means for its learners."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.services.merged import MergedVersion, Partway, merge_steps
from apps.learning import policies
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment, LessonProgress
from apps.learning.services.completion import recount
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce


@merge_steps.registers("learning")
def follow_version(merged: MergedVersion) -> None:
    """Set which version learners complete, and let a job mark attempts again. Two queries, and those of a job.

    The job that counts everyone's lessons again follows from the change of the outline.
    """
    if merged.added_lessons and merged.partway != Partway.MOVE:
        _keep_former_version(merged)
    if merged.changed_answers and merged.gives_points:
        jobs.enqueue(
            "learning.remark",
            key=f"{merged.course.pk} {merged.now.isoformat()}",
            questions=sorted(merged.changed_answers),
            tells_passed=merged.tells_passed,
        )


def _keep_former_version(merged: MergedVersion) -> None:
    """Let lessons that the version brings be optional for those who have begun the course, or completed it."""
    began = Exists(LessonProgress.objects.filter(enrollment=OuterRef("pk")))
    partway = Enrollment.objects.active().filter(Q(began) | Q(completed_at__isnull=False), course=merged.course)
    if merged.partway == Partway.CHOOSE:
        partway.filter(completed_at=None).update(offered_version=merged.number)
    partway.filter(required_version=None).update(required_version=merged.number - 1)


def choose_version(*, user: User, course: Course, takes_newest: bool, now: datetime) -> Enrollment:
    """Let a learner complete the newest version of a course, or the one that they began. Idempotent.

    Those who complete the former version can take the newest one later, but not go back.

    :raises NotEnrolled: the user isn't enrolled.
    """
    with transaction.atomic():
        enrollment = Enrollment.objects.active().select_for_update().filter(user=user, course=course).first()
        if enrollment is None:
            raise NotEnrolled(course=course.title, slug=course.slug)
        enforce(policies.choose_version(user, enrollment))
        Enrollment.objects.filter(pk=enrollment.pk).update(
            offered_version=None, required_version=None if takes_newest else F("required_version")
        )
        enrollment, _certificate = recount(enrollment_id=enrollment.pk, now=now)
    return enrollment
