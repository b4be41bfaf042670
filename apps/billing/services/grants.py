"""Open and close courses: grants, and the enrollments that follow them."""

from collections.abc import Collection
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing import extensions, policies
from apps.billing.access import access_to, has_premium
from apps.billing.errors import SubscriptionExpired
from apps.billing.models import Grant, OrderLine, Payment, Seat, Subscription
from apps.courses.models import Course
from studyplatform.kit.policies import enforce

_RETURNED = (Grant.End.REFUND, Grant.End.DISPUTE)


def grant_purchase(*, payment: Payment, now: datetime) -> list[OrderLine]:
    """Open the courses of a payment to its payer.

    Returns the lines whose courses another payment opened before: their part of this one was a duplicate.
    """
    return [
        line
        for line in payment.lines
        if not _grant(payment.user, line.course, Grant.Source.PURCHASE, now, payment=payment)
    ]


def grant_gift(*, payment: Payment, user: User, courses: Collection[Course], now: datetime) -> list[Course]:
    """Open the courses of a gift to the one who redeems it. Returns those that were opened."""
    return [course for course in courses if _grant(user, course, Grant.Source.PURCHASE, now, payment=payment)]


def end_purchase(*, payment: Payment, reason: Grant.End, now: datetime) -> None:
    """End what a payment opened, to whomever: its grants say whose courses they are. Idempotent.

    A course that another payment is kept for is opened by that one from now on.
    """
    for grant in Grant.objects.active().filter(payment=payment).select_related("user", "course").order_by("pk"):
        with transaction.atomic():
            end_grants(user=grant.user, course=grant.course, source=Grant.Source.PURCHASE, reason=reason, now=now)
            for other in _other_payments(grant, payment):
                _grant(grant.user, grant.course, Grant.Source.PURCHASE, now, payment=other)
                break


def _other_payments(grant: Grant, payment: Payment) -> list[Payment]:
    """The other payments with money left that could open the course of a grant to its user, the oldest first.

    One is kept although it opens nothing if its refund failed after the course was bought again.
    """
    ended = Grant.objects.filter(
        user=grant.user, course=grant.course, end_reason__in=_RETURNED, payment__isnull=False
    ).order_by()
    bought = Payment.objects.filter(user=grant.user, order__lines__course=grant.course, order__gift=None, grants=None)
    bought = bought.filter(order__is_for_team=False)
    found = Payment.objects.filter(Q(pk__in=ended.values("payment")) | Q(pk__in=bought.values("pk")))
    return [each for each in found.exclude(pk=payment.pk).order_by("pk") if each.left]


def reopen_purchase(*, payment: Payment, now: datetime) -> None:
    """Open again what a refund or a dispute of this payment ended, because the money came back. Idempotent."""
    grants = Grant.objects.filter(payment=payment).select_related("user", "course").order_by("pk")
    newest = {(grant.user_id, grant.course_id): grant for grant in grants}
    for grant in newest.values():
        if grant.end_reason in _RETURNED:
            _grant(grant.user, grant.course, Grant.Source.PURCHASE, now, payment=payment)


def grant_by_staff(*, user: User, course: Course, granted_by: User, reason: str, now: datetime) -> bool:
    """Open a course to a user who didn't pay for it, and tell them. Returns False if staff opened it before."""
    enforce(policies.grant_courses(granted_by))
    with transaction.atomic():
        if not _grant(user, course, Grant.Source.STAFF, now, granted_by=granted_by, reason=reason):
            return False
        grant = Grant.objects.active().of(user.pk).get(course=course, source=Grant.Source.STAFF)
        link, key = f"/learn/{course.slug}", f"grant {grant.pk}"
        people.notify("billing.granted", user, link, key, now=now, course=course.title, reason=reason)
    return True


def withdraw_grant(*, admin: User, grant: Grant, now: datetime) -> bool:
    """End what staff granted, and tell the learner. Returns False if it had ended before. Progress stays."""
    enforce(policies.grant_courses(admin))
    with transaction.atomic():
        row = Grant.objects.select_for_update(of=("self",)).select_related("user", "course").get(pk=grant.pk)
        if row.ended_at is not None or row.source != Grant.Source.STAFF:
            return False
        end_grants(user=row.user, course=row.course, source=Grant.Source.STAFF, reason=Grant.End.STAFF, now=now)
        if access_to(row.user, row.course, now=now) is None:
            link, key = f"/courses/{row.course.slug}", f"grant {row.pk} ended"
            people.notify("billing.grant_ended", row.user, link, key, now=now, course=row.course.title)
    return True


def grant_premium(*, user: User, course: Course, now: datetime) -> bool:
    """Open a course by the user's subscription or seat, until that ends. Returns False if Premium has opened it before.

    :raises SubscriptionExpired: no subscription and no seat opens courses to the user.
    """
    with transaction.atomic():
        # Locked, so that a subscription or a seat that ends at this moment closes this course too.
        lock_premium(user)
        subscription = Subscription.objects.of(user.pk).opening(now).first()
        seat = None if subscription else Seat.objects.opening_premium(now).filter(holder=user).first()
        if subscription is None and seat is None:
            raise SubscriptionExpired
        return _grant(user, course, Grant.Source.PREMIUM, now, subscription=subscription, seat=seat)


def lock_premium(user: User) -> None:
    """Let everything that opens or closes Premium to a user wait for each other, until the transaction ends."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


def close_premium(*, user: User, now: datetime) -> None:
    """End what Premium opened to the user, unless a subscription or a seat still does. Progress stays. Idempotent.

    Called after a subscription or a seat has ended, in its transaction.
    """
    lock_premium(user)
    if has_premium(user, now=now):
        return
    opened = Grant.objects.active().of(user.pk).filter(source=Grant.Source.PREMIUM).select_related("course")
    for each in opened.order_by("pk"):
        end_grants(user=user, course=each.course, source=Grant.Source.PREMIUM, reason=Grant.End.PREMIUM_ENDED, now=now)


def reopen_premium(*, user: User, now: datetime) -> None:
    """Open what Premium had opened to the user when it ended. Idempotent. Called when a subscription or seat begins."""
    closed: dict[int, Grant] = {}
    former = Grant.objects.of(user.pk).filter(source=Grant.Source.PREMIUM).select_related("course")
    for each in former.order_by("pk"):
        closed[each.course_id] = each  # the last one counts
    for each in closed.values():
        if each.end_reason == Grant.End.PREMIUM_ENDED:
            grant_premium(user=user, course=each.course, now=now)


def grant_seat(*, seat: Seat, user: User, course: Course, now: datetime) -> bool:
    """Open the course of a seat to its holder. Returns False if another seat has opened it before. Idempotent."""
    return _grant(user, course, Grant.Source.SEAT, now, seat=seat)


def move_seat_grant(*, seat: Seat, to: Seat, user: User) -> None:
    """Keep a course open by another seat of the same user."""
    Grant.objects.active().filter(seat=seat, user=user, source=Grant.Source.SEAT).update(seat=to)


def end_seat_grant(*, seat: Seat, user: User, now: datetime) -> None:
    """End what a seat for a course opened to a user. Idempotent."""
    for grant in Grant.objects.active().filter(seat=seat, user=user, source=Grant.Source.SEAT):
        end_grants(user=user, course=grant.course, source=Grant.Source.SEAT, reason=Grant.End.SEAT, now=now)


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
        if not active.update(ended_at=now, end_reason=reason):
            return
        access = access_to(user, course, now=now)
        if access is None:
            extensions.close_course(user, course, now)
        elif access.source == "premium":
            # Premium keeps it open: remembered, so that it closes when Premium ends.
            grant_premium(user=user, course=course, now=now)
