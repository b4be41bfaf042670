"""Invoices and credit notes: numbered without gaps, and never changed (docs/adr/0050).

Only `apps.billing.services.issuing` writes them. A document contains everything that is printed on it.
"""

import hashlib
import json
import uuid
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.billing.document_triggers import wanted
from apps.billing.models.orders import Order
from apps.billing.models.payments import Dispute, Payment, Refund
from studyplatform.kit.db import triggers
from studyplatform.kit.db.triggers import Triggers


class DocumentKind(models.TextChoices):
    INVOICE = "invoice", _("Invoice")
    CREDIT_NOTE = "credit_note", _("Credit note")


class DocumentSeries(models.Model):
    """The last number of the documents of a kind in a year, and when it was given."""

    kind = models.CharField(max_length=12, choices=DocumentKind)
    year = models.PositiveSmallIntegerField()
    last = models.PositiveIntegerField(default=0)
    last_issued_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "document series"
        constraints = [models.UniqueConstraint(fields=["kind", "year"], name="one_series_per_kind_and_year")]

    def __str__(self) -> str:
        return f"{self.kind} {self.year}: {self.last}"


class DocumentIsFinal(Exception):
    """A document that was issued can't be changed or deleted: another document cancels it."""


class DocumentQuerySet(models.QuerySet["Document"]):
    """Refuses what changes rows; the database refuses it too."""

    def update(self, **_changes: Any) -> NoReturn:
        raise DocumentIsFinal

    def delete(self) -> NoReturn:
        raise DocumentIsFinal

    def bulk_update(self, *_given: Any, **_options: Any) -> NoReturn:
        raise DocumentIsFinal


class Document(models.Model):
    """An invoice or a credit note as it was issued. Amounts are positive; a credit note counts against invoices.

    ``fact`` names what it documents, so that a fact is documented once. ``snapshot`` has two parts: ``facts`` for
    programs, and ``print``, every text on the page. ``template`` is the version of the page that prints it.
    """

    Kind = DocumentKind

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=12, choices=DocumentKind)
    number = models.CharField(max_length=24, unique=True)
    year = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField(help_text="In the series of its kind and year, from 1.")
    fact = models.CharField(max_length=200, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="documents")
    order = models.ForeignKey(Order, models.PROTECT, null=True, related_name="documents")
    payment = models.ForeignKey(
        Payment, models.PROTECT, null=True, related_name="documents", help_text="Empty if it was issued before payment."
    )
    refund = models.ForeignKey(Refund, models.PROTECT, null=True, related_name="documents")
    dispute = models.ForeignKey(Dispute, models.PROTECT, null=True, related_name="documents")
    corrects = models.ForeignKey("self", models.PROTECT, null=True, related_name="corrections")
    currency = models.CharField(max_length=3)
    total = models.PositiveBigIntegerField(help_text="With tax, minor units.")
    tax = models.PositiveBigIntegerField(default=0, help_text="The tax included in the total.")
    snapshot = models.JSONField()
    template = models.PositiveSmallIntegerField(help_text="The version of the page that prints it.")
    sha256 = models.CharField(max_length=64)
    issued_at = models.DateTimeField()

    objects = DocumentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "year", "position"], name="one_document_per_position"),
            models.CheckConstraint(condition=Q(total__gt=0, tax__lte=F("total")), name="document_has_an_amount"),
            models.CheckConstraint(
                condition=Q(payment__isnull=False) | Q(order__isnull=False), name="document_of_a_payment_or_order"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-issued_at"], name="documents_of_user"),
            models.Index(fields=["-issued_at", "-id"], name="documents_by_time"),
        ]

    def __str__(self) -> str:
        return self.number

    def save(self, *args: Any, **options: Any) -> None:
        if self.pk is not None or not self._state.adding:
            raise DocumentIsFinal
        super().save(*args, **{**options, "force_insert": True})

    def delete(self, *_args: Any, **_options: Any) -> NoReturn:
        raise DocumentIsFinal

    @property
    def sign(self) -> int:
        """1 for an invoice, -1 for a credit note."""
        return 1 if self.kind == DocumentKind.INVOICE else -1


def digest_of(snapshot: dict[str, Any]) -> str:
    """Return the SHA-256 of a snapshot: of its JSON with sorted keys, without spaces, in UTF-8."""
    text = json.dumps(snapshot, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


DOCUMENT_TRIGGERS = triggers.register(
    Triggers(prefix="billing_document_", table="billing_document", wanted=wanted, renew=lambda: None, is_guard=True)
)
