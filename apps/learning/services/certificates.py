"""The proof of a completed course."""

from datetime import datetime

from django.db import IntegrityError, transaction

from apps.learning.events import CertificateIssued
from apps.learning.models import Certificate, Enrollment
from studyplatform.kit.events import publish


def issue_certificate(*, enrollment: Enrollment, now: datetime) -> Certificate:
    """Issue the seat's certificate, once: the one there is stays as it was printed."""
    course = enrollment.course
    try:
        with transaction.atomic():
            certificate = Certificate.objects.create(
                enrollment=enrollment,
                learner_name=enrollment.user.display_name,
                course_title=course.title,
                instructor_name=course.instructor.display_name,
                lesson_count=course.lesson_count,
                duration=course.duration,
                issued_at=now,
            )
    except IntegrityError:
        # Two lessons were completed at the same moment; the constraint let one of them issue it.
        return Certificate.objects.get(enrollment=enrollment)
    publish(CertificateIssued(certificate_id=certificate.pk, user_id=enrollment.user_id, course_id=course.pk))
    return certificate
