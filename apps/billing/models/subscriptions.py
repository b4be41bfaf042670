"""Premium subscriptions, as the provider last reported them."""

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.billing.models.promo import Redemption


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    def live(self) -> Self:
        return self.filter(status__in=Subscription.LIVE)

    def opening(self, now: datetime) -> Self:
        """Those that open Premium courses at this moment."""
        return self.filter(Q(status__in=["trialing", "active"]) | Q(status="past_due", grace_until__gt=now))

    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Subscription(models.Model):
    """A user's Premium subscription."""

    class Plan(models.TextChoices):
        MONTHLY = "monthly", _("Monthly")
        YEARLY = "yearly", _("Yearly")

    class Status(models.TextChoices):
        INCOMPLETE = "incomplete", _("Waiting for payment")
        TRIALING = "trialing", _("Trial")
        ACTIVE = "active", _("Active")
        PAST_DUE = "past_due", _("Payment failed")
        ENDED = "ended", _("Ended")

    LIVE = (Status.INCOMPLETE, Status.TRIALING, Status.ACTIVE, Status.PAST_DUE)

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="subscriptions")
    gateway_id = models.CharField(max_length=64, null=True, unique=True)
    plan = models.CharField(max_length=8, choices=Plan.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.INCOMPLETE)
    price = models.PositiveIntegerField(help_text="Per period, minor units.")
    price_id = models.CharField(max_length=64, blank=True, help_text="The provider's price.")
    currency = models.CharField(max_length=3)
    trial_days = models.PositiveSmallIntegerField(default=0, help_text="The trial that it was offered.")
    redemption = models.OneToOneField(Redemption, models.PROTECT, null=True, related_name="subscription")
    country = models.CharField(max_length=2, blank=True)
    buyer = models.JSONField(default=dict, help_text="A copy of the buyer's details.")
    evidence = models.JSONField(default=dict, help_text="What else says in which country the buyer is.")
    email = models.EmailField(blank=True, help_text="Where receipts go; empty: to the user's address.")
    period_start = models.DateTimeField(null=True)
    period_end = models.DateTimeField(null=True)
    trial_end = models.DateTimeField(null=True)
    cancels_at_period_end = models.BooleanField(default=False)
    past_due_since = models.DateTimeField(null=True)
    grace_until = models.DateTimeField(null=True, help_text="Until when it opens courses although a payment failed.")
    next_at = models.DateTimeField(null=True, help_text="When its next invoice is, or its unpaid one was, made.")
    next_amount = models.PositiveIntegerField(default=0, help_text="What that invoice charges, in minor units.")
    next_subtotal = models.PositiveIntegerField(default=0)
    next_discount = models.PositiveIntegerField(default=0)
    balance_before = models.IntegerField(
        default=0, help_text="The customer's, before that invoice: negative is credit."
    )
    balance_after = models.IntegerField(default=0, help_text="The customer's, after that invoice: negative is credit.")
    next_count = models.PositiveSmallIntegerField(default=0, help_text="How many payments in a row are that; 0: all.")
    later_charges = models.JSONField(default=list, help_text="The other amounts that follow, each with its first day.")
    plan_change_until = models.DateTimeField(null=True, help_text="A change of its plan is under way until then.")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, help_text="When its trial or first period began.")
    ended_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=0, help_text="Grows with each change: a stale answer is not written.")

    objects = SubscriptionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(status__in=["incomplete", "trialing", "active", "past_due"]),
                name="one_live_subscription_per_user",
            ),
        ]
        indexes = [models.Index(fields=["status", "period_end"], name="subscription_by_status")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.plan} {self.status}"

    def is_opening(self, now: datetime) -> bool:
        """Return whether it opens Premium courses at this moment."""
        if self.status == self.Status.PAST_DUE:
            return self.grace_until is not None and self.grace_until > now
        return self.status in {self.Status.TRIALING, self.Status.ACTIVE}
