"""Courses for sale, orders and promo codes, as pages and the API show them."""

from uuid import UUID

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing.models import Order, PromoCode
from apps.billing.purchases import Purchase, purchase_of_course
from apps.billing.queries.bundles import bundle_by_slug, purchase_for
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.money import money


def course_for_sale(slug: str) -> Course:
    """Return a course by its slug, with its instructor and category. One query.

    :raises CourseNotFound: there is none.
    """
    found = Course.objects.select_related("instructor", "subject").filter(slug=slug)
    course = None if "\x00" in slug else found.first()  # a zero byte is an error in PostgreSQL
    if course is None:
        raise CourseNotFound
    return course


def purchase_named(user: User, *, course: str = "", bundle: str = "", is_gift: bool = False) -> Purchase:
    """Return what the user would buy: a course or a bundle, named by its slug. One query, three for a bundle.

    :raises CourseNotFound: there is no such course.
    :raises BundleNotFound: there is no such bundle.
    """
    if bundle:
        return purchase_for(user, bundle_by_slug(bundle), is_gift=is_gift)
    return purchase_of_course(course_for_sale(course), is_gift=is_gift)


def order_of(user: User, uid: UUID | str) -> Order:
    """Return one of the user's orders. One query.

    :raises NotFound: there is none.
    """
    found = Order.objects.of(user.pk).select_related(
        "course__instructor", "course__subject", "bundle", "promo_code", "payment"
    )
    order = found.filter(uid=uid).first()
    if order is None:
        raise NotFound
    return order


def code_label(code: PromoCode, *, discount: int = 0) -> str:
    """Return what a code does, such as "10% off, until 31 March 2027".

    :param discount: what it takes off a price; more than its amount if the rest is too little to be charged.
    """
    if code.percent is not None:
        taken = _("%(percent)s%% off") % {"percent": code.percent}
    else:
        taken = _("%(amount)s off") % {"amount": money(code.amount or 0, code.currency)}
        if discount > (code.amount or 0):
            taken = _("%(discount)s, and the small rest is free") % {"discount": taken}
    if code.ends_at is None:
        return taken
    ends = date_format(localtime(code.ends_at), "j F Y")
    return _("%(discount)s, until %(date)s") % {"discount": taken, "date": ends}
