"""Bank transfers that don't pay an order as they are: too little, too much, too late, or a second time."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from apps.billing.models.orders import Order


class Deposit(models.Model):
    """Money that a buyer transferred for an order, and that is no payment yet, or only in part.

    ``applied``: what of it has paid the order. The rest is the buyer's: it waits for the rest of the order's amount, or
    is returned. Amounts are minor units of the order's currency.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    order = models.ForeignKey(Order, models.PROTECT, related_name="deposits")
    amount = models.PositiveIntegerField()
    applied = models.PositiveIntegerField(default=0)
    charges = models.PositiveIntegerField(default=0, help_text="What banks kept on its way, and the platform bears.")
    received_on = models.DateField()
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    returned_on = models.DateField(null=True, help_text="When the rest was transferred back.")
    returned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    returned_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0, applied__lte=F("amount")), name="deposit_adds_up"),
            models.CheckConstraint(
                condition=Q(returned_on=None) | Q(applied__lt=F("amount")), name="only_a_rest_is_returned"
            ),
        ]
        indexes = [
            models.Index(
                fields=["received_on"],
                condition=Q(returned_on=None, amount__gt=F("applied")),
                name="deposits_held",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.order_id}: {self.amount}"

    @property
    def rest(self) -> int:
        """What of it is held for the buyer."""
        return 0 if self.returned_on else self.amount - self.applied
