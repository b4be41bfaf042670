"""Payouts to instructors: where the money goes, the monthly runs, and each payout with its state."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

OPEN_STATES = ["scheduled", "processing"]


class PayoutAccount(models.Model):
    """Where an instructor's payouts go: an account at the payment provider, or a bank account."""

    class Method(models.TextChoices):
        CONNECTED = "connected", _("Connected account")
        BANK = "bank", _("Bank account")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="payout_account")
    method = models.CharField(max_length=9, choices=Method)
    gateway_id = models.CharField(max_length=150, blank=True, help_text="The connected account's id.")
    holder = models.CharField(max_length=120, blank=True)
    encrypted_number = models.TextField(blank=True)
    bank_code = models.CharField(max_length=20, blank=True, help_text="BIC, or the routing number of a bank.")
    last4 = models.CharField(max_length=4, blank=True)
    verified_at = models.DateTimeField(
        null=True, blank=True, help_text="When a payout first arrived, or the provider checked the account."
    )
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.get_method_display()} {self.last4}"


class ConnectedAccount(models.Model):
    """An instructor's account at the payment provider, as it last reported it."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="connected_account")
    gateway_id = models.CharField(max_length=150, unique=True)
    is_wanted = models.BooleanField(default=False, help_text="Payouts shall go to it as soon as nothing is missing.")
    details_submitted = models.BooleanField(default=False)
    payouts_enabled = models.BooleanField(default=False)
    is_checking = models.BooleanField(default=False, help_text="The provider checks what was given.")
    due = models.JSONField(default=list, help_text="What the provider still needs, by its names.")
    last4 = models.CharField(max_length=4, blank=True)
    created_at = models.DateTimeField()
    synced_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0, help_text="Grows with each change: a stale answer is not written.")

    def __str__(self) -> str:
        return self.gateway_id

    @property
    def is_ready(self) -> bool:
        """Whether payouts can go to it."""
        return self.details_submitted and self.payouts_enabled


class PayoutRun(models.Model):
    """The payouts of one day. Two runs at once find the same row."""

    day = models.DateField(unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.day.isoformat()


class Payout(models.Model):
    """An amount on its way to an instructor. The ledger has it once it is processing.

    From then on it goes to the account it started with, whatever becomes of the instructor's payout details.
    """

    class State(models.TextChoices):
        SCHEDULED = "scheduled", _("Scheduled")
        PROCESSING = "processing", _("Processing")
        SENT = "sent", _("Sent")
        FAILED = "failed", _("Failed")

    class Failure(models.TextChoices):
        ACCOUNT_NUMBER = "account_number", _("The bank doesn't recognize the account number")
        ACCOUNT_CLOSED = "account_closed", _("The account is closed")
        HOLDER = "holder", _("The name doesn't match the account")
        NOT_READY = "not_ready", _("The connected account cannot receive payouts yet")
        REFUSED = "refused", _("The bank refused the payout")
        REVERSED = "reversed", _("The transfer was taken back")
        OTHER = "other", _("The payout did not arrive")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    run = models.ForeignKey(PayoutRun, models.PROTECT, related_name="payouts")
    instructor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="payouts")
    amount = models.BigIntegerField(help_text="Minor units.")
    currency = models.CharField(max_length=3)
    sales_from = models.DateTimeField(null=True, help_text="It contains sales since then; null: the first payout.")
    sales_until = models.DateTimeField()
    method = models.CharField(max_length=9, choices=PayoutAccount.Method)
    destination = models.CharField(max_length=150, blank=True, help_text="The connected account's id.")
    holder = models.CharField(max_length=120, blank=True)
    encrypted_number = models.TextField(blank=True)
    bank_code = models.CharField(max_length=20, blank=True)
    last4 = models.CharField(max_length=4, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.SCHEDULED)
    gateway_id = models.CharField(max_length=150, blank=True)
    failure = models.CharField(max_length=14, choices=Failure, blank=True)
    failure_detail = models.CharField(max_length=300, blank=True, help_text="The provider's or the bank's own words.")
    refusals = models.PositiveSmallIntegerField(default=0, help_text="How often the provider refused: a new key each.")
    amount_reversed = models.BigIntegerField(default=0, help_text="What the provider took back, in minor units.")
    created_at = models.DateTimeField()
    attempted_at = models.DateTimeField(null=True, help_text="When the last attempt to send it began.")
    started_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True, help_text="When it was sent, or failed.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="a_payout_has_an_amount"),
            models.UniqueConstraint(fields=["run", "instructor", "currency"], name="one_payout_per_run"),
            models.UniqueConstraint(
                fields=["instructor", "currency"], condition=Q(state="scheduled"), name="one_scheduled_payout"
            ),
        ]
        indexes = [models.Index(fields=["instructor", "-created_at"], name="payouts_of_instructor")]

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} {self.state}"

    @property
    def key(self) -> str:
        """Its key in the ledger and at the provider."""
        return self.uid.hex


class EarningsMilestone(models.Model):
    """A milestone that an instructor reached, so that they are notified once."""

    class Name(models.TextChoices):
        REVENUE_100 = "revenue_100", _("First %(amount)s")
        REVENUE_1000 = "revenue_1000", _("%(amount)s in total")
        REVENUE_5000 = "revenue_5000", _("%(amount)s in total")
        MONTH_1000 = "month_1000", _("%(amount)s in a month")
        STUDENTS_100 = "students_100", _("100 students")
        STUDENTS_1000 = "students_1000", _("1,000 students")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="earnings_milestones")
    name = models.CharField(max_length=13, choices=Name)
    reached_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="a_milestone_once")]

    def __str__(self) -> str:
        return self.name
