"""Who an instructor is for the tax office: what the platform reports with their earnings (DAC7, forms 1099)."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.names import NameField


class TaxDetails(models.Model):
    """What Annex V of Council Directive (EU) 2021/514 and the forms 1099 ask of an instructor.

    Numbers, date and place of birth are encrypted (``queries.tax_details``).
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="tax_details")
    is_company = models.BooleanField(_("I teach as a company or organization"), default=False)
    name = NameField(_("Legal name"), max_length=200)
    street = NameField(_("Street address"), max_length=200)
    extra = NameField(_("Floor, building or department"), max_length=200, blank=True)
    postal_code = NameField(_("Postal code"), max_length=20, blank=True)
    city = NameField(_("City or town"), max_length=100)
    region = NameField(_("State, province or county"), max_length=100, blank=True)
    country = models.CharField(_("Country"), max_length=2)
    residence = models.CharField(_("Country of tax residence"), max_length=2, help_text=_("It issued the tax number."))
    vat_id = models.CharField(_("VAT number"), max_length=30, blank=True)
    registration_number = NameField(_("Registration number"), max_length=60, blank=True)
    encrypted_identity = models.TextField(help_text="JSON: tax_number, birth_date, birth_place.")
    number_end = models.CharField(max_length=3, blank=True, help_text="The last characters of the tax number.")
    confirmed_at = models.DateTimeField(help_text="When the instructor confirmed that all of it is correct.")

    class Meta:
        verbose_name_plural = "tax details"

    def __str__(self) -> str:
        return f"tax details of {self.user_id}"


class TaxDetailsReminder(models.Model):
    """When an instructor without tax details was last asked for them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tax_details_reminder")
    sent_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user_id} {self.sent_at:%Y-%m-%d}"
