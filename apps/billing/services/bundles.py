"""Make bundles: create, change, withdraw. What was bought with them is not touched by any of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing import policies
from apps.billing.errors import BundleRefused
from apps.billing.models import MAX_COURSES_IN_BUNDLE, MIN_COURSES_IN_BUNDLE, Bundle, BundleCourse
from apps.billing.queries.bundles import bundleable_courses
from apps.courses.models import Course
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money, price_step, smallest_charge

SLUG_LENGTH = 80
MAX_BUNDLES_OF_INSTRUCTOR = 50


@dataclass(frozen=True, kw_only=True)
class BundleTerms:
    """What its owner writes: ``price`` in minor units of the site's currency, the courses in their order."""

    title: str
    summary: str
    price: int
    courses: Sequence[Course]


def create_bundle(*, by: User, terms: BundleTerms, now: datetime) -> Bundle:
    """Create a bundle that is for sale at once. An instructor's consists of their own courses, an admin's of any.

    :raises BundleRefused: a course or the price doesn't fit.
    """
    enforce(policies.make_bundles(by))
    with transaction.atomic():
        # The row of the owner is locked, so that two requests cannot pass the limit together.
        owner = User.objects.select_for_update().get(pk=by.pk)
        if not owner.is_admin and Bundle.objects.filter(instructor=owner).count() >= MAX_BUNDLES_OF_INSTRUCTOR:
            raise BundleRefused(reason=_("You have %(count)s bundles already.") % {"count": MAX_BUNDLES_OF_INSTRUCTOR})
        _check(terms, by)
        bundle = Bundle(
            title=terms.title,
            summary=terms.summary,
            instructor=None if owner.is_admin else owner,
            price=terms.price,
            currency=settings.CURRENCY,
            created_by=owner,
            created_at=now,
            updated_at=now,
        )
        _insert(bundle)
        _place(bundle, terms.courses)
    return bundle


def _insert(bundle: Bundle) -> None:
    """Save a new bundle under a free slug, also if another bundle takes it at the same moment."""
    for attempts_left in (2, 1, 0):
        try:
            with transaction.atomic():
                bundle.slug = _free_slug(bundle.title)
                bundle.save(force_insert=True)
        except IntegrityError:
            if not attempts_left:
                raise
        else:
            return


def change_bundle(*, by: User, bundle: Bundle, terms: BundleTerms, now: datetime) -> Bundle:
    """Change texts, price and courses. The slug stays, because links use it.

    Those who bought it keep their courses, and an open checkout shows the new price before it charges.

    :raises BundleRefused: a course or the price doesn't fit.
    """
    enforce(policies.manage_bundle(by, bundle))
    with transaction.atomic():
        row = Bundle.objects.select_for_update(of=("self",)).select_related("instructor").get(pk=bundle.pk)
        _check(terms, row.instructor or by)
        row.title, row.summary, row.price = terms.title, terms.summary, terms.price
        row.currency, row.updated_at = settings.CURRENCY, now
        row.save(update_fields=["title", "summary", "price", "currency", "updated_at"])
        row.items.all().delete()
        _place(row, terms.courses)
    return row


def switch_bundle(*, by: User, bundle: Bundle, on: bool, now: datetime) -> None:
    """Withdraw a bundle, or offer it again. Idempotent. Those who bought it keep their courses."""
    enforce(policies.manage_bundle(by, bundle))
    Bundle.objects.filter(pk=bundle.pk).update(is_active=on, updated_at=now)


def _place(bundle: Bundle, courses: Sequence[Course]) -> None:
    BundleCourse.objects.bulk_create(
        BundleCourse(bundle=bundle, course=course, position=position) for position, course in enumerate(courses)
    )


def _check(terms: BundleTerms, owner: User) -> None:
    """Refuse courses that the owner may not bundle, and a price that can't be charged or saves nothing."""
    chosen = {course.pk for course in terms.courses}
    if not MIN_COURSES_IN_BUNDLE <= len(chosen) <= MAX_COURSES_IN_BUNDLE or len(chosen) < len(terms.courses):
        limits = {"least": MIN_COURSES_IN_BUNDLE, "most": MAX_COURSES_IN_BUNDLE}
        raise BundleRefused(reason=_("Choose from %(least)s to %(most)s different courses.") % limits)
    fitting = bundleable_courses(owner).filter(pk__in=chosen).count()
    if fitting < len(chosen):
        text = ngettext(
            "%(num)d course can't be part of a bundle: only published courses with a one-time price can.",
            "%(num)d courses can't be part of a bundle: only published courses with a one-time price can.",
            len(chosen) - fitting,
        )
        raise BundleRefused(reason=text % {"num": len(chosen) - fitting})
    worth, currency = sum(course.price for course in terms.courses), settings.CURRENCY
    if terms.price < smallest_charge(currency) or terms.price % price_step(currency):
        least = {"price": money(smallest_charge(currency), currency)}
        raise BundleRefused(reason=_("Enter a price of at least %(price)s.") % least)
    if terms.price >= worth:
        text = _("The courses cost %(price)s separately. A bundle has to cost less.")
        raise BundleRefused(reason=text % {"price": money(worth, currency)})


def _free_slug(title: str) -> str:
    """Return the title as an address that no bundle has: "-2" and so on at the end if it is taken."""
    base = slugify(title)[: SLUG_LENGTH - 5].strip("-") or "bundle"
    taken = set(Bundle.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
