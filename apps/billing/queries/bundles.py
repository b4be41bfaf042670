"""Bundles: for sale, on the pages of their courses, in the lists of those who make them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.billing.errors import BundleNotFound
from apps.billing.models import MIN_COURSES_IN_BUNDLE, Bundle, BundleCourse, Grant, Payment
from apps.billing.purchases import Purchase, purchase_of_bundle
from apps.courses.models import Course
from studyplatform.kit.text.money import money

MAX_BUNDLES_BESIDE_COURSE = 3
MAX_BUNDLES_IN_CATALOG = 3


@dataclass(frozen=True)
class BundleView:
    """A bundle with its courses, and why it can't be bought (for its owner; empty: it is for sale)."""

    bundle: Bundle
    courses: tuple[Course, ...]
    obstacles: tuple[str, ...]

    @property
    def worth(self) -> int:
        """What the courses cost separately."""
        return sum(course.price for course in self.courses)

    @property
    def saving(self) -> int:
        return self.worth - self.bundle.price

    @property
    def is_for_sale(self) -> bool:
        return not self.obstacles

    @property
    def lesson_count(self) -> int:
        return sum(course.lesson_count for course in self.courses)

    @property
    def duration(self) -> int:
        """Seconds of all lessons."""
        return sum(course.duration for course in self.courses)

    @property
    def listed_courses(self) -> list[Course]:
        """The courses that everyone may see."""
        public = {Course.Status.PUBLISHED, Course.Status.ARCHIVED}
        return [course for course in self.courses if course.status in public]

    @property
    def plates(self) -> list[str]:
        """The pictures of the first courses, for the picture of the bundle."""
        return [course.plate for course in self.courses if course.plate][:3]


@dataclass(frozen=True)
class BundleLink:
    """A bundle as the page of one of its courses shows it. Amounts in minor units."""

    slug: str
    title: str
    price: int
    saving: int
    currency: str
    course_count: int


def obstacles(bundle: Bundle, courses: Collection[Course]) -> list[str]:
    """Return why nobody can buy a bundle, in sentences for its owner; none: it is for sale."""
    found = []
    if not bundle.is_active:
        found.append(_("You've withdrawn it."))
    if bundle.currency != settings.CURRENCY:
        found.append(_("Its price is in another currency than the site's. Enter a new one."))
    if len(courses) < MIN_COURSES_IN_BUNDLE:
        found.append(
            ngettext("It needs at least %(num)d course.", "It needs at least %(num)d courses.", MIN_COURSES_IN_BUNDLE)
            % {"num": MIN_COURSES_IN_BUNDLE}
        )
    for course in courses:
        title = {"title": course.title}
        if bundle.instructor_id not in {None, course.instructor_id}:
            found.append(_("“%(title)s” now belongs to another instructor.") % title)
        elif not course.instructor.is_active or course.instructor.deleted_at is not None:
            found.append(_("The instructor of “%(title)s” has left.") % title)
        if course.status != Course.Status.PUBLISHED:
            found.append(_("“%(title)s” isn't published.") % title)
        elif course.pricing != Course.Pricing.ONE_TIME:
            found.append(_("“%(title)s” no longer has a one-time price.") % title)
        elif course.currency != settings.CURRENCY:
            found.append(_("“%(title)s” is priced in another currency than the site's.") % title)
    worth = sum(course.price for course in courses)
    if not found and bundle.price >= worth:
        price = money(worth, bundle.currency)
        found.append(_("Its courses cost %(price)s separately, so the bundle saves nothing.") % {"price": price})
    return found


def views_of(bundles: Iterable[Bundle]) -> list[BundleView]:
    """Return bundles with their courses, in their order. One query."""
    rows = list(bundles)
    courses: dict[int, list[Course]] = defaultdict(list)
    for item in BundleCourse.objects.in_order().filter(bundle__in=rows):
        courses[item.bundle_id].append(item.course)
    return [BundleView(one, tuple(courses[one.pk]), tuple(obstacles(one, courses[one.pk]))) for one in rows]


def bundle_by_slug(slug: str) -> BundleView:
    """Return a bundle with its courses. Two queries.

    :raises BundleNotFound: there is none.
    """
    found = None if "\x00" in slug else Bundle.objects.select_related("instructor").filter(slug=slug[:80]).first()
    if found is None:
        raise BundleNotFound
    return views_of([found])[0]


def bundle_by_uid(uid: UUID) -> BundleView:
    """Return a bundle with its courses. Two queries.

    :raises BundleNotFound: there is none.
    """
    found = Bundle.objects.select_related("instructor").filter(uid=uid).first()
    if found is None:
        raise BundleNotFound
    return views_of([found])[0]


def owned_courses(user: AnyUser, courses: Collection[Course]) -> set[int]:
    """Return which of the courses (their ids) are open to the user for good: bought or granted, or they teach them.

    One query, none for visitors.
    """
    if not isinstance(user, User):
        return set()
    taught = {course.pk for course in courses if user.is_admin or course.instructor_id == user.pk}
    passing = [Grant.Source.PREMIUM, Grant.Source.SEAT]
    lasting = Grant.objects.active().of(user.pk).exclude(source__in=passing).filter(course__in=courses)
    return taught | set(lasting.values_list("course_id", flat=True))


def purchase_for(user: AnyUser, view: BundleView, *, is_gift: bool = False) -> Purchase:
    """Return what the user would buy with a bundle: the courses that they don't own yet, all as a gift. One query."""
    owned = set() if is_gift else owned_courses(user, view.courses)
    return purchase_of_bundle(view.bundle, view.courses, owned=owned, is_gift=is_gift)


def bundles_with(course: Course) -> list[BundleLink]:
    """Return the bundles with this course that are for sale, those that save most first. One query."""
    with_it = BundleCourse.objects.filter(course=course).values("bundle")
    rows = Bundle.objects.for_sale().filter(pk__in=with_it)
    links = [
        BundleLink(one.slug, one.title, one.price, one.worth - one.price, one.currency, one.course_count)
        for one in rows
    ]
    return sorted(links, key=lambda link: (-link.saving, link.title))[:MAX_BUNDLES_BESIDE_COURSE]


def bundles_for_sale() -> Any:  # a query set with `worth`, which types can't name
    """Return all bundles that can be bought, the newest first."""
    return Bundle.objects.for_sale().order_by("-created_at", "-pk")


def newest_bundles() -> list[Bundle]:
    """Return the newest bundles that are for sale. One query."""
    return list(bundles_for_sale()[:MAX_BUNDLES_IN_CATALOG])


def bundles_named(text: str) -> list[Bundle]:
    """Return the bundles for sale with this text in their title, summary or a course's title. One query."""
    words = Q(title__folded_contains=text) | Q(summary__folded_contains=text)
    by_course = BundleCourse.objects.filter(course__title__folded_contains=text).values("bundle")
    return list(bundles_for_sale().filter(words | Q(pk__in=by_course))[:MAX_BUNDLES_IN_CATALOG])


def bundles_managed_by(user: User) -> QuerySet[Bundle]:
    """Return the user's own bundles, and those of admins with a course of theirs; the newest first."""
    with_theirs = BundleCourse.objects.filter(course__instructor=user).values("bundle")
    return all_bundles().filter(Q(instructor=user) | Q(pk__in=with_theirs))


def all_bundles() -> QuerySet[Bundle]:
    """Return all bundles, the newest first."""
    return Bundle.objects.select_related("instructor").order_by("-created_at", "-pk")


def bundles_like(bundles: QuerySet[Bundle], text: str) -> QuerySet[Bundle]:
    """Keep the bundles with the text in their title or the title of a course."""
    if not text:
        return bundles
    by_course = BundleCourse.objects.filter(course__title__folded_contains=text).values("bundle")
    return bundles.filter(Q(title__folded_contains=text) | Q(pk__in=by_course))


def sold_counts(bundles: Collection[Bundle]) -> dict[int, int]:
    """Return how often each bundle (its id) was bought; a full refund takes its sale away. One query."""
    kept = Q(amount=0) | Q(refunded__lt=F("amount"))
    rows = Payment.objects.filter(kept, order__bundle__in=bundles).order_by().values_list("order__bundle")
    return dict(rows.annotate(count=Count("pk")))


def bundleable_courses(user: User) -> QuerySet[Course]:
    """Return the courses that the user may put in a bundle: published, with a one-time price in the site's currency."""
    priced = Course.objects.published().filter(pricing=Course.Pricing.ONE_TIME, currency=settings.CURRENCY)
    found = priced.select_related("instructor", "subject").order_by("title", "pk")
    return found if user.is_admin else found.taught_by(user.pk)
