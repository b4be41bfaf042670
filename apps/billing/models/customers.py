"""Who pays: a user's customer at the payment provider, and the cards that they saved there."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q


class Customer(models.Model):
    """A user at the payment provider."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="customer")
    gateway_id = models.CharField(max_length=64, unique=True)
    balance = models.IntegerField(default=0, help_text="At the provider, in minor units: negative is credit.")
    balance_currency = models.CharField(max_length=3, blank=True)
    country = models.CharField(max_length=2, blank=True, help_text="ISO 3166-1; where their purchases are taxed.")

    def __str__(self) -> str:
        return self.gateway_id


class CardQuerySet(models.QuerySet["Card"]):
    def usable(self) -> Self:
        return self.filter(removed_at=None)

    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Card(models.Model):
    """A saved card: only what a user needs to recognize it. The provider keeps the number."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="cards")
    gateway_id = models.CharField(max_length=64, unique=True)
    brand = models.CharField(max_length=20)
    last4 = models.CharField(max_length=4)
    exp_month = models.PositiveSmallIntegerField()
    exp_year = models.PositiveSmallIntegerField()
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    declined_at = models.DateTimeField(null=True, help_text="When a bank last declined it; empty after a success.")
    warned_at = models.DateTimeField(null=True, help_text="When its owner was told that it expires.")
    removed_at = models.DateTimeField(null=True)

    objects = CardQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(is_default=True, removed_at=None), name="one_default_card_per_user"
            ),
        ]
        indexes = [models.Index(fields=["user", "created_at"], name="card_of_user")]

    def __str__(self) -> str:
        return f"{self.brand} {self.last4}"
