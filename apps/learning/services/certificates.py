"""Issue certificates."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.courses.queries import versions
from apps.courses.queries.external_videos import length_to_watch
from apps.learning.activity import watching
from apps.learning.events import CertificateIssued, CertificateRevoked
from apps.learning.models import Attempt, Certificate, Enrollment, LessonProgress
from studyplatform.kit.events import publish
from studyplatform.kit.text.blank import stripped


def issue_certificate(*, enrollment: Enrollment, now: datetime) -> Certificate:
    """Issue the certificate of a completed course. Idempotent: an issued certificate never changes."""
    course = enrollment.course
    try:
        with transaction.atomic():
            certificate = Certificate.objects.create(
                enrollment=enrollment,
                learner_name=_visible_name(enrollment.user),
                course_title=course.title,
                course_version=_version_of(enrollment),
                instructor_name=_visible_name(course.instructor),
                duration=course.duration,
                **_attested(enrollment),
                issued_at=now,
            )
    except IntegrityError:
        # Two lessons were completed at the same moment, and the other one has issued it.
        return Certificate.objects.get(enrollment=enrollment)
    publish(CertificateIssued(certificate_id=certificate.pk, user_id=enrollment.user_id, course_id=course.pk))
    return certificate


def _visible_name(user: User) -> str:
    """Return the display name; of an account whose name looks empty, the username, else the email."""
    names = (user.display_name, user.username, user.email)
    return next(stripped(name) for name in names if stripped(name))


def set_revocation(*, certificate: Certificate, reason: str, now: datetime) -> None:
    """Revoke the certificate for a reason that everyone reads; without a reason it is valid again.

    The owner is notified when it is revoked. Idempotent.
    """
    reason = reason.strip()
    is_new = bool(reason) and certificate.revoked_at is None
    certificate.revocation_reason = reason
    certificate.revoked_at = (certificate.revoked_at or now) if reason else None
    with transaction.atomic():
        certificate.save(update_fields=["revoked_at", "revocation_reason"])
        if is_new:
            publish(CertificateRevoked(certificate_id=certificate.pk))


def _version_of(enrollment: Enrollment) -> str:
    """Return the version of the course that the learner completed; empty if it has none."""
    former = enrollment.required_version
    return versions.present_label(enrollment.course) if former is None else str(former)


def _counts(lesson: Lesson, enrollment: Enrollment) -> bool:
    """Return whether the learner needed the lesson: it isn't optional, nor later than the version they completed."""
    required = enrollment.required_version
    return not lesson.is_optional and (required is None or lesson.since_version <= required)


def _attested(enrollment: Enrollment) -> dict[str, Any]:
    """Return what the certificate states: lessons completed, video watched, and the percent of each quiz.

    Videos of other hosts that were marked as complete don't count: nobody told how much of them was watched.

    Of each quiz the first passed attempt counts: later ones may have been made with the answers known.
    """
    completed = list(
        LessonProgress.objects.filter(
            enrollment=enrollment,
            lesson__course=enrollment.course_id,
            lesson__removed_at=None,
            completed_at__isnull=False,
        )
        .select_related("lesson")
        .defer("lesson__body")
    )
    videos = [
        (length, progress.watched_seconds)
        for progress in completed
        if progress.lesson.kind == Lesson.Kind.VIDEO
        for length in [length_to_watch(progress.lesson)]
        if not progress.lesson.external_host or watching.is_complete(progress.watched_seconds, duration=length)
    ]
    passed: dict[int, dict[str, Any]] = {}
    for quiz, title, percent in (
        Attempt.objects.filter(enrollment=enrollment, is_passed=True, quiz__lesson__removed_at=None)
        .order_by("quiz__lesson__section__position", "quiz__lesson__position", "number")
        .values_list("quiz", "quiz__lesson__title", "percent")
    ):
        passed.setdefault(quiz, {"title": title, "percent": percent})
    return {
        "lesson_count": sum(_counts(progress.lesson, enrollment) for progress in completed),
        "video_seconds": sum(length for length, _ in videos),
        "watched_seconds": sum(min(length, watched) for length, watched in videos),
        "quizzes": list(passed.values()),
    }
