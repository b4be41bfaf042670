"""Bundles: several courses at one price."""

import uuid
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Q, Sum
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course
from apps.courses.models.course import site_currency
from studyplatform.kit.names import NameField

MIN_COURSES_IN_BUNDLE = 2
MAX_COURSES_IN_BUNDLE = 20


class BundleQuerySet(models.QuerySet["Bundle"]):
    def for_sale(self) -> Any:  # a query set with `worth` and `course_count`, which types can't name
        """Keep the bundles that can be bought, with what their courses cost separately (``worth``).

        `apps.billing.queries.bundles.obstacles` says the same in words.
        """
        sold = Q(
            items__course__status=Course.Status.PUBLISHED,
            items__course__pricing=Course.Pricing.ONE_TIME,
            items__course__currency=settings.CURRENCY,
            items__course__instructor__is_active=True,
            items__course__instructor__deleted_at=None,
        )
        own = Q(instructor=None) | Q(instructor=F("items__course__instructor"))
        counted = self.filter(is_active=True, currency=settings.CURRENCY).annotate(
            course_count=Count("items"), sold_count=Count("items", filter=sold & own), worth=Sum("items__course__price")
        )
        return counted.filter(
            course_count__gte=MIN_COURSES_IN_BUNDLE, sold_count=F("course_count"), price__lt=F("worth")
        )


class Bundle(models.Model):
    """Several courses that are sold together. What was bought with it stays in the lines of its orders."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    title = NameField(max_length=120)
    summary = NameField(max_length=220, blank=True)
    instructor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="bundles",
        help_text=_("Whose courses it consists of; empty for a bundle of the site's admins."),
    )
    price = models.PositiveIntegerField(help_text=_("Minor units."))
    currency = models.CharField(max_length=3, default=site_currency, help_text=_("ISO 4217, lowercase."))
    is_active = models.BooleanField(default=True, help_text=_("Off once it is withdrawn."))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = BundleQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(price__gt=0), name="bundle_has_a_price")]
        indexes = [models.Index(fields=["instructor", "-created_at"], name="bundle_of_instructor")]

    def __str__(self) -> str:
        return self.title


class BundleCourseQuerySet(models.QuerySet["BundleCourse"]):
    def in_order(self) -> Self:
        return self.select_related("course__instructor", "course__subject").order_by("position")


class BundleCourse(models.Model):
    """A course of a bundle."""

    bundle = models.ForeignKey(Bundle, models.CASCADE, related_name="items", db_index=False)
    course = models.ForeignKey(Course, models.PROTECT, related_name="bundle_items")
    position = models.PositiveSmallIntegerField()

    objects = BundleCourseQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bundle", "course"], name="one_place_in_bundle")]

    def __str__(self) -> str:
        return f"{self.bundle_id}.{self.position}"
