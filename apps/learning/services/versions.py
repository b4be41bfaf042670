"""What a version of a course that goes live means for its learners."""

from datetime import datetime

from django.db import transaction
from django.db.models import BigIntegerField, Case, Exists, F, OuterRef, Q, Value, When

from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.services.merged import MergedVersion, Partway, merge_steps
from apps.learning import policies
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment, LessonProgress
from apps.learning.queries.removed_lessons import lessons_after
from apps.learning.services.completion import recount
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce


@merge_steps.registers("learning")
def follow_version(merged: MergedVersion) -> None:
    """Set where learners go on and which version they complete, and let a job mark attempts again. Five queries.

    The job that counts everyone's lessons again follows from the change of the outline.
    """
    if merged.removed_lessons:
        _lead_on(merged)
    if merged.added_lessons and merged.partway != Partway.MOVE:
        _keep_former_version(merged)
    if merged.changed_answers and merged.gives_points:
        jobs.enqueue(
            "learning.remark",
            key=f"{merged.course.pk} {merged.now.isoformat()}",
            questions=sorted(merged.changed_answers),
            tells_passed=merged.tells_passed,
        )


def _lead_on(merged: MergedVersion) -> None:
    """Let those who were in a lesson that went resume the course at the one that follows where it was."""
    following = lessons_after(merged.course, merged.removed_lessons)
    places = [When(last_lesson=gone, then=Value(after)) for gone, after in following.items()]
    if places:
        there = Enrollment.objects.filter(course=merged.course, last_lesson__in=following)
        there.update(last_lesson=Case(*places, output_field=BigIntegerField()))


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
