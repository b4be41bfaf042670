"""What the provider says about its balance, what differs from the ledger, and what admins post by hand."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class BalanceTransaction(models.Model):
    """A movement of the provider's balance, as the provider lists it; amounts in minor units.

    ``fact`` is what the ledger posts it under: the id of the charge, refund, dispute or transfer that it belongs to, or
    its own. ``booked``: what the ledger had of it when that was last compared.
    """

    gateway_id = models.CharField(max_length=150, unique=True)
    fact = models.CharField(max_length=150, db_index=True)
    type = models.CharField(max_length=60)
    category = models.CharField(max_length=60)
    amount = models.BigIntegerField()
    fee = models.BigIntegerField()
    net = models.BigIntegerField()
    booked = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    source = models.CharField(max_length=150, blank=True)
    description = models.CharField(max_length=300, blank=True)
    is_converted = models.BooleanField(default=False, help_text="The provider changed it into this currency.")
    created_at = models.DateTimeField()
    repaired_at = models.DateTimeField(null=True, help_text="When a reconciliation posted what was missing.")

    class Meta:
        indexes = [
            models.Index(fields=["-created_at"], name="balance_by_time"),
            models.Index(fields=["currency"], condition=~Q(net=F("booked")), name="balance_that_differs"),
        ]

    def __str__(self) -> str:
        return self.gateway_id


class BalanceHistory(models.Model):
    """How far back the provider's list has been read. One row. ``cursor``: the last transaction of the last page."""

    cursor = models.CharField(max_length=150, blank=True)
    is_complete = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.cursor


class BooksDifference(models.Model):
    """A difference that a reconciliation could not repair. It stays open until one finds that it is gone."""

    BROKEN_PART = "check"  # the kind that says that a part of a reconciliation broke: it found less than there is

    class Scope(models.TextChoices):
        PROVIDER = "provider", _("Payment provider")
        LEDGER = "ledger", _("Ledger")

    scope = models.CharField(max_length=8, choices=Scope)
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=150)
    text = models.CharField(max_length=300)
    found_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, help_text="When admins were notified: once.")
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "kind", "subject"], condition=Q(resolved_at=None), name="a_difference_is_open_once"
            ),
        ]
        indexes = [models.Index(fields=["-found_at"], name="differences_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    @property
    def key(self) -> tuple[str, str]:
        """What tells it apart within its scope."""
        return self.kind, self.subject


class ManualEntry(models.Model):
    """What an admin posted by hand: money at the bank that no page of this site moves. Undone by a counter entry."""

    class Kind(models.TextChoices):
        TAX_PAID = "tax_paid", _("Tax paid to the authorities")
        TAX_RETURNED = "tax_returned", _("Tax returned by the authorities")
        OWNER_IN = "owner_in", _("Money put into the platform")
        OWNER_OUT = "owner_out", _("Money taken out of the platform")
        BANK_FEE = "bank_fee", _("Fee of the bank")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=12, choices=Kind)
    amount = models.BigIntegerField(help_text="Minor units, positive.")
    currency = models.CharField(max_length=3)
    day = models.DateField(help_text="When the bank moved it.")
    period = models.CharField(max_length=60, blank=True, help_text="What the tax is for, such as 2026-Q3.")
    reference = models.CharField(max_length=140, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="a_manual_entry_has_an_amount"),
        ]
        indexes = [models.Index(fields=["-day", "-made_at"], name="manual_entries_by_day")]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount} {self.currency}"
