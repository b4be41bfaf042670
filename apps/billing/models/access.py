"""What a user may open because they paid for it, or because staff granted it."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.billing.models.payments import Payment
from apps.billing.models.subscriptions import Subscription
from apps.billing.models.teams import Seat
from apps.courses.models import Course


class GrantQuerySet(models.QuerySet["Grant"]):
    def active(self) -> Self:
        return self.filter(ended_at=None)

    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Grant(models.Model):
    """Access of a user to a course. It is ended, never deleted."""

    class Source(models.TextChoices):
        PURCHASE = "purchase", _("Bought")
        PREMIUM = "premium", _("Premium")
        STAFF = "staff", _("Granted by staff")
        SEAT = "seat", _("Seat of a team")

    class End(models.TextChoices):
        REFUND = "refund", _("Refunded")
        DISPUTE = "dispute", _("Dispute lost")
        PREMIUM_ENDED = "premium", _("Premium ended")
        STAFF = "staff", _("Withdrawn by staff")
        REPLACED = "replaced", _("Replaced")
        SEAT = "seat", _("Seat taken back or ended")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="grants")
    course = models.ForeignKey(Course, models.PROTECT, related_name="grants")
    source = models.CharField(max_length=10, choices=Source.choices)
    payment = models.ForeignKey(Payment, models.PROTECT, null=True, related_name="grants")
    subscription = models.ForeignKey(Subscription, models.PROTECT, null=True, related_name="grants")
    seat = models.ForeignKey(Seat, models.PROTECT, null=True, related_name="grants")
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    end_reason = models.CharField(max_length=10, choices=End.choices, blank=True)

    objects = GrantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "course", "source"], condition=Q(ended_at=None), name="one_active_grant_per_source"
            ),
            models.CheckConstraint(
                condition=(Q(source="purchase", payment__isnull=False) | ~Q(source="purchase")),
                name="bought_access_names_its_payment",
            ),
            models.CheckConstraint(
                condition=Q(source="seat", seat__isnull=False) | ~Q(source="seat"), name="access_by_seat_names_it"
            ),
        ]
        indexes = [models.Index(fields=["user", "course"], name="grant_of_user")]

    def __str__(self) -> str:
        return f"{self.user_id}→{self.course_id} {self.source}"
