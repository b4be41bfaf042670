"""Seats, ribbons and ratings."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Count, Sum

from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.services import figures
from apps.learning import policies
from apps.learning.errors import AlreadyEnrolled, NotEnrolled
from apps.learning.events import LearnerEnrolled, MilestoneReached
from apps.learning.models import Bookmark, Enrollment, Rating
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce


def enroll(*, user: User, course: Course, now: datetime) -> Enrollment:
    """Take a seat in a free course, once.

    :raises CourseNotFound: the course is not public.
    :raises EnrollmentClosed: it takes no new learners.
    :raises PaymentRequired: it is not free.
    :raises AlreadyEnrolled: the learner holds a seat.
    """
    if Enrollment.objects.active().of(user.pk).filter(course=course).exists():
        # Said first: whoever holds a seat need not hear that the course is closed or costs money now.
        raise AlreadyEnrolled(course=course.title)
    enforce(policies.enroll(user, course))
    return grant_enrollment(user=user, course=course, now=now)


def grant_enrollment(*, user: User, course: Course, now: datetime) -> Enrollment:
    """Give the learner a seat without asking about price or status, e.g. after a payment.

    A seat that was revoked earlier is given back, with the progress that hangs on it.

    :raises AlreadyEnrolled: the learner holds a seat.
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
            # The constraint decides, not a check made beforehand: two clicks may race.
            raise AlreadyEnrolled(course=course.title) from None
        figures.count_learners(course_id=course.pk, count=Enrollment.objects.active().filter(course=course).count)
        publish(LearnerEnrolled(enrollment_id=enrollment.pk, user_id=user.pk, course_id=course.pk))
        if revoked is None:
            publish(MilestoneReached(enrollment_id=enrollment.pk, user_id=user.pk, course_id=course.pk, percent=0))
    return enrollment


def set_bookmark(*, user: User, course: Course, on: bool, now: datetime) -> None:
    """Pull the course's ribbon down or let it go. Twice the same is once.

    :raises CourseNotFound: the course is not public and the user has no seat in it.
    """
    if not on:
        Bookmark.objects.filter(user=user, course=course).delete()
        return
    if not Enrollment.objects.active().of(user.pk).filter(course=course).exists():
        enforce(policies.see_course(user, course))
    Bookmark.objects.bulk_create([Bookmark(user=user, course=course, created_at=now)], ignore_conflicts=True)


def rate_course(*, user: User, course: Course, stars: int, text: str, now: datetime) -> Rating:
    """Rate the course or change the rating; the course's mean follows.

    :raises NotEnrolled: the user holds no seat in it.
    """
    enrollment = Enrollment.objects.active().of(user.pk).filter(course=course).first()
    enforce(policies.rate(user, course, enrollment))
    if enrollment is None:
        raise NotEnrolled(course=course.title, slug=course.slug)
    with transaction.atomic():
        rating, _ = Rating.objects.update_or_create(
            enrollment=enrollment,
            defaults={"stars": stars, "text": text.strip(), "updated_at": now},
            create_defaults={
                "course_id": enrollment.course_id,
                "stars": stars,
                "text": text.strip(),
                "created_at": now,
                "updated_at": now,
            },
        )
        figures.count_ratings(course_id=enrollment.course_id, count=lambda: _ratings_of(enrollment.course_id))
    return rating


def _ratings_of(course_id: int) -> tuple[int, int]:
    """How many ratings a course has, and the sum of their stars."""
    found = Rating.objects.filter(course_id=course_id).aggregate(count=Count("pk"), stars=Sum("stars", default=0))
    return found["count"], found["stars"]


def delete_bookmarks(*, user_id: int) -> None:
    """Take away all ribbons of a person whose account is gone."""
    Bookmark.objects.filter(user_id=user_id).delete()
