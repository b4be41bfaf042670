"""Notify learners of what happened in their courses."""

from django.utils import timezone

from apps.accounts import services as people
from apps.billing import services as billing
from apps.learning.events import CertificateIssued, CertificateRevoked, LearnerEnrolled, MilestoneReached
from apps.learning.models import Certificate, Enrollment
from studyplatform.kit.events import subscribe


@subscribe(LearnerEnrolled)
def notify_of_enrollment(event: LearnerEnrolled) -> None:
    """Notify the learner, and let billing look at the milestones of the instructor."""
    enrollment = Enrollment.objects.select_related("user", "course").get(pk=event.enrollment_id)
    link = f"/courses/{enrollment.course.slug}"
    key = f"seat {enrollment.pk}"  # stored: a new wording would notify a second time
    people.notify(
        "learning.enrolled", enrollment.user, link, key, now=enrollment.enrolled_at, course=enrollment.course.title
    )
    billing.plan_students_note(instructor_id=enrollment.course.instructor_id, now=timezone.now())


@subscribe(MilestoneReached)
def notify_of_milestone(event: MilestoneReached) -> None:
    """Notify of 25, 50 and 75 percent; the certificate's own notification covers 100.

    If one lesson reaches several milestones, only the highest is announced.
    """
    enrollment = Enrollment.objects.select_related("user", "course").get(pk=event.enrollment_id)
    if not 0 < event.percent < 100 or event.percent < enrollment.milestone:
        return
    people.notify(
        "learning.milestone",
        enrollment.user,
        f"/me/course/{enrollment.course.slug}/progress",
        f"seat {enrollment.pk} at {event.percent}",
        now=enrollment.last_activity_at,
        percent=event.percent,
        course=enrollment.course.title,
        done=enrollment.completed_lessons,
        total=enrollment.required_count,
    )


@subscribe(CertificateIssued)
def notify_of_certificate(event: CertificateIssued) -> None:
    row = Certificate.objects.select_related("enrollment__user").get(pk=event.certificate_id)
    link = f"/certificates/{row.code}"
    user = row.enrollment.user
    people.notify("learning.certificate", user, link, row.code, now=row.issued_at, course=row.course_title)


@subscribe(CertificateRevoked)
def notify_of_revocation(event: CertificateRevoked) -> None:
    row = Certificate.objects.select_related("enrollment__user").get(pk=event.certificate_id)
    if row.revoked_at is None:  # it is valid again
        return
    people.notify(
        "learning.certificate_revoked",
        row.enrollment.user,
        f"/certificates/{row.code}",
        f"{row.code} {row.revoked_at.isoformat()}",
        now=row.revoked_at,
        course=row.course_title,
        reason=row.revocation_reason,
    )
