"""Money received and money returned. A row is what the provider reported; services never change its amounts."""

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from apps.billing.models.orders import Order, OrderLine
from apps.billing.models.subscriptions import Subscription
from apps.billing.provider_reasons import explain_dispute, explain_failed_refund
from apps.billing.tax import TaxTreatment
from apps.courses.models import Course
from studyplatform.kit.names import NameField


class ReceiptSeries(models.Model):
    """The last receipt number of a year: receipts are numbered without gaps."""

    year = models.PositiveSmallIntegerField(primary_key=True)
    last = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"


class PaymentQuerySet(models.QuerySet["Payment"]):
    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Payment(models.Model):
    """A successful payment: for the courses of an order, or for a period of Premium.

    ``course`` and ``instructor`` are those of an order with one course.
    """

    class Kind(models.TextChoices):
        COURSE = "course", _("Course")
        PREMIUM = "premium", _("Premium")

    class Method(models.TextChoices):
        CARD = "card", _("Card")
        TRANSFER = "transfer", _("Bank transfer")
        NONE = "none", _("Nothing was charged")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    gateway_id = models.CharField(
        max_length=64, unique=True, help_text="The provider's payment intent, or transfer …, or order …"
    )
    method = models.CharField(max_length=8, choices=Method, default=Method.CARD)
    charge_id = models.CharField(max_length=64, blank=True, db_index=True)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="payments")
    order = models.OneToOneField(Order, models.PROTECT, null=True, related_name="payment")
    course = models.ForeignKey(Course, models.PROTECT, null=True, related_name="payments")
    instructor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="sales")
    share = models.PositiveIntegerField(default=0, help_text="The instructor's share in hundredths of a percent.")
    subscription = models.ForeignKey(Subscription, models.PROTECT, null=True, related_name="payments")
    invoice_id = models.CharField(max_length=64, blank=True, db_index=True)
    title = NameField(max_length=160, help_text="What was bought, as it was called then.")
    period_start = models.DateTimeField(null=True)
    period_end = models.DateTimeField(null=True)
    list_price = models.PositiveIntegerField()
    discount = models.PositiveIntegerField(default=0)
    credit = models.PositiveIntegerField(default=0, help_text="For unused time, or from earlier payments.")
    promo_code = models.CharField(max_length=24, blank=True)
    amount = models.PositiveIntegerField(help_text="What was charged, with tax; minor units.")
    tax = models.PositiveIntegerField(default=0)
    tax_rate = models.PositiveIntegerField(default=0, help_text="Hundredths of a percent.")
    tax_treatment = models.CharField(max_length=14, choices=TaxTreatment, default=TaxTreatment.STANDARD)
    tax_evidence = models.JSONField(default=dict, help_text="What says in which country the buyer is.")
    buyer = models.JSONField(default=dict, help_text="A copy of the buyer's details.")
    fee = models.PositiveIntegerField(null=True, help_text="The provider's fee; empty until it is known.")
    currency = models.CharField(max_length=3)
    country = models.CharField(max_length=2, blank=True)
    email = models.EmailField(blank=True)
    card_brand = models.CharField(max_length=20, blank=True)
    card_last4 = models.CharField(max_length=4, blank=True)
    receipt_number = models.CharField(max_length=20, unique=True, null=True, help_text="Empty if nothing was charged.")
    refunded = models.PositiveIntegerField(default=0, help_text="What refunds returned so far.")
    charged_back = models.PositiveIntegerField(
        default=0, help_text="What disputes took for good: can be more than was left, as banks know nothing of refunds."
    )
    paid_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, help_text="When an admin confirmed that a bank transfer arrived.")
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    objects = PaymentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(refunded__lte=F("amount")), name="refunded_at_most_what_was_paid"),
        ]
        indexes = [
            models.Index(fields=["user", "-paid_at", "-id"], name="payment_of_user"),
            models.Index(fields=["instructor", "-paid_at"], name="payment_of_instructor"),
            models.Index(fields=["-paid_at"], name="payment_by_date"),
        ]

    def __str__(self) -> str:
        return self.receipt_number or self.gateway_id

    @cached_property
    def lines(self) -> list[OrderLine]:
        """The courses that were paid, in their order; none for Premium. At most two queries."""
        return [] if self.order is None else list(self.order.lines.select_related("course"))

    @property
    def is_bundle(self) -> bool:
        return self.kind == self.Kind.COURSE and self.course_id is None

    @property
    def is_refunded(self) -> bool:
        return self.amount > 0 and self.refunded == self.amount

    @property
    def left(self) -> int:
        """What was neither refunded nor lost in a dispute."""
        return max(0, self.amount - self.refunded - self.charged_back)

    @property
    def is_returned(self) -> bool:
        """Whether the payer has everything back, so that the payment opens nothing. Never if it cost nothing."""
        return self.amount > 0 and self.left == 0

    @property
    def opened_at(self) -> datetime:
        """When what was paid opened: a bank transfer opens nothing before it is confirmed."""
        return self.confirmed_at or self.paid_at

    def is_within(self, days: int, now: datetime) -> bool:
        """Return whether what was paid opened at most this many days ago."""
        return (now - self.opened_at).total_seconds() <= days * 86400


class Refund(models.Model):
    """Money that goes back, from the request on."""

    class Status(models.TextChoices):
        REQUESTED = "requested", _("Waiting for a decision")
        PROCESSING = "processing", _("On its way")
        DONE = "done", _("Refunded")
        FAILED = "failed", _("Failed")
        DECLINED = "declined", _("Declined")
        CLOSED = "closed", _("Money returned otherwise")

    OPEN = (Status.REQUESTED, Status.PROCESSING)

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    payment = models.ForeignKey(Payment, models.PROTECT, related_name="refunds")
    method = models.CharField(
        max_length=8,
        choices=[(Payment.Method.CARD, _("Card")), (Payment.Method.TRANSFER, _("Bank transfer"))],
        default=Payment.Method.CARD,
        help_text="How the money goes back: to the card by the provider, or by a bank transfer that an admin makes.",
    )
    gateway_id = models.CharField(max_length=64, null=True, unique=True, help_text="The provider's, or return …")
    amount = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status.choices)
    reason = models.TextField(blank=True, help_text="The learner's.")
    consumed = models.PositiveSmallIntegerField(
        null=True, help_text="How much of the courses was used when it was requested, in percent."
    )
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision = models.TextField(blank=True, help_text="The admin's reason.")
    failure = models.CharField(max_length=300, blank=True)
    done_at = models.DateTimeField(null=True)
    holder = models.CharField(max_length=120, blank=True, help_text="Of the account to which a transfer goes.")
    encrypted_number = models.TextField(blank=True)
    bank_code = models.CharField(max_length=20, blank=True, help_text="BIC, or the routing number of a bank.")
    last4 = models.CharField(max_length=4, blank=True)
    returned_on = models.DateField(null=True, help_text="When an admin transferred it.")
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            # Any number of refunds can be on their way that were made at the provider.
            models.UniqueConstraint(
                fields=["payment"],
                condition=Q(status__in=["requested", "processing"], gateway_id=None),
                name="one_refund_to_send",
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="refund_has_an_amount"),
        ]
        indexes = [models.Index(fields=["status", "requested_at"], name="refund_queue")]

    def __str__(self) -> str:
        return f"{self.payment_id}: {self.amount} {self.status}"

    @property
    def is_to_transfer(self) -> bool:
        """Whether an admin has to transfer it."""
        return self.method == Payment.Method.TRANSFER and self.status == Refund.Status.PROCESSING

    @property
    def failure_text(self) -> str:
        """Why it failed, to be written within a sentence."""
        return explain_failed_refund(self.failure)


class Dispute(models.Model):
    """A payment that the cardholder contested at their bank."""

    class Status(models.TextChoices):
        OPEN = "open", _("Open")
        WON = "won", _("Won")
        LOST = "lost", _("Lost")

    payment = models.ForeignKey(Payment, models.PROTECT, related_name="disputes")
    gateway_id = models.CharField(max_length=64, unique=True)
    amount = models.PositiveIntegerField()
    lost = models.PositiveIntegerField(default=0, help_text="What the cardholder keeps, once it is decided.")
    fee = models.PositiveIntegerField(default=0, help_text="The provider's, less what of it came back.")
    reason = models.CharField(max_length=60, blank=True)
    status = models.CharField(max_length=6, choices=Status.choices, default=Status.OPEN)
    opened_at = models.DateTimeField()
    answer_by = models.DateTimeField(null=True, help_text="Until when the provider takes evidence, if it does.")
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["status", "-opened_at"], name="dispute_by_status")]

    def __str__(self) -> str:
        return f"{self.gateway_id}: {self.status}"

    @property
    def reason_text(self) -> str:
        """What the cardholder told their bank, in words."""
        return explain_dispute(self.reason)
