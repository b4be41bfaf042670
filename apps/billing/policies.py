"""Who may buy a course, and see orders, payments and cards."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, administer, be_verified
from apps.billing.access import access_to
from apps.billing.errors import AlreadyOwned, NotForSale, NothingToRefund
from apps.billing.models import Order, Payment
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course
from apps.courses.policies import is_staff_of
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict


def see_course(user: AnyUser, course: Course) -> Verdict:
    """A course that isn't public doesn't exist for anyone but its staff."""
    public = course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED}
    return None if public or is_staff_of(user, course) else CourseNotFound()


def buy(user: AnyUser, course: Course) -> Verdict:
    """Users with a verified email may buy a published course with a price that isn't open to them yet."""
    unseen = see_course(user, course)
    if unseen is not None:
        return unseen
    if not isinstance(user, User):
        return NotAuthenticated()
    if course.pricing != Course.Pricing.ONE_TIME or not course.is_open:
        return NotForSale(course=course.title)
    access = access_to(user, course)
    if access is not None and access.lasts:
        return AlreadyOwned(course=course.title, slug=course.slug)
    return be_verified(user)


def see_order(user: AnyUser, order: Order) -> Verdict:
    """For everyone but the user who made it, an order doesn't exist."""
    return None if isinstance(user, User) and order.user_id == user.pk else NotFound()


def see_payment(user: AnyUser, payment: Payment) -> Verdict:
    """For everyone but the user who paid, and admins, a payment doesn't exist."""
    allowed = isinstance(user, User) and (payment.user_id == user.pk or user.is_admin)
    return None if allowed else NotFound()


def ask_for_refund(user: AnyUser, payment: Payment) -> Verdict:
    """Only the user who paid for a course may ask for the money."""
    mine = isinstance(user, User) and payment.user_id == user.pk
    if not mine:
        return NotFound()
    return None if payment.kind == Payment.Kind.COURSE else NothingToRefund()


def decide_refunds(user: AnyUser) -> Verdict:
    """Admins decide about refunds."""
    return administer(user)


def subscribe(user: AnyUser) -> Verdict:
    """Users with a verified email may subscribe to Premium."""
    return be_verified(user)
