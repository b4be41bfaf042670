"""Enrollments and bookmarks."""

import contextlib
from collections.abc import Collection
from datetime import datetime

from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.billing import services as billing
from apps.billing.access import access_to
from apps.courses.models import Course
from apps.courses.services import figures
from apps.learning import policies
from apps.learning.errors import AlreadyEnrolled
from apps.learning.events import LearnerEnrolled, MilestoneReached
from apps.learning.models import Bookmark, Enrollment
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce


def enroll(*, user: User, course: Course, now: datetime) -> Enrollment:
    """Enroll the user in a course that is free, that Premium opens, or that was opened to them before.

    :raises AlreadyEnrolled: the user is enrolled.
    :raises CourseNotFound: the user may not see the course.
    :raises EnrollmentClosed: the course takes no new learners.
    :raises PaymentRequired: the user has to pay first.
    """
    if Enrollment.objects.active().of(user.pk).filter(course=course).exists():
        # Checked first: for an enrolled learner it doesn't matter that the course has closed or now costs money.
        raise AlreadyEnrolled(course=course.title)
    enforce(policies.enroll(user, course))
    access = access_to(user, course, now=now)
    if access is not None and access.source == "premium":
        # Remembered, so that the course closes when Premium ends.
        billing.grant_premium(user=user, course=course, now=now)
        return Enrollment.objects.active().of(user.pk).get(course=course)
    return grant_enrollment(user=user, course=course, now=now)


def grant_enrollment(*, user: User, course: Course, now: datetime) -> Enrollment:
    """Enroll the user whatever the course's price and status, for example after a payment.

    A revoked enrollment is restored with its progress.

    :raises AlreadyEnrolled: the user is enrolled.
    """
    with transaction.atomic():
        revoked = Enrollment.objects.of(user.pk).filter(course=course).exclude(revoked_at=None).order_by("-pk").first()
        try:
            with transaction.atomic():
                if revoked is not None:
                    revoked.restore(now=now)
                    enrollment = revoked
                else:
                    enrollment = Enrollment.objects.create(
                        user=user, course=course, enrolled_at=now, last_activity_at=now
                    )
        except IntegrityError:
            # The constraint decides, not a check before it: two requests may race.
            raise AlreadyEnrolled(course=course.title) from None
        figures.count_learners(course_id=course.pk, count=Enrollment.objects.active().filter(course=course).count)
        publish(LearnerEnrolled(enrollment_id=enrollment.pk, user_id=user.pk, course_id=course.pk))
        if revoked is None:
            publish(MilestoneReached(enrollment_id=enrollment.pk, user_id=user.pk, course_id=course.pk, percent=0))
    return enrollment


def follow_access(user: User, course: Course, now: datetime) -> None:
    """Enroll the user in a course that was opened to them. Idempotent."""
    with contextlib.suppress(AlreadyEnrolled):
        grant_enrollment(user=user, course=course, now=now)


def revoke_enrollment(user: User, course: Course, now: datetime) -> None:
    """End the enrollment in a course that was closed to the user. Progress and certificates stay. Idempotent."""
    with transaction.atomic():
        if Enrollment.objects.active().of(user.pk).filter(course=course).update(revoked_at=now):
            figures.count_learners(course_id=course.pk, count=Enrollment.objects.active().filter(course=course).count)


def completed_percents(pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Return how much of its lessons each enrolled learner has completed, in percent. One query.

    :param pairs: the ids of a user and a course.
    """
    users, courses = {user for user, _course in pairs}, {course for _user, course in pairs}
    enrollments = Enrollment.objects.active().filter(user__in=users, course__in=courses)
    rows = enrollments.values_list("user_id", "course_id", "percent")
    return {(user, course): percent for user, course, percent in rows if (user, course) in pairs}


def set_bookmark(*, user: User, course: Course, on: bool, now: datetime) -> None:
    """Add the course to the user's bookmarks, or remove it. Idempotent.

    :raises CourseNotFound: the user may not see the course and isn't enrolled.
    """
    if not on:
        Bookmark.objects.filter(user=user, course=course).delete()
        return
    if not Enrollment.objects.active().of(user.pk).filter(course=course).exists():
        enforce(policies.see_course(user, course))
    Bookmark.objects.bulk_create([Bookmark(user=user, course=course, created_at=now)], ignore_conflicts=True)


def delete_bookmarks(*, user_id: int) -> None:
    """Delete all bookmarks of a user whose account was deleted."""
    Bookmark.objects.filter(user_id=user_id).delete()
