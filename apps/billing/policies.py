"""Who may buy a course, and see orders, payments and cards."""

from django.conf import settings

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, administer, be_verified, teach
from apps.billing import queries
from apps.billing.access import access_to
from apps.billing.errors import (
    AlreadyOwned,
    BundleNotForSale,
    BundleNotFound,
    BundleOwned,
    EarningsUnpaid,
    NotForSale,
    NothingToRefund,
    SeatInvoiceUnpaid,
    StillSubscribed,
    TeamInUse,
)
from apps.billing.models import Bundle, Document, Gift, Order, Payment, PromoCode
from apps.billing.purchases import Purchase
from apps.billing.queries.bundles import BundleView
from apps.billing.queries.seat_packs import team_in_use, unpaid_seat_order
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course
from apps.courses.policies import is_staff_of
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict
from studyplatform.kit.text.money import money


def see_course(user: AnyUser, course: Course) -> Verdict:
    """A course that isn't public doesn't exist for anyone but its staff."""
    public = course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED}
    return None if public or is_staff_of(user, course) else CourseNotFound()


def buy(user: AnyUser, course: Course, *, is_gift: bool = False) -> Verdict:
    """Users with a verified email may buy a published course with a price that isn't open to them yet.

    As a gift, they may buy it also if it is.
    """
    unseen = see_course(user, course)
    if unseen is not None:
        return unseen
    if not isinstance(user, User):
        return NotAuthenticated()
    is_priced = course.pricing == Course.Pricing.ONE_TIME and course.currency == settings.CURRENCY
    if not is_priced or not course.is_open:
        return NotForSale(course=course.title)
    access = None if is_gift else access_to(user, course)
    if access is not None and access.lasts:
        return AlreadyOwned(course=course.title, slug=course.slug)
    return be_verified(user)


def buy_purchase(user: AnyUser, purchase: Purchase) -> Verdict:
    """Users with a verified email may buy a course, or a bundle that is for sale with a course they don't own yet."""
    if purchase.course is not None:
        return buy(user, purchase.course, is_gift=purchase.is_gift)
    if not isinstance(user, User):
        return NotAuthenticated()
    if purchase.bundle is None or not Bundle.objects.for_sale().filter(pk=purchase.bundle.pk).exists():
        return BundleNotForSale(bundle=purchase.title)
    if not purchase.courses:
        return BundleOwned(bundle=purchase.title)
    return be_verified(user)


def make_bundles(user: AnyUser) -> Verdict:
    """Instructors bundle their own courses, admins those of everybody."""
    return teach(user)


def see_bundle(user: AnyUser, bundle: BundleView) -> Verdict:
    """A bundle exists for admins, for the instructor whose it is, and for those of its courses."""
    refusal = teach(user)
    if refusal is not None or not isinstance(user, User):
        return refusal or BundleNotFound()
    teaches = any(course.instructor_id == user.pk for course in bundle.courses)
    return None if teaches or bundle.bundle.instructor_id == user.pk or user.is_admin else BundleNotFound()


def manage_bundle(user: AnyUser, bundle: Bundle) -> Verdict:
    """Admins change all bundles, instructors their own."""
    refusal = teach(user)
    if refusal is not None or not isinstance(user, User):
        return refusal or BundleNotFound()
    return None if user.is_admin or bundle.instructor_id == user.pk else BundleNotFound()


def see_gift(user: AnyUser, gift: Gift) -> Verdict:
    """Only the buyer sees a gift with its code and its recipient's address."""
    return None if isinstance(user, User) and gift.order.user_id == user.pk else NotFound()


def redeem_gift(user: AnyUser) -> Verdict:
    """Users with a verified email redeem gifts."""
    return be_verified(user)


def see_order(user: AnyUser, order: Order) -> Verdict:
    """For everyone but the user who made it, an order doesn't exist."""
    return None if isinstance(user, User) and order.user_id == user.pk else NotFound()


def see_payment(user: AnyUser, payment: Payment) -> Verdict:
    """For everyone but the user who paid, and admins, a payment doesn't exist."""
    allowed = isinstance(user, User) and (payment.user_id == user.pk or user.is_admin)
    return None if allowed else NotFound()


def see_document(user: AnyUser, document: Document) -> Verdict:
    """For everyone but the buyer, and admins, an invoice or credit note doesn't exist."""
    allowed = isinstance(user, User) and (document.user_id == user.pk or user.is_admin)
    return None if allowed else NotFound()


def ask_for_refund(user: AnyUser, payment: Payment) -> Verdict:
    """Only the user who paid for a course may ask for the money."""
    mine = isinstance(user, User) and payment.user_id == user.pk
    if not mine:
        return NotFound()
    is_for_team = payment.order is not None and payment.order.is_for_team  # seats are given back one by one
    return None if payment.kind == Payment.Kind.COURSE and not is_for_team else NothingToRefund()


def decide_refunds(user: AnyUser) -> Verdict:
    """Admins decide about refunds."""
    return administer(user)


def leave(user: User) -> Verdict:
    """Nobody can delete their account while we owe them money, they owe us some, or would be charged again, nor while
    others depend on them for their seats."""
    if queries.renews(user):
        return StillSubscribed()
    order = unpaid_seat_order(user)
    if order is not None:
        return SeatInvoiceUnpaid(order=order.number, uid=str(order.uid), support=settings.SUPPORT_EMAIL)
    team = team_in_use(user)
    if team is not None:
        return TeamInUse(team=team.title, uid=str(team.uid))
    owed = queries.owed_to(user.pk)
    if owed:
        amounts = ", ".join(money(amount, currency) for currency, amount in sorted(owed.items()))
        return EarningsUnpaid(amount=amounts, support=settings.SUPPORT_EMAIL)
    return None


def subscribe(user: AnyUser) -> Verdict:
    """Users with a verified email may subscribe to Premium."""
    return be_verified(user)


def give_discount(user: AnyUser, scope: str, course: Course | None, instructor: User | None) -> Verdict:
    """Instructors may give discounts on their own courses, admins on everything."""
    refusal = teach(user)
    if refusal is not None or not isinstance(user, User) or user.is_admin:
        return refusal
    if scope == PromoCode.Scope.COURSE and course is not None:
        return None if course.instructor_id == user.pk else NotFound()
    own = scope == PromoCode.Scope.INSTRUCTOR and instructor is not None and instructor.pk == user.pk
    return None if own else administer(user)


def see_promo_code(user: AnyUser, code: PromoCode) -> Verdict:
    """A code exists for admins, and for the instructor to whose courses it is limited."""
    refusal = teach(user)
    if refusal is not None or not isinstance(user, User):
        return refusal or NotFound()
    of = code.course.instructor_id if code.course else code.instructor_id
    return None if user.is_admin or of == user.pk else NotFound()


def manage_promo_code(user: AnyUser, code: PromoCode) -> Verdict:
    """Admins change all codes; instructors those that they made for courses that are still theirs."""
    refusal = see_promo_code(user, code)
    if refusal is not None or not isinstance(user, User) or user.is_admin:
        return refusal
    return None if code.created_by_id == user.pk else administer(user)


def grant_courses(user: AnyUser) -> Verdict:
    """Admins open courses to learners who didn't pay."""
    return administer(user)


def oversee_payments(user: AnyUser) -> Verdict:
    """Admins compare the books and handle events of the provider again."""
    return administer(user)
