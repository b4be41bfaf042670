"""System checks of the payment provider."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection

from apps.billing.bank_account import account_problems
from apps.billing.countries import EU_VAT_AREA, country_codes
from apps.billing.tax import needs_country
from apps.billing.vat_ids import WrongVatId, check_vat_id
from apps.courses.models import Course
from studyplatform.kit.text.money import read_currency


@register(Tags.security, deploy=True)
def payments_are_real(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Runs with ``check --deploy``. Without ``ALLOW_STANDIN``, production does not start (settings/production.py)."""
    if settings.BILLING_MODE == "standin":
        hint = "Set Stripe's keys (.env.example), unless this site only demonstrates the product."
        return [Warning("Payments are simulated by the stand-in: nobody is charged.", hint=hint, id="billing.W001")]
    return []


@register
def currency_can_be_charged(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """The currency of the site is one in use; the settings refuse others before, unless something overrides them."""
    try:
        read_currency(settings.CURRENCY)
    except ValueError as problem:
        return [Error(f"CURRENCY: {problem}.", id="billing.E001")]
    return []


@register
def seller_can_issue_invoices(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """What invoices of this seller lack: a country that exists, and the VAT number that reverse charge needs."""
    country = settings.SELLER_COUNTRY
    if country and country not in country_codes():
        return [Error(f"SELLER_COUNTRY: {country} is not a country of ISO 3166-1.", id="billing.E002")]
    if not country and needs_country():
        hint = "Set SELLER_COUNTRY: its rate applies where the country of a buyer isn't known."
        return [Warning("Sales to an unknown country contain no tax.", hint=hint, id="billing.W005")]
    if country not in EU_VAT_AREA or settings.TAX_EXEMPTION:
        return []
    if not settings.SELLER_VAT_ID:
        hint = "Set SELLER_VAT_ID: companies in other EU countries buy with reverse charge, and their invoices need it."
        return [Warning("Invoices with reverse charge lack the seller's VAT number.", hint=hint, id="billing.W003")]
    try:
        check_vat_id(settings.SELLER_VAT_ID, country)
    except WrongVatId:
        return [Warning(f"SELLER_VAT_ID is not a VAT number of {country}.", id="billing.W004")]
    return []


@register
def bank_account_exists(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """The account to which orders are transferred: money sent to a wrong number is lost for weeks."""
    return [Error(problem, id="billing.E003") for problem in account_problems()]


@register(Tags.database)
def courses_are_priced_in_the_currency(app_configs: Any, databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Runs with ``migrate`` and ``check --database default``: names courses whose price is in another currency."""
    if not databases or "courses_course" not in connection.introspection.table_names():
        return []
    priced = Course.objects.filter(pricing=Course.Pricing.ONE_TIME).exclude(currency=settings.CURRENCY)
    found = [
        f"{slug} ({currency.upper()})" for slug, currency in priced.values_list("slug", "currency").order_by("slug")
    ]
    if not found:
        return []
    text = f"Not for sale, because their price is not in {settings.CURRENCY.upper()}: {', '.join(found)}."
    return [Warning(text, hint="Enter new prices in the studio, or set CURRENCY back.", id="billing.W002")]
