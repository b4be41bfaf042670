"""Open and close courses: grants, and the enrollments that follow them."""

from datetime import datetime

from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.billing import extensions
from apps.billing.access import access_to
from apps.billing.errors import SubscriptionExpired
from apps.billing.models import Grant, Payment, Subscription
from apps.courses.models import Course


def grant_purchase(*, payment: Payment, now: datetime) -> bool:
    """Open a bought course. Returns False if another payment opened it before: this one was a duplicate."""
    if payment.course is None:
        raise ValueError(f"{payment} bought no course")
    return _grant(payment.user, payment.course, Grant.Source.PURCHASE, now, payment=payment)


def grant_by_staff(*, user: User, course: Course, granted_by: User, reason: str, now: datetime) -> bool:
    """Open a course to a user who didn't pay for it. Returns False if staff opened it before."""
    return _grant(user, course, Grant.Source.STAFF, now, granted_by=granted_by, reason=reason)


def grant_premium(*, user: User, course: Course, now: datetime) -> bool:
    """Open a course by the user's subscription, until that ends. Returns False if Premium has opened it before.

    :raises SubscriptionExpired: no subscription opens courses to the user.
    """
    with transaction.atomic():
        # Locked, so that a subscription that ends at this moment closes this course too.
        subscription = Subscription.objects.select_for_update().of(user.pk).opening(now).first()
        if subscription is None:
            raise SubscriptionExpired
        return _grant(user, course, Grant.Source.PREMIUM, now, subscription=subscription)


def _grant(user: User, course: Course, source: Grant.Source, now: datetime, **by: object) -> bool:
    with transaction.atomic():
        try:
            with transaction.atomic():
                Grant.objects.create(user=user, course=course, source=source, created_at=now, **by)
            is_new = True
        except IntegrityError:  # the constraint decides: two requests may race
            is_new = False
        extensions.open_course(user, course, now)
    return is_new


def end_grants(*, user: User, course: Course, source: Grant.Source, reason: Grant.End, now: datetime) -> None:
    """End what one source opened. The course closes unless something else still opens it. Idempotent."""
    with transaction.atomic():
        active = Grant.objects.active().of(user.pk).filter(course=course, source=source)
        if active.update(ended_at=now, end_reason=reason) and access_to(user, course, now=now) is None:
            extensions.close_course(user, course, now)
