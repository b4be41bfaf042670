"""The ledger: double entry, append-only (docs/adr/0022). Only `apps.billing.services.ledger` writes it.

Amounts are integers in minor units with a lower-case currency code. Assets and expenses are positive, debts and revenue
negative; the lines of an entry add up to zero in each currency. Rows refer to users, courses and payments by plain ids,
so that nothing that is deleted elsewhere changes the books.
"""

import re
import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.billing.ledger_triggers import wanted
from studyplatform.kit.db import triggers
from studyplatform.kit.db.triggers import Triggers

DESCRIPTION_LENGTH = 300
ITEMS_PER_PART = 64
"""A line of an order whose sale is shared has an entry for each who earns from it: their items are this far apart."""
_NUMBER = re.compile(r", \d+\Z")


class AccountType(models.TextChoices):
    ASSET = "asset", _("Asset")
    LIABILITY = "liability", _("Liability")
    REVENUE = "revenue", _("Revenue")
    EXPENSE = "expense", _("Expense")
    EQUITY = "equity", _("Equity")


class EntryKind(models.TextChoices):
    SALE = "sale", _("Sale")
    SUBSCRIPTION = "subscription", _("Premium payment")
    FEE = "fee", _("Provider fee")
    REFUND_PENDING = "refund_pending", _("Pending refund")
    REFUND = "refund", _("Refund")
    REFUND_FAILED = "refund_failed", _("Failed refund")
    DISPUTE_OPENED = "dispute_opened", _("Dispute opened")
    DISPUTE_WON = "dispute_won", _("Dispute won")
    DISPUTE_LOST = "dispute_lost", _("Dispute lost")
    DISPUTE_REVERSED = "dispute_reversed", _("Lost dispute won after all")
    PREMIUM_SHARE = "premium_share", _("Share of Premium")
    PAYOUT_STARTED = "payout_started", _("Payout started")
    PAYOUT_SENT = "payout_sent", _("Payout sent")
    PAYOUT_FAILED = "payout_failed", _("Payout failed")
    PAYOUT_REVERSED = "payout_reversed", _("Payout taken back")
    PROVIDER_TO_BANK = "provider_to_bank", _("From the provider to the bank")
    BANK_TO_PROVIDER = "bank_to_provider", _("From the bank to the provider")
    PROVIDER_FEE = "provider_fee", _("Provider fee apart from payments")
    RESERVE = "reserve", _("Held back by the provider")
    EXCHANGE = "exchange", _("Exchanged by the provider")
    UNEXPLAINED = "unexplained", _("Unexplained")
    EXPLAINED = "explained", _("Explained by an admin")
    TAX_PAID = "tax_paid", _("Tax paid")
    TAX_RETURNED = "tax_returned", _("Tax returned")
    OWNER_IN = "owner_in", _("Put into the platform")
    OWNER_OUT = "owner_out", _("Taken out of the platform")
    BANK_FEE = "bank_fee", _("Fee of the bank")
    DEPOSIT = "deposit", _("Transfer held for a buyer")
    DEPOSIT_RETURNED = "deposit_returned", _("Transfer returned to a buyer")
    TRANSFER_CHARGE = "transfer_charge", _("Bank charges of a transfer")


class LedgerAccount(models.Model):
    """What amounts are posted to, such as "provider" or "instructor:7"."""

    code = models.CharField(max_length=64, unique=True)
    type = models.CharField(max_length=9, choices=AccountType)
    instructor_id = models.BigIntegerField(null=True, blank=True, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.code


class LedgerEntry(models.Model):
    """One business fact. ``key`` names it, so that the same fact is posted once."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=16, choices=EntryKind)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField(auto_now_add=True)
    description = models.CharField(
        max_length=DESCRIPTION_LENGTH, blank=True, help_text=_("For sales: the title of the course.")
    )
    payment_key = models.CharField(
        max_length=150, blank=True, db_index=True, help_text=_("Connects fees, refunds and disputes with their sale.")
    )
    item = models.PositiveSmallIntegerField(
        default=0, help_text=_("Which line of the order, from 0: a payment of several courses has an entry for each.")
    )
    gateway_id = models.CharField(max_length=150, blank=True, help_text=_("The provider's ID of the event."))
    instructor_id = models.BigIntegerField(null=True, blank=True)
    course_id = models.BigIntegerField(null=True, blank=True)
    currency = models.CharField(max_length=3)
    total = models.BigIntegerField(help_text=_("Amount paid, tax included, in minor units; negative for refunds."))
    tax = models.BigIntegerField(default=0, help_text=_("The tax included in the total."))
    share_bps = models.PositiveSmallIntegerField(
        default=0, help_text=_("The instructor's share in hundredths of a percent.")
    )
    line_count = models.PositiveSmallIntegerField()
    checksum = models.CharField(max_length=64)

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.UniqueConstraint(
                fields=["payment_key", "item"],
                condition=Q(kind__in=["sale", "subscription"]),
                name="one_entry_per_payment_and_item",
            ),
            models.CheckConstraint(
                condition=Q(share_bps__gte=0, share_bps__lte=10_000), name="share_is_at_most_everything"
            ),
            models.CheckConstraint(condition=Q(line_count__gte=2), name="an_entry_has_two_lines"),
        ]
        indexes = [
            models.Index(fields=["instructor_id", "-occurred_at"], name="entries_of_instructor"),
            models.Index(fields=["-occurred_at"], name="entries_by_time"),
            models.Index(fields=["gateway_id"], name="entries_by_gateway_id"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def position(self) -> int:
        """Which line of the order it is about: a sale that is shared has several entries about the same line."""
        return self.item % ITEMS_PER_PART

    @property
    def document_fact(self) -> str:
        """What an invoice or a credit note of it documents (`Document.fact`): the lines of a bundle share one.

        What happens to a dispute a second time is another fact: both keys end with its number, such as ", 2".
        """
        if self.kind in {EntryKind.SALE, EntryKind.SUBSCRIPTION}:
            return f"payment {self.payment_key}"
        key = self.key.removesuffix(f" {self.item}") if self.item else self.key
        number = _NUMBER.search(key)
        return f"{self.kind} {self.gateway_id or key}" + (number[0] if number and self.gateway_id else "")


class LedgerLine(models.Model):
    """An amount that an entry posts to an account."""

    entry = models.ForeignKey(LedgerEntry, models.PROTECT, related_name="lines", db_index=False)
    account = models.ForeignKey(LedgerAccount, models.PROTECT, related_name="lines", db_index=False)
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(amount=0), name="a_line_has_an_amount"),
            models.UniqueConstraint(fields=["entry", "account", "currency"], name="one_line_per_account"),
        ]
        indexes = [models.Index(fields=["account", "currency", "amount", "entry"], name="lines_of_account")]

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"


LEDGER_TRIGGERS = triggers.register(
    Triggers(prefix="billing_ledger_", table="billing_ledgerline", wanted=wanted, renew=lambda: None, is_guard=True)
)
