"""Promo codes, and who used them."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course


class PromoCode(models.Model):
    """A discount that users enter at the checkout."""

    class Scope(models.TextChoices):
        COURSE = "course", _("One course")
        INSTRUCTOR = "instructor", _("All courses of one instructor")
        ALL = "all", _("All courses")
        PREMIUM = "premium", _("Premium")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    code = models.CharField(max_length=24, unique=True, help_text="In capital letters.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="promo_codes")
    scope = models.CharField(max_length=10, choices=Scope.choices)
    course = models.ForeignKey(Course, models.PROTECT, null=True, blank=True, related_name="promo_codes")
    instructor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="promo_codes_for"
    )
    percent = models.PositiveSmallIntegerField(null=True, blank=True)
    amount = models.PositiveIntegerField(null=True, blank=True, help_text="Minor units.")
    currency = models.CharField(max_length=3, blank=True)
    limit = models.PositiveIntegerField(null=True, blank=True, help_text="How often it can be used in total.")
    limit_per_user = models.PositiveIntegerField(default=1)
    used = models.PositiveIntegerField(default=0, help_text="Reserved and used redemptions; kept by the service.")
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(percent__gte=1, percent__lte=100, amount=None)
                | Q(percent=None, amount__gte=1, currency__gt=""),
                name="promo_code_is_percent_or_amount",
            ),
            models.CheckConstraint(
                condition=Q(scope="course", course__isnull=False, instructor=None)
                | Q(scope="instructor", course=None, instructor__isnull=False)
                | Q(scope__in=["all", "premium"], course=None, instructor=None),
                name="promo_code_names_what_it_covers",
            ),
            models.CheckConstraint(condition=Q(limit=None) | Q(used__lte=F("limit")), name="promo_code_within_limit"),
        ]
        indexes = [models.Index(fields=["created_by", "-created_at"], name="promo_code_of_creator")]

    def __str__(self) -> str:
        return self.code


class Redemption(models.Model):
    """One use of a promo code by an order: reserved while the order is open, used once it is paid."""

    class State(models.TextChoices):
        RESERVED = "reserved", _("Reserved")
        USED = "used", _("Used")
        RELEASED = "released", _("Released")

    code = models.ForeignKey(PromoCode, models.PROTECT, related_name="redemptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="redemptions")
    state = models.CharField(max_length=10, choices=State.choices)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["code", "user"], name="redemption_of_user")]

    def __str__(self) -> str:
        return f"{self.code_id} by {self.user_id}: {self.state}"
