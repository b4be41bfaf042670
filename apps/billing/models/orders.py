"""A user's intention to buy courses, from the checkout until it is paid or given up."""

import secrets
import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.billing.models.bundles import Bundle
from apps.billing.models.promo import PromoCode, Redemption
from apps.billing.tax import TaxTreatment
from apps.courses.models import Course
from studyplatform.kit.names import NameField

_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # without those that look alike


def new_order_number() -> str:
    """A number that a user can read out: six letters and digits in two groups."""
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{drawn[:4]}-{drawn[4:]}"


class OrderQuerySet(models.QuerySet["Order"]):
    def live(self) -> Self:
        return self.filter(status__in=Order.LIVE)

    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Order(models.Model):
    """What a user is buying: its lines name the courses. All amounts are minor units, computed by the server.

    The amounts of an order never change: another price or code makes another order. So what a user saw is what the
    provider charges.
    """

    class Status(models.TextChoices):
        OPEN = "open", _("Waiting for payment")
        PROCESSING = "processing", _("Processing")
        PAID = "paid", _("Paid")
        CANCELED = "canceled", _("Canceled")

    class Method(models.TextChoices):
        CARD = "card", _("Card")
        TRANSFER = "transfer", _("Bank transfer")

    LIVE = (Status.OPEN, Status.PROCESSING)

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    number = models.CharField(max_length=12, unique=True, default=new_order_number)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="orders")
    course = models.ForeignKey(
        Course,
        models.PROTECT,
        null=True,
        related_name="orders",
        help_text="Empty for several courses and for seats of Premium.",
    )
    bundle = models.ForeignKey(Bundle, models.PROTECT, null=True, related_name="orders")
    is_gift = models.BooleanField(default=False)
    is_for_team = models.BooleanField(default=False, help_text="Seats: its pack says how many, of what.")
    request_key = models.UUIDField(null=True, unique=True, help_text="Of the form that ordered: sent twice, one order.")
    title = NameField(max_length=160, help_text="What is bought, as it was called then.")
    list_price = models.PositiveIntegerField()
    discount = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(help_text="What is charged, with tax.")
    tax = models.PositiveIntegerField(default=0, help_text="The tax included in the total.")
    tax_rate = models.PositiveIntegerField(default=0, help_text="Hundredths of a percent.")
    tax_treatment = models.CharField(max_length=14, choices=TaxTreatment, default=TaxTreatment.STANDARD)
    currency = models.CharField(max_length=3)
    country = models.CharField(max_length=2, blank=True)
    buyer = models.JSONField(default=dict, help_text="A copy of the buyer's details.")
    evidence = models.JSONField(default=dict, help_text="What else says in which country the buyer is.")
    email = models.EmailField(help_text="Where the receipt goes.")
    promo_code = models.ForeignKey(PromoCode, models.PROTECT, null=True, related_name="orders")
    redemption = models.OneToOneField(Redemption, models.PROTECT, null=True, related_name="order")
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.OPEN)
    method = models.CharField(
        max_length=8,
        choices=Method,
        default=Method.CARD,
        help_text="How it was to be paid; the payment says how it was.",
    )
    due_at = models.DateTimeField(null=True, help_text="Until when a bank transfer has to arrive.")
    reminded_at = models.DateTimeField(null=True, help_text="When the buyer was told that it is overdue.")
    intent_id = models.CharField(max_length=64, null=True, unique=True)
    failure_kind = models.CharField(max_length=40, blank=True, help_text="The last failed attempt to pay.")
    failure_message = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, help_text="When it was paid or canceled.")
    canceled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    cancel_reason = models.CharField(max_length=300, blank=True, help_text="As the credit note says it.")

    objects = OrderQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "course"],
                condition=Q(status__in=["open", "processing"], is_gift=False, is_for_team=False),
                name="one_live_order",
            ),
            models.UniqueConstraint(
                fields=["user", "bundle"],
                condition=Q(status__in=["open", "processing"], is_gift=False, is_for_team=False),
                name="one_live_bundle_order",
            ),
            models.CheckConstraint(
                condition=Q(course__isnull=False, bundle=None)
                | Q(course=None, bundle__isnull=False, is_for_team=False)
                | Q(course=None, bundle=None, is_for_team=True),
                name="order_is_for_a_course_a_bundle_or_seats",
            ),
            models.CheckConstraint(
                condition=Q(total=F("list_price") - F("discount"), tax__lte=F("total")), name="order_adds_up"
            ),
            models.CheckConstraint(
                condition=Q(method="card", due_at=None) | Q(method="transfer", due_at__isnull=False),
                name="transfer_has_a_due_time",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"], name="order_of_user"),
            models.Index(
                fields=["due_at"], condition=Q(method="transfer", status="open"), name="transfers_that_are_due"
            ),
        ]

    def __str__(self) -> str:
        return self.number


class OrderLine(models.Model):
    """A course of an order: its part of the amounts, and who earns from it. The lines add up to their order."""

    order = models.ForeignKey(Order, models.PROTECT, related_name="lines", db_index=False)
    position = models.PositiveSmallIntegerField(help_text="From 0. The item of its entry in the ledger.")
    course = models.ForeignKey(Course, models.PROTECT, related_name="order_lines")
    title = NameField(max_length=160, help_text="What the course was called then.")
    instructor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="order_lines_received")
    share = models.PositiveIntegerField(help_text="The instructor's share in hundredths of a percent.")
    list_price = models.PositiveIntegerField()
    discount = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(help_text="What is charged, with tax.")
    tax = models.PositiveIntegerField(default=0, help_text="The tax included in the total.")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["order", "position"], name="one_order_line_per_position"),
            models.UniqueConstraint(fields=["order", "course"], name="one_order_line_per_course"),
            models.CheckConstraint(
                condition=Q(total=F("list_price") - F("discount"), tax__lte=F("total")), name="order_line_adds_up"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.order_id}.{self.position}"
