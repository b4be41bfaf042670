"""Gifts: a course or a bundle that one user pays and another one gets, by a code."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.billing.models.orders import Order
from studyplatform.kit.names import NameField

MAX_GIFT_MESSAGE_LENGTH = 500


class Gift(models.Model):
    """What an order that is a gift says beside its amounts. It has a code once it is paid."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    order = models.OneToOneField(Order, models.PROTECT, related_name="gift")
    sender_name = NameField(max_length=120)
    recipient_name = NameField(max_length=120, blank=True)
    recipient_email = models.EmailField(blank=True)
    message = models.TextField(max_length=MAX_GIFT_MESSAGE_LENGTH, blank=True)
    send_at = models.DateTimeField(help_text="When the code is emailed.")
    code_hash = models.CharField(max_length=64, null=True, unique=True, help_text="A code is found by its hash.")
    encrypted_code = models.TextField(blank=True, help_text="For the buyer, who may see it again.")
    sent_at = models.DateTimeField(null=True, help_text="When its email was last handed over.")
    mail_uid = models.UUIDField(null=True, help_text="The job that delivers that email.")
    redeemed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="gifts_received")
    redeemed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(redeemed_by=None, redeemed_at=None)
                | Q(redeemed_by__isnull=False, redeemed_at__isnull=False, code_hash__isnull=False),
                name="redeemed_gift_says_when",
            ),
        ]

    def __str__(self) -> str:
        return str(self.uid)
