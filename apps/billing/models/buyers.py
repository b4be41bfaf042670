"""Who buys: what a user wants on their invoices. Orders and subscriptions keep a copy of it."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.names import NameField

MAX_NAME_LENGTH = 200
SNAPSHOT_FIELDS = (
    "is_company", "name", "street", "extra", "postal_code", "city", "region", "country", "vat_id", "reference",
)  # fmt: skip


class BuyerDetails(models.Model):
    """What a user wants on their invoices: a company with its VAT number, or a person with their address."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="buyer_details")
    is_company = models.BooleanField(_("I buy as a company"), default=False)
    name = NameField(_("Name or company"), max_length=MAX_NAME_LENGTH, blank=True)
    street = NameField(_("Street address"), max_length=200, blank=True)
    extra = NameField(_("Floor, building or department"), max_length=200, blank=True)
    postal_code = NameField(_("Postal code"), max_length=20, blank=True)
    city = NameField(_("City or town"), max_length=100, blank=True)
    region = NameField(_("State, province or county"), max_length=100, blank=True)
    country = models.CharField(_("Country"), max_length=2, blank=True)
    vat_id = models.CharField(_("VAT number"), max_length=30, blank=True)
    vat_id_checked_at = models.DateTimeField(null=True, help_text="When its format was checked.")
    reference = NameField(_("Your reference"), max_length=60, blank=True, help_text=_("Such as an order number."))
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "buyer details"

    def __str__(self) -> str:
        return self.name

    def as_snapshot(self) -> dict[str, Any]:
        """Return a copy for an order, subscription or document."""
        found = {name: getattr(self, name) for name in SNAPSHOT_FIELDS}
        checked = self.vat_id_checked_at
        return {**found, "vat_id_checked_at": checked.isoformat() if checked else ""}
